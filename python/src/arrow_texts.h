// The text of each value of an Arrow column, for every type whose values have one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "arrow_slice.h"
#include "arrow_values.h"
#include "columns.h"

namespace evenhand::python {

template <class Offset, class Visit>
void for_each_text(const Slice& slice, Visit visit) {
  const auto* const offsets = static_cast<const Offset*>(slice.buffer(1));
  const auto* const data =
      static_cast<const char*>(slice.array->n_buffers > 2 ? slice.array->buffers[2] : nullptr);
  const bool complete = slice.complete();
  for (std::int64_t row = 0; row < slice.length; ++row) {
    if (!complete && !slice.valid(row)) {
      visit(row, std::optional<std::string_view>());
      continue;
    }
    const Offset from = offsets[slice.offset + row];
    const Offset to = offsets[slice.offset + row + 1];
    if (from < 0 || to < from || (!data && to > from)) damaged("an offset of a text is wrong");
    visit(row, std::optional(to == from ? std::string_view()
                                        : std::string_view(data + from,
                                                           static_cast<std::size_t>(to - from))));
  }
}

template <class Visit>
void for_each_text_view(const Slice& slice, Visit visit) {
  struct View {
    std::int32_t length;
    char prefix[4];
    std::int32_t buffer;
    std::int32_t offset;
  };
  static_assert(sizeof(View) == 16);
  constexpr std::int32_t longest_inline = 12;
  const auto* const views = static_cast<const View*>(slice.buffer(1));
  struct Others {
    const char* data = nullptr;
    std::uint64_t size = 0;
  };
  std::vector<Others> others;
  const std::int64_t count = slice.array->n_buffers - 3;  // validity, views, ..., their sizes
  for (std::int64_t i = 0; i < count; ++i) {
    const auto* const sizes =
        static_cast<const std::int64_t*>(slice.buffer(slice.array->n_buffers - 1));
    if (sizes[i] < 0) damaged("a buffer of texts has a negative length");
    others.push_back({sizes[i] > 0 ? static_cast<const char*>(slice.buffer(2 + i)) : nullptr,
                      static_cast<std::uint64_t>(sizes[i])});
  }
  if (others.empty()) others.emplace_back();
  const bool complete = slice.complete();
  for (std::int64_t row = 0; row < slice.length; ++row) {
    if (!complete && !slice.valid(row)) {
      visit(row, std::optional<std::string_view>());
      continue;
    }
    const View& view = views[slice.offset + row];
    const auto length = static_cast<std::size_t>(view.length);
    if (view.length < 0) damaged("a text has a negative length");
    // Nobody foresees which texts are long, so none of this is a jump.
    const auto elsewhere =
        static_cast<std::uint64_t>((std::int64_t{longest_inline} - view.length) >> 63U);
    const std::uint64_t buffer = static_cast<std::uint32_t>(view.buffer) & elsewhere;
    const std::uint64_t from = static_cast<std::uint32_t>(view.offset) & elsewhere;
    const Others& other = others[std::min<std::uint64_t>(buffer, others.size() - 1)];
    if (buffer >= others.size() || ((from + length) & elsewhere) > other.size) {
      damaged("a text lies outside its buffer");
    }
    const auto here = reinterpret_cast<std::uintptr_t>(view.prefix);
    const auto there = reinterpret_cast<std::uintptr_t>(other.data) + from;
    const char* const data = reinterpret_cast<const char*>(here ^ ((here ^ there) & elsewhere));
    visit(row, std::optional(std::string_view(data, length)));
  }
}

// Where the texts of some rows lie, as far as all of it may be read.
inline std::pair<const void*, const void*> memory_of_texts(std::string_view type,
                                                           const Slice& slice) {
  const std::int64_t last = slice.offset + slice.length;
  if (slice.length == 0 || slice.array->n_buffers < 3) return {nullptr, nullptr};
  const auto* const data = static_cast<const char*>(slice.array->buffers[2]);
  const auto up_to = [&](const auto* offsets) -> std::pair<const void*, const void*> {
    if (!data || offsets[last] < 0) return {nullptr, nullptr};
    return {data, data + offsets[last]};
  };
  if (type == "u") return up_to(static_cast<const std::int32_t*>(slice.buffer(1)));
  if (type == "U") return up_to(static_cast<const std::int64_t*>(slice.buffer(1)));
  return {nullptr, nullptr};
}

inline void refuse_other_bytes(std::string_view bytes, const std::string& name) {
  const nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr));
  if (text) return;
  PyErr_Clear();
  const nb::bytes shown(bytes.data(), bytes.size());
  throw std::invalid_argument(
      fmt::format("{}: {} is not UTF-8 text", name, nb::repr(shown).c_str()));
}

template <class Visit>
void for_each_fixed(const Slice& slice, std::string_view format, Visit visit) {
  const std::int64_t width = std::strtoll(format.data() + 2, nullptr, 10);
  const auto* const data = static_cast<const char*>(slice.buffer(1));
  if (width < 0) damaged("a text has a negative length");
  for (std::int64_t row = 0; row < slice.length; ++row) {
    visit(row, slice.valid(row)
                   ? std::optional(std::string_view(data + (slice.offset + row) * width,
                                                    static_cast<std::size_t>(width)))
                   : std::nullopt);
  }
}

// Calls `visit(row, text or nothing)` for each row of a column of values that have a text: all but
// floating-point numbers, durations and what has others inside; false for these.
template <class Visit>
bool for_each_value(const char* format, const Slice& slice, Visit visit) {
  const std::string_view type = format;
  if (type == "u" || type == "z") {
    for_each_text<std::int32_t>(slice, visit);
    return true;
  }
  if (type == "U" || type == "Z") {
    for_each_text<std::int64_t>(slice, visit);
    return true;
  }
  if (type == "vu" || type == "vz") {
    for_each_text_view(slice, visit);
    return true;
  }
  if (type.starts_with("w:")) {
    for_each_fixed(slice, type, visit);
    return true;
  }
  const auto shown = [&](auto text_of) {
    for (std::int64_t row = 0; row < slice.length; ++row) {
      const std::string text = slice.valid(row) ? text_of(row) : std::string();
      visit(row, slice.valid(row) ? std::optional<std::string_view>(text) : std::nullopt);
    }
  };
  if (type == "n") {
    for (std::int64_t row = 0; row < slice.length; ++row) {
      visit(row, std::optional<std::string_view>());
    }
    return true;
  }
  if (type == "b") {
    const auto* const bits = static_cast<const std::uint8_t*>(slice.buffer(1));
    shown([&](std::int64_t row) { return bit(bits, slice.offset + row) ? "true" : "false"; });
    return true;
  }
  if (const auto decimal = DecimalType::in(type)) {
    const auto* const data = slice.bytes(decimal->bytes);
    shown([&](std::int64_t row) {
      return decimal->text(data + static_cast<std::size_t>(row) * decimal->bytes);
    });
    return true;
  }
  if (const auto time = TimeType::in(type)) {
    if (time->bytes == 4) {
      const auto values = slice.values<std::int32_t>();
      shown([&](std::int64_t row) { return time->text(values[static_cast<std::size_t>(row)]); });
    } else {
      const auto values = slice.values<std::int64_t>();
      shown([&](std::int64_t row) { return time->text(values[static_cast<std::size_t>(row)]); });
    }
    return true;
  }
  return type.size() == 1 && with_integer_type(type[0], [&](auto* null) {
           const auto values = slice.values<std::decay_t<decltype(*null)>>();
           shown([&](std::int64_t row) {
             return std::to_string(values[static_cast<std::size_t>(row)]);
           });
         });
}

// The same for a column, or for its dictionary; for other types an error that names them.
template <class Visit>
void for_each_named(const arrow::Schema& column, const Slice& slice, const std::string& name,
                    Visit visit) {
  const arrow::Schema& type = column.dictionary ? *column.dictionary : column;
  const bool binary = is_binary(type.format);
  const bool known = for_each_value(
      type.format, slice, [&](std::int64_t row, const std::optional<std::string_view>& text) {
        if (binary && text) refuse_other_bytes(*text, name);
        visit(row, text);
      });
  if (known) return;
  const bool runs = std::string_view(type.format) == "+r";
  throw nb::type_error(fmt::format("{}: values of the Arrow type {} have no text of their own; {}",
                                   name, name_of_type(column),
                                   runs ? "decode them first" : "make texts of them first")
                           .c_str());
}

}  // namespace evenhand::python
