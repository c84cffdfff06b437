// The tokens of a requirement, and messages that point at them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evenhand {

inline constexpr std::size_t shown_bytes = 60;  // of a word in error messages

// Reads from left to right without going back. Between two calls the place is at the start of a
// token: whoever reads a token skips the white space behind it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::string_view text() const noexcept { return text_; }
  std::size_t at() const noexcept { return at_; }  // byte
  bool at_end() const noexcept { return at_ == text_.size(); }
  bool next(char c) const noexcept { return !at_end() && text_[at_] == c; }
  bool next(std::string_view token) const noexcept {
    return text_.substr(at_, token.size()) == token;
  }
  bool next_comparison() const noexcept;
  bool starts_number() const noexcept;
  bool starts_name() const noexcept;

  bool accept(std::string_view token);
  bool accept_minus();
  bool accept_at_most();
  bool accept_at_least();
  double number();
  std::string_view name();                      // letters, digits, _; the place must start one
  std::string word(std::string_view expected);  // plain or quoted

  // Characters from 1. Counts on from the last call, so that all calls together take one pass.
  std::size_t next_character_number();
  std::size_t byte_of_character(std::size_t number) const noexcept;

  // The text around the byte `at`, on one line.
  std::string excerpt(std::size_t at) const;
  // "expected {expected} at character {of the byte at} of '...'{hint}"
  [[noreturn]] void fail(std::string_view expected, std::size_t at,
                         std::string_view hint = "") const;

 private:
  void skip_space();
  std::string quoted_word();
  unsigned escaped();
  unsigned escaped_code(std::size_t begin);
  unsigned hexadecimal(std::size_t begin);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;     // bytes
  std::size_t characters_ = 0;  // in these bytes
};

// Throws std::invalid_argument for text that is too long or no UTF-8.
void check_text(std::string_view text);

std::string_view without_leading_space(std::string_view text) noexcept;
std::string_view without_trailing_space(std::string_view text) noexcept;

}  // namespace evenhand
