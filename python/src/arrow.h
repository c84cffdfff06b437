// The Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html): what any
// library that speaks Arrow hands over, without importing one.
#pragma once

#include <cstdint>
#include <utility>

namespace evenhand::python::arrow {

struct Schema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  Schema** children;
  Schema* dictionary;
  void (*release)(Schema*);
  void* private_data;
};

struct Array {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  Array** children;
  Array* dictionary;
  void (*release)(Array*);
  void* private_data;
};

struct Stream {
  int (*get_schema)(Stream*, Schema*);
  int (*get_next)(Stream*, Array*);
  const char* (*get_last_error)(Stream*);
  void (*release)(Stream*);
  void* private_data;
};

// Owns one of these: released exactly once, by whoever has it last.
template <class T>
class Owned {
 public:
  Owned() = default;
  // Moves it out of its producer's memory, which is marked as released.
  explicit Owned(T& from) : value_(from) { from.release = nullptr; }
  Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Owned() {
    if (value_.release) value_.release(&value_);
  }

  T* get() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }
  const T& operator*() const noexcept { return value_; }

 private:
  T value_{};
};

}  // namespace evenhand::python::arrow
