// Some rows of an Arrow array, checked before they are read.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "arrow.h"

namespace evenhand::python {

[[noreturn]] inline void damaged(const char* what) {
  throw std::invalid_argument(fmt::format("the Arrow data are damaged: {}", what));
}

inline bool bit(const std::uint8_t* bits, std::int64_t i) {
  return ((bits[i >> 3] >> (i & 7)) & 1U) != 0;
}

// Some rows of an array. `above` is the validity of the struct that it is a child of.
struct Slice {
  const arrow::Array* array;
  std::int64_t offset;
  std::int64_t length;
  const std::uint8_t* above = nullptr;
  std::int64_t above_offset = 0;

  const void* buffer(std::int64_t i) const {
    if (i >= array->n_buffers) damaged("buffers are missing");
    const void* const data = array->buffers[i];
    if (!data && length > 0) damaged("a buffer is missing");
    return data;
  }
  const std::uint8_t* validity() const {
    if (array->n_buffers == 0 || array->null_count == 0) return nullptr;
    return static_cast<const std::uint8_t*>(array->buffers[0]);
  }
  bool valid(std::int64_t row) const {
    const std::uint8_t* const bits = validity();
    return (!bits || bit(bits, offset + row)) && (!above || bit(above, above_offset + row));
  }
  bool complete() const {
    if (!validity() && !above) return true;
    for (std::int64_t row = 0; row < length; ++row) {
      if (!valid(row)) return false;
    }
    return true;
  }
  template <class T>
  std::span<const T> values() const {
    const auto* const data = static_cast<const T*>(buffer(1));
    return {data ? data + offset : nullptr, static_cast<std::size_t>(length)};
  }
  // The first row, of values of so many bytes.
  const std::uint8_t* bytes(std::size_t each) const {
    const auto* const data = static_cast<const std::uint8_t*>(buffer(1));
    return data ? data + static_cast<std::size_t>(offset) * each : nullptr;
  }
};

inline Slice slice_of(const arrow::Array* array, const Slice* parent = nullptr) {
  if (!array || array->length < 0 || array->offset < 0 || array->n_buffers < 0 ||
      array->n_children < 0 || (array->n_buffers > 0 && !array->buffers) ||
      array->length > std::numeric_limits<std::int64_t>::max() - array->offset) {
    damaged("a length or a pointer is wrong");
  }
  if (!parent) return {array, array->offset, array->length};
  if (array->length < parent->offset + parent->length) damaged("a column is too short");
  Slice out{array, array->offset + parent->offset, parent->length};
  out.above = parent->validity();
  out.above_offset = parent->offset;
  return out;
}

// Calls `take` with a null pointer of the C++ type of a format of whole numbers; false for others.
template <class Take>
bool with_integer_type(char format, Take take) {
  const auto is = [&](char code, auto* of_type) {
    if (format != code) return false;
    take(of_type);
    return true;
  };
  return is('c', static_cast<std::int8_t*>(nullptr)) ||
         is('C', static_cast<std::uint8_t*>(nullptr)) ||
         is('s', static_cast<std::int16_t*>(nullptr)) ||
         is('S', static_cast<std::uint16_t*>(nullptr)) ||
         is('i', static_cast<std::int32_t*>(nullptr)) ||
         is('I', static_cast<std::uint32_t*>(nullptr)) ||
         is('l', static_cast<std::int64_t*>(nullptr)) ||
         is('L', static_cast<std::uint64_t*>(nullptr));
}

}  // namespace evenhand::python
