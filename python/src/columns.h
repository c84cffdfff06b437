// Columns of Python callers, in a form that the library takes.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/column.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
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

// Gives each text a number, in the order of first appearance. Most come again soon: those are
// compared by words. Groups come in any order, so that no processor foresees the lengths of their
// texts: where the bytes behind a text may be read, nothing depends on its length but offsets and
// masks.
class Dictionary {
 public:
  std::uint32_t code_of(std::string_view text) {
    const bool inside = reinterpret_cast<std::uintptr_t>(text.data()) - begin_ < words_;
    const bool words = inside | (text.size() >= word);
    return code_of(text, words ? ends_of(text, text.data()) : ends_of_short(text));
  }
  // The same where the eight bytes before the text may be read.
  std::uint32_t code_behind_header(std::string_view text) {
    return code_of(text, ends_of(text, text.data() - (word - size_up_to(word, text))));
  }
  // Texts that follow lie in this memory, all of which may be read, or elsewhere.
  void lie_in(const void* begin, const void* end) {
    begin_ = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t size = reinterpret_cast<std::uintptr_t>(end) - begin_;
    words_ = size - std::min<std::uintptr_t>(size, word - 1);
  }
  // Eight bytes may be read where each text that follows begins.
  void lie_in_words() {
    begin_ = 0;
    words_ = std::numeric_limits<std::uintptr_t>::max();
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  // The first sixteen bytes of a text and the last, eight at a time: all of one of at most 32. Of
  // one of at most eight bytes only the first word is not 0.
  struct Ends {
    std::uint64_t first = 0, second = 0, last_but_one = 0, last = 0;
  };
  static constexpr std::size_t all_in_ends = 32;
  static constexpr std::size_t word = 8;
  struct Recent {
    std::size_t size = std::string_view::npos;
    Ends ends = {};
    std::uint32_t code = 0;
  };
  template <class Word>
  static std::uint64_t word_at(const char* bytes) {
    Word out = 0;
    std::memcpy(&out, bytes, sizeof out);
    return out;
  }
  // The smaller one, told by a sign: of comparisons compilers make jumps.
  static std::size_t size_up_to(std::size_t most, std::string_view text) {
    const auto over = static_cast<std::int64_t>(text.size() - most);
    return most + static_cast<std::size_t>(over & (over >> 63U));
  }
  // The words from `first` on may be read: the text, or before it as many bytes as it lacks.
  static Ends ends_of(std::string_view text, const char* first) {
    const std::size_t one = size_up_to(word, text);
    const std::size_t two = size_up_to(2 * word, text);
    const std::size_t lacking = 4 * (word - one);  // half of the bits
    const std::size_t before = 4 * static_cast<std::size_t>(text.data() - first);
    const std::uint64_t others =
        ~static_cast<std::uint64_t>((static_cast<std::int64_t>(text.size() - word) - 1) >> 63U);
    return {(word_at<std::uint64_t>(first) >> before >> before) &
                (~std::uint64_t{0} >> lacking >> lacking),
            word_at<std::uint64_t>(first + (two - one)) & others,
            word_at<std::uint64_t>(first + (text.size() - two)) & others,
            word_at<std::uint64_t>(first + (text.size() - one)) & others};
  }
  std::uint32_t code_of(std::string_view text, const Ends& ends) {
    const std::uint64_t hash = (ends.first ^ (ends.last << 1U) ^ text.size()) * 0x9E3779B97F4A7C15U;
    Recent& recent = recent_[hash >> 56U];
    const std::uint64_t differ = (recent.size ^ text.size()) | (recent.ends.first ^ ends.first) |
                                 (recent.ends.second ^ ends.second) |
                                 (recent.ends.last_but_one ^ ends.last_but_one) |
                                 (recent.ends.last ^ ends.last);
    const bool again = differ == 0 && (text.size() <= all_in_ends || texts_[recent.code] == text);
    return again ? recent.code : learn(text, ends, recent);
  }
  static Ends ends_of_short(std::string_view text);  // of fewer than eight bytes
  std::uint32_t learn(std::string_view text, const Ends& ends, Recent& recent);

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> known_;
  std::vector<std::string> texts_;
  std::array<Recent, 256> recent_{};
  std::uintptr_t begin_ = 0;
  std::uintptr_t words_ = 0;  // eight bytes may be read from so many places on
};

// The cells of the attributes' rows; without attributes one cell, "everyone", of `rows` rows.
Cells cells_of(const std::vector<const AttributeColumn*>& attributes, std::size_t rows);
BorrowedCells borrowed_cells_of(const std::vector<const AttributeColumn*>& attributes,
                                std::size_t rows);

void bind_columns(nb::module_& m);
void bind_values(nb::module_& m);
void bind_arrow(nb::module_& m);

}  // namespace evenhand::python
