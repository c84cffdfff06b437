#include "requirement/lexer.h"

#include <evenhand/text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace evenhand {
namespace {

constexpr std::size_t longest_text = 65536;  // bytes
constexpr std::size_t shown_around = 40;     // bytes on each side of the place, of longer texts

constexpr std::string_view less_equal_sign = "\u2264";
constexpr std::string_view greater_equal_sign = "\u2265";
constexpr std::string_view minus_sign = "\u2212";
constexpr std::string_view en_dash = "\u2013";

// These are ASCII on purpose: the functions of <cctype> depend on the locale.
bool is_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_character(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

// `10` to `0.1`, without the rounding of a division where there is no exponent.
double of_percent(std::string_view number, double value) {
  const std::string shifted = fmt::format("{}e-2", number);
  const char* const end = shifted.data() + shifted.size();
  double out = 0;
  const auto [stop, error] = std::from_chars(shifted.data(), end, out);
  return error == std::errc{} && stop == end ? out : value / 100;
}

// A zero that is written as one; from_chars may or may not report what is too close to 0.
bool is_zero(std::string_view number) noexcept {
  const std::string_view digits = number.substr(0, number.find_first_of("eE"));
  return digits.find_first_of("123456789") == std::string_view::npos;
}

}  // namespace

void check_text(std::string_view text) {
  if (text.size() > longest_text) {
    throw std::invalid_argument(fmt::format("a requirement has at most {} bytes, not {}",
                                            with_commas(longest_text), with_commas(text.size())));
  }
  const std::size_t at = first_invalid_utf8(text);
  if (at == std::string_view::npos) return;
  throw std::invalid_argument(fmt::format(
      "a requirement is not valid UTF-8: byte 0x{:02X} at position {}; convert it first",
      static_cast<unsigned char>(text[at]), at));
}

std::string_view without_leading_space(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view without_trailing_space(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool Lexer::next_comparison() const noexcept {
  return next('<') || next('=') || next('>') || next(less_equal_sign) || next(greater_equal_sign);
}

bool Lexer::starts_number() const noexcept {
  return !at_end() && (is_digit(text_[at_]) || text_[at_] == '.');
}

bool Lexer::starts_name() const noexcept {
  if (at_end() || !is_letter(text_[at_])) return false;
  const auto signs = {less_equal_sign, greater_equal_sign, minus_sign, en_dash};
  return std::none_of(signs.begin(), signs.end(), [&](auto sign) { return next(sign); });
}

bool Lexer::accept(std::string_view token) {
  if (!next(token)) return false;
  at_ += token.size();
  skip_space();
  return true;
}

bool Lexer::accept_minus() {
  return accept("-") || accept(minus_sign) || accept(en_dash);
}

bool Lexer::accept_at_most() {
  return accept("<=") || accept(less_equal_sign);
}

bool Lexer::accept_at_least() {
  return accept(">=") || accept(greater_equal_sign);
}

void Lexer::skip_space() {
  while (!at_end() && is_space(text_[at_])) ++at_;
}

std::string_view Lexer::name() {
  const std::size_t begin = at_;
  while (!at_end() && (is_digit(text_[at_]) || starts_name())) ++at_;
  const std::string_view out = text_.substr(begin, at_ - begin);
  skip_space();
  return out;
}

double Lexer::number() {
  if (!starts_number()) fail("a number", at_);
  const std::size_t begin = at_;
  double value = 0;
  const auto [stop, error] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  // A dot alone is no number to from_chars.
  if (error == std::errc::invalid_argument) fail("a number", begin);
  const std::string_view written =
      text_.substr(at_, static_cast<std::size_t>(stop - text_.data()) - at_);
  if (error != std::errc{} || !std::isfinite(value) || (value == 0 && !is_zero(written))) {
    fail("a number that a double can hold", begin);
  }
  at_ += written.size();
  skip_space();
  if (next('%')) {
    fail("a number without '%'", begin,
         fmt::format("; write {} instead of {}%", shortest(of_percent(written, value)),
                     quoted_if_needed(written, shown_bytes)));
  }
  return value;
}

std::string Lexer::word(std::string_view expected) {
  if (next('"')) return quoted_word();
  const std::size_t begin = at_;
  while (!at_end() && is_plain(text_[at_])) ++at_;
  if (at_ == begin) {
    const bool is_plain_case = at_end() || next(']') || next(',') || next('=');
    fail(expected, at_, is_plain_case ? "" : "; put words with spaces or signs in double quotes");
  }
  const std::string_view out = text_.substr(begin, at_ - begin);
  skip_space();
  return std::string(out);
}

std::string Lexer::quoted_word() {
  std::string out;
  ++at_;
  while (!at_end() && !next('"')) {
    if (next('\\')) {
      append_utf8(out, escaped());
    } else if (static_cast<unsigned char>(text_[at_]) < 0x20) {
      fail("an escape such as \\n instead of a control character", at_);
    } else {
      out += text_[at_++];
    }
  }
  if (!accept("\"")) fail("'\"'", at_);
  return out;
}

unsigned Lexer::escaped() {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const std::size_t begin = at_++;
  if (!at_end()) {
    if (next('u')) return escaped_code(begin);
    const std::size_t found = names.find(text_[at_]);
    if (found != std::string_view::npos) {
      ++at_;
      return static_cast<unsigned char>(meanings[found]);
    }
  }
  fail(R"(one of \" \\ \/ \b \f \n \r \t \uXXXX)", begin);
}

unsigned Lexer::escaped_code(std::size_t begin) {
  const unsigned first = hexadecimal(begin);
  if (first < 0xD800 || first > 0xDFFF) return first;
  if (first <= 0xDBFF && next("\\u")) {
    ++at_;
    const unsigned second = hexadecimal(at_ - 1);
    if (second >= 0xDC00 && second <= 0xDFFF) {
      return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
    }
  }
  fail("a pair of surrogates, such as \\ud83d\\ude00,", begin);
}

// The XXXX of \uXXXX, where the place is at the u.
unsigned Lexer::hexadecimal(std::size_t begin) {
  const std::string_view digits = text_.substr(at_ + 1, 4);
  unsigned out = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  if (digits.size() < 4 || error != std::errc{} || stop != digits.data() + 4) {
    fail("\\u and four hexadecimal digits", begin);
  }
  at_ += 5;
  return out;
}

std::size_t Lexer::next_character_number() {
  for (; counted_ < at_; ++counted_) {
    if (!continues_character(text_[counted_])) ++characters_;
  }
  return characters_ + 1;
}

std::size_t Lexer::byte_of_character(std::size_t number) const noexcept {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text_.size(); ++at) {
    if (!continues_character(text_[at]) && ++seen == number) break;
  }
  return at;
}

void Lexer::fail(std::string_view expected, std::size_t at, std::string_view hint) const {
  const std::string_view before = text_.substr(0, at);
  const auto number =
      1 + before.size() -
      static_cast<std::size_t>(std::count_if(before.begin(), before.end(), continues_character));
  throw std::invalid_argument(
      fmt::format("expected {} at character {} of '{}'{}", expected, number, excerpt(at), hint));
}

std::string Lexer::excerpt(std::size_t at) const {
  const bool is_short = text_.size() <= 2 * shown_around;
  std::size_t begin = is_short || at <= shown_around ? 0 : at - shown_around;
  std::size_t end = is_short ? text_.size() : std::min(text_.size(), at + shown_around);
  while (begin > 0 && begin < text_.size() && continues_character(text_[begin])) --begin;
  while (end < text_.size() && continues_character(text_[end])) ++end;
  std::string out = begin > 0 ? "..." : "";
  out += printable(text_.substr(begin, end - begin));
  return end < text_.size() ? out + "..." : out;
}

}  // namespace evenhand
