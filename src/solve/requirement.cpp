#include <evenhand/requirement.h>
#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace evenhand {
namespace {

constexpr std::size_t longest_text = 65536;  // bytes
constexpr std::size_t shown_around = 40;     // bytes on each side of the place, of longer texts
constexpr std::size_t shown_bytes = 60;      // of a word in error messages

constexpr std::array<std::string_view, 3> rate_names{"rate", "tpr", "fpr"};  // in Rate's order

// What other tools call these rates.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> other_names{
    {{"selection", "rate"},
     {"selection_rate", "rate"},
     {"positive_rate", "rate"},
     {"true_positive_rate", "tpr"},
     {"recall", "tpr"},
     {"sensitivity", "tpr"},
     {"false_positive_rate", "fpr"},
     {"fnr", "1 - tpr"},
     {"false_negative_rate", "1 - tpr"},
     {"tnr", "1 - fpr"},
     {"specificity", "1 - fpr"}}};

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

std::string_view without_leading_space(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view without_trailing_space(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The text around the byte `at`, on one line.
std::string excerpt(std::string_view text, std::size_t at) {
  const bool is_short = text.size() <= 2 * shown_around;
  std::size_t begin = is_short || at <= shown_around ? 0 : at - shown_around;
  std::size_t end = is_short ? text.size() : std::min(text.size(), at + shown_around);
  while (begin > 0 && begin < text.size() && continues_character(text[begin])) --begin;
  while (end < text.size() && continues_character(text[end])) ++end;
  std::string out = begin > 0 ? "..." : "";
  out += printable(text.substr(begin, end - begin));
  return end < text.size() ? out + "..." : out;
}

void append_utf8(std::string& out, unsigned code) {
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  const auto continuation = [&](unsigned shift) { byte(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    continuation(0);
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    continuation(6);
    continuation(0);
  } else {
    byte(0xF0U | (code >> 18U));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

// `10` to `0.1`, without the rounding of a division where there is no exponent.
double percent(std::string_view number, double value) {
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

std::string rate_text(const RateTerm& term) {
  std::string out(rate_names.at(static_cast<std::size_t>(term.rate)));
  for (std::size_t i = 0; i < term.conditions.size(); ++i) {
    const Condition& condition = term.conditions[i];
    out += fmt::format("{}{}={}", i ? ", " : "[", quoted_if_needed(condition.attribute),
                       quoted_if_needed(condition.value));
  }
  return term.conditions.empty() ? out : out + ']';
}

// Reads from left to right without going back. Between two of its functions the place is at the
// start of a token: whoever reads a token skips the white space behind it.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Requirement parse() {
    Requirement out;
    sum(1);
    out.sense = comparison();
    sum(-1);
    check_end();
    std::erase_if(terms_, [](const RateTerm& term) { return term.factor == 0; });
    check_sums();
    out.terms = std::move(terms_);
    out.bound = bound_;
    out.text = without_trailing_space(text_);
    return out;
  }

 private:
  // Both sides add to the same terms and bound; `side` is -1 on the right one.
  void sum(double side) {
    double sign = accept_minus() ? -side : side;
    if (sign == side) accept("+");
    for (;;) {
      item(sign);
      if (accept("+")) {
        sign = side;
      } else if (accept_minus()) {
        sign = -side;
      } else {
        return;
      }
    }
  }

  void item(double sign) {
    if (starts_number()) {
      const double value = number();
      if (accept("*")) {
        add(rate("a rate"), sign * value);
      } else {
        if (starts_name()) fail("'*'", at_);
        bound_ -= sign * value;
      }
      return;
    }
    RateTerm term = rate("a number or a rate");
    const double factor = accept("*") ? number() : 1;
    add(std::move(term), sign * factor);
  }

  void add(RateTerm term, double factor) {
    const auto [known, is_new] = known_.try_emplace(rate_text(term), terms_.size());
    if (is_new) {
      term.factor = factor;
      terms_.push_back(std::move(term));
    } else {
      terms_[known->second].factor += factor;
    }
  }

  Sense comparison() {
    const std::size_t begin = at_;
    if (accept("<=") || accept(less_equal_sign)) return Sense::at_most;
    if (accept(">=") || accept(greater_equal_sign)) return Sense::at_least;
    for (const auto& [written, meant] :
         {std::pair{"=<", "<="}, {"=>", ">="}, {"<", "<="}, {">", ">="}}) {
      if (!accept(written)) continue;
      fail(fmt::format("'{}'", meant), begin,
           fmt::format("; write '{}' instead of '{}'", meant, written));
    }
    if (accept("==") || accept("=")) return Sense::equal;
    fail("'+', '-', '<=', '>=' or '='", at_);
  }

  void check_end() const {
    if (at_end()) return;
    const bool is_comparison =
        next('<') || next('=') || next('>') || next(less_equal_sign) || next(greater_equal_sign);
    if (!is_comparison) fail("'+', '-' or the end", at_);
    fail("the end", at_, "; a requirement has one comparison: write two requirements");
  }

  void check_sums() const {
    const auto is_finite = [](const RateTerm& term) { return std::isfinite(term.factor); };
    if (!std::isfinite(bound_) || !std::all_of(terms_.begin(), terms_.end(), is_finite)) {
      throw std::invalid_argument(fmt::format("the numbers of '{}' add up to one that is too large",
                                              excerpt(text_, shown_around)));
    }
    if (terms_.empty()) {
      throw std::invalid_argument(
          fmt::format("'{}' says nothing about any rate: {}", excerpt(text_, shown_around),
                      known_.empty() ? "name one of rate, tpr or fpr" : "its rates cancel out"));
    }
  }

  double number() {
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
           fmt::format("; write {} instead of {}%", shortest(percent(written, value)),
                       quoted_if_needed(written, shown_bytes)));
    }
    return value;
  }

  RateTerm rate(std::string_view expected) {
    if (!starts_name()) fail(expected, at_);
    const std::size_t begin = at_;
    while (!at_end() && (is_digit(text_[at_]) || starts_name())) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const auto found = std::find(rate_names.begin(), rate_names.end(), name);
    if (found == rate_names.end()) {
      fail(expected == "a rate" ? "rate, tpr or fpr" : "a number or one of rate, tpr and fpr",
           begin, meant_rate(name));
    }
    skip_space();
    return {1, static_cast<Rate>(found - rate_names.begin()), conditions()};
  }

  static std::string meant_rate(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    for (const auto& [other, ours] : other_names) {
      if (lower == other) return fmt::format("; did you mean '{}'?", ours);
    }
    return suggestion(lower, std::vector<std::string>(rate_names.begin(), rate_names.end()));
  }

  std::vector<Condition> conditions() {
    if (!accept("[")) return {};
    if (next(']')) fail("an attribute", at_, "; leave out the brackets to mean everyone");
    std::vector<Condition> out;
    do {
      out.push_back(condition());
    } while (accept(","));
    if (!accept("]")) {
      fail("',' or ']'", at_, at_end() ? "" : "; put words with spaces or signs in double quotes");
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.attribute < b.attribute; });
    const auto twice = std::adjacent_find(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return a.attribute == b.attribute;
    });
    if (twice == out.end()) return out;
    const std::size_t again = std::next(twice)->attribute_at;
    throw std::invalid_argument(
        fmt::format("the attribute {} comes twice in one bracket, again at character {} of '{}'",
                    quoted_if_needed(twice->attribute, shown_bytes), again,
                    excerpt(text_, byte_of_character(again))));
  }

  Condition condition() {
    Condition out;
    out.attribute_at = next_character_number();
    out.attribute = word("an attribute");
    if (!accept("=")) fail("'='", at_);
    out.value_at = next_character_number();
    out.value = word("a value");
    return out;
  }

  std::string word(std::string_view expected) {
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

  std::string quoted_word() {
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

  unsigned escaped() {
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

  unsigned escaped_code(std::size_t begin) {
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
  unsigned hexadecimal(std::size_t begin) {
    const std::string_view digits = text_.substr(at_ + 1, 4);
    unsigned out = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (digits.size() < 4 || error != std::errc{} || stop != digits.data() + 4) {
      fail("\\u and four hexadecimal digits", begin);
    }
    at_ += 5;
    return out;
  }

  bool at_end() const noexcept { return at_ == text_.size(); }
  bool next(char c) const noexcept { return !at_end() && text_[at_] == c; }
  bool next(std::string_view token) const noexcept {
    return text_.substr(at_, token.size()) == token;
  }
  bool starts_number() const noexcept {
    return !at_end() && (is_digit(text_[at_]) || text_[at_] == '.');
  }
  bool starts_name() const noexcept {
    if (at_end() || !is_letter(text_[at_])) return false;
    const auto signs = {less_equal_sign, greater_equal_sign, minus_sign, en_dash};
    return std::none_of(signs.begin(), signs.end(), [&](auto sign) { return next(sign); });
  }
  bool accept_minus() { return accept("-") || accept(minus_sign) || accept(en_dash); }
  bool accept(std::string_view token) {
    if (!next(token)) return false;
    at_ += token.size();
    skip_space();
    return true;
  }
  void skip_space() {
    while (!at_end() && is_space(text_[at_])) ++at_;
  }

  // Counts on from the last call, so that all calls together take one pass.
  std::size_t next_character_number() {
    for (; counted_ < at_; ++counted_) {
      if (!continues_character(text_[counted_])) ++characters_;
    }
    return characters_ + 1;
  }

  std::size_t byte_of_character(std::size_t number) const noexcept {
    std::size_t at = 0;
    for (std::size_t seen = 0; at < text_.size(); ++at) {
      if (!continues_character(text_[at]) && ++seen == number) break;
    }
    return at;
  }

  [[noreturn]] void fail(std::string_view expected, std::size_t at,
                         std::string_view hint = "") const {
    const std::string_view before = text_.substr(0, at);
    const auto number =
        1 + before.size() -
        static_cast<std::size_t>(std::count_if(before.begin(), before.end(), continues_character));
    throw std::invalid_argument(fmt::format("expected {} at character {} of '{}'{}", expected,
                                            number, excerpt(text_, at), hint));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;     // bytes
  std::size_t characters_ = 0;  // in these bytes
  std::vector<RateTerm> terms_;
  std::unordered_map<std::string, std::size_t> known_;  // where a rate's text stands in terms_
  double bound_ = 0;
};

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

std::string_view sense_text(Sense sense) noexcept {
  if (sense == Sense::at_most) return "<=";
  return sense == Sense::equal ? "=" : ">=";
}

}  // namespace

Requirement parse_requirement(std::string_view text) {
  check_text(text);
  return Parser(without_leading_space(text)).parse();
}

std::string to_string(const Requirement& requirement) {
  std::string out;
  for (const RateTerm& term : requirement.terms) {
    const bool is_negative = term.factor < 0;
    if (out.empty()) {
      out += is_negative ? "-" : "";
    } else {
      out += is_negative ? " - " : " + ";
    }
    const double factor = std::abs(term.factor);
    if (factor != 1) out += shortest(factor) + " * ";
    out += rate_text(term);
  }
  // + 0.0 makes a 0 of a -0.
  return fmt::format("{} {} {}", out, sense_text(requirement.sense),
                     shortest(requirement.bound + 0.0));
}

}  // namespace evenhand
