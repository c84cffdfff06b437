// Columns of Python callers, in a form that the library takes.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/column.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

namespace evenhand::python {

namespace nb = nanobind;

// The memory of a Python object, for as long as this lives.
class Buffer {
 public:
  explicit Buffer(nb::handle object);  // C-contiguous; throws what Python has against it
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  char kind() const noexcept { return kind_; }  // a letter of the struct module
  std::size_t item_size() const noexcept { return static_cast<std::size_t>(view_.itemsize); }
  std::size_t size() const noexcept { return item_size() == 0 ? 0 : bytes() / item_size(); }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(view_.len); }
  std::size_t rows() const noexcept { return static_cast<std::size_t>(view_.shape[0]); }

  template <class T>
  std::span<const T> as() const noexcept {
    return {static_cast<const T*>(view_.buf), bytes() / sizeof(T)};
  }

 private:
  Py_buffer view_{};
  char kind_ = 'B';
};

// Calls `take` with the buffer as a span of its own type of whole numbers or booleans; false if it
// has another type.
template <class Take>
bool with_integers(const Buffer& buffer, Take take) {
  const std::string_view with_sign = "bhilqn";
  const std::string_view without = "BHILQN?";
  const bool is_signed = with_sign.find(buffer.kind()) != std::string_view::npos;
  if (!is_signed && without.find(buffer.kind()) == std::string_view::npos) return false;
  switch (buffer.item_size()) {
    case 1:
      is_signed ? take(buffer.as<std::int8_t>()) : take(buffer.as<std::uint8_t>());
      break;
    case 2:
      is_signed ? take(buffer.as<std::int16_t>()) : take(buffer.as<std::uint16_t>());
      break;
    case 4:
      is_signed ? take(buffer.as<std::int32_t>()) : take(buffer.as<std::uint32_t>());
      break;
    default:
      is_signed ? take(buffer.as<std::int64_t>()) : take(buffer.as<std::uint64_t>());
  }
  return true;
}

// Numbers where they are, or converted. Made and ended under Python's lock.
struct NumberColumn {
  std::string name;  // for messages
  Numbers values;
  std::shared_ptr<const void> owner;

  static NumberColumn of(std::string name, std::vector<double> converted);

  // Doubles, converted if need be.
  std::span<const double> doubles(std::vector<double>& room) const;

  // Throws std::invalid_argument if some are NaN: how many, and which is the first.
  void refuse_missing() const;
};

NumberColumn numbers_in(nb::handle array, std::string name);

// Throws std::invalid_argument: "sex has 3 missing values, the first in row 5".
[[noreturn]] void throw_missing(std::string_view name, std::size_t count, std::size_t first);

// Missing values, counted while a column is read.
class Missing {
 public:
  void see(std::size_t row) {
    if (count_++ == 0) first_ = row;
  }
  std::size_t count() const noexcept { return count_; }
  void refuse(std::string_view name) const {
    if (count_ > 0) throw_missing(name, count_, first_);
  }

 private:
  std::size_t count_ = 0;
  std::size_t first_ = 0;
};

// One attribute of every row: row i has the value dictionary[codes[i]], or none, `missing_code`,
// until somebody refuses, names or leaves out what is missing.
struct AttributeColumn {
  std::string name;
  std::vector<std::uint32_t> codes;
  std::vector<std::string> dictionary;
  Missing missing = {};

  Attribute view() const { return {name, {}, codes, dictionary}; }
  void refuse_missing() const { missing.refuse(name); }
  void name_missing(const std::string& text);
};
inline constexpr std::uint32_t missing_code = std::numeric_limits<std::uint32_t>::max();

// A text of every row, such as an id, which hardly ever comes twice.
class TextColumn {
 public:
  explicit TextColumn(std::string name, std::size_t rows = 0) : name_(std::move(name)) {
    ends_.reserve(rows);
  }
  void add(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    ends_.push_back(bytes_.size());
  }
  const std::string& name() const noexcept { return name_; }
  std::size_t size() const noexcept { return ends_.size(); }
  std::vector<std::string_view> views() const;  // for as long as this lives and nothing is added

 private:
  std::string name_;
  std::vector<char> bytes_;  // of all texts: a million of them are one piece of memory
  std::vector<std::size_t> ends_;
};

// Gives each text a number, in the order of first appearance.
class Dictionary {
 public:
  std::uint32_t code_of(std::string_view text);
  // Texts that follow lie in this memory, all of which may be read, or elsewhere.
  void lie_in(const void* begin, const void* end) {
    begin_ = static_cast<const char*>(begin);
    end_ = static_cast<const char*>(end);
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  // Most texts come again soon. How one of at most 16 bytes begins and ends is all of it.
  struct Recent {
    std::size_t size = std::string_view::npos;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t code = 0;
  };
  std::pair<std::uint64_t, std::uint64_t> both_ends(std::string_view text) const;
  std::uint32_t find(std::string_view text);

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> known_;
  std::vector<std::string> texts_;
  std::array<Recent, 256> recent_{};
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

// The cells of the attributes' rows; without attributes one cell, "everyone", of `rows` rows.
Cells cells_of(const std::vector<const AttributeColumn*>& attributes, std::size_t rows);
BorrowedCells borrowed_cells_of(const std::vector<const AttributeColumn*>& attributes,
                                std::size_t rows);

void bind_columns(nb::module_& m);
void bind_values(nb::module_& m);
void bind_arrow(nb::module_& m);

}  // namespace evenhand::python
