// Text into terms, and back.
#include <evenhand/requirement.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "requirement/lexer.h"
#include "requirement/measures.h"

namespace evenhand {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  Requirement parse() {
    if (starts_word("for")) out_.each = quantifier();
    if (starts_word("abs")) {
      absolute();
    } else {
      sum(1);
      out_.sense = comparison();
      sum(-1);
    }
    check_end();
    std::erase_if(terms_, [](const RequirementTerm& term) { return term.factor == 0; });
    out_.terms = std::move(terms_);
    out_.bound = bound_;
    check_sums();
    check_kinds();
    out_.text = without_trailing_space(in_.text());
    return std::move(out_);
  }

 private:
  // A whole word, not the start of a longer one.
  bool starts_word(std::string_view word) const {
    if (!in_.next(word)) return false;
    Lexer ahead = in_;
    return ahead.name() == word;
  }

  std::vector<std::string> quantifier() {
    in_.name();
    if (!starts_word("each")) in_.fail("'each'", in_.at());
    in_.name();
    std::vector<std::string> attributes;
    do {
      const std::size_t at = in_.at();
      attributes.push_back(in_.word("an attribute"));
      if (std::count(attributes.begin(), attributes.end(), attributes.back()) > 1) {
        in_.fail("another attribute", at);
      }
    } while (in_.accept(","));
    if (!in_.accept(":")) {
      in_.fail("',' or ':'", in_.at(), "; write: for each COLUMN: REQUIREMENT");
    }
    return attributes;
  }

  // abs(sum) <= number: |terms - bound| <= margin.
  void absolute() {
    in_.name();
    if (!in_.accept("(")) in_.fail("'('", in_.at());
    sum(1);
    if (!in_.accept(")")) in_.fail("'+', '-' or ')'", in_.at());
    const std::size_t at = in_.at();
    if (!in_.accept_at_most()) {
      in_.fail("'<='", at, "; a distance can only be limited from above");
    }
    out_.absolute = true;
    const bool negative = in_.accept_minus();
    if (!in_.starts_number()) in_.fail("a number", in_.at());
    out_.margin = negative ? -in_.number() : in_.number();
  }

  // Both sides add to the same terms and bound; `side` is -1 on the right one.
  void sum(double side) {
    double sign = in_.accept_minus() ? -side : side;
    if (sign == side) in_.accept("+");
    for (;;) {
      item(sign);
      if (in_.accept("+")) {
        sign = side;
      } else if (in_.accept_minus()) {
        sign = -side;
      } else {
        return;
      }
    }
  }

  void item(double sign) {
    if (in_.starts_number()) {
      const double value = in_.number();
      if (in_.accept("*")) {
        add(atom("a rate"), sign * value);
      } else {
        if (in_.starts_name()) in_.fail("'*'", in_.at());
        bound_ -= sign * value;
      }
      return;
    }
    Atom found = atom("a number or a rate");
    const double factor = in_.accept("*") ? in_.number() : 1;
    add(std::move(found), sign * factor);
  }

  struct Atom {
    RequirementTerm term;
    bool complement;
  };

  Atom atom(std::string_view expected) {
    if (!in_.starts_name()) in_.fail(expected, in_.at());
    if (!starts_word("base")) return measure(expected);
    in_.name();
    if (!in_.accept("(")) in_.fail("'('", in_.at());
    if (!in_.starts_name()) in_.fail("a rate", in_.at());
    Atom out = measure("a rate");
    if (!in_.accept(")")) in_.fail("')'", in_.at());
    out.term.base = true;
    return out;
  }

  Atom measure(std::string_view expected) {
    const std::size_t begin = in_.at();
    const std::string_view name = in_.name();
    const auto named = measure_named(name);
    if (!named) {
      in_.fail(fmt::format("{}one of {}", expected == "a rate" ? "" : "a number or ",
                           measures_to_choose_from()),
               begin, in_lower_case(name));
    }
    Atom out{{1, named->measure, conditions(), false}, named->complement};
    if (named->measure == Measure::share && out.term.conditions.empty()) {
      in_.fail("'['", in_.at(), "; say whose share of the selected, as in share[sex=F]");
    }
    return out;
  }

  // Another name might be another quantity, so that nothing else is suggested.
  static std::string in_lower_case(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower != name && measure_named(lower) ? fmt::format("; did you mean '{}'?", lower) : "";
  }

  void add(Atom found, double factor) {
    if (found.complement) {
      bound_ -= factor;
      factor = -factor;
    }
    const auto [known, is_new] = known_.try_emplace(text_of(found.term), terms_.size());
    if (is_new) {
      found.term.factor = factor;
      terms_.push_back(std::move(found.term));
    } else {
      terms_[known->second].factor += factor;
    }
  }

  Sense comparison() {
    const std::size_t begin = in_.at();
    if (in_.accept_at_most()) return Sense::at_most;
    if (in_.accept_at_least()) return Sense::at_least;
    for (const auto& [written, meant] :
         {std::pair{"=<", "<="}, {"=>", ">="}, {"<", "<="}, {">", ">="}}) {
      if (!in_.accept(written)) continue;
      in_.fail(fmt::format("'{}'", meant), begin,
               fmt::format("; write '{}' instead of '{}'", meant, written));
    }
    if (in_.accept("==") || in_.accept("=")) return Sense::equal;
    in_.fail("'+', '-', '<=', '>=' or '='", in_.at());
  }

  void check_end() const {
    if (in_.at_end()) return;
    if (!in_.next_comparison()) {
      in_.fail(out_.absolute ? "the end" : "'+', '-' or the end", in_.at());
    }
    in_.fail("the end", in_.at(), "; a requirement has one comparison: write two requirements");
  }

  [[noreturn]] void refuse(std::string_view before, std::string_view after = "") const {
    throw std::invalid_argument(fmt::format("{}'{}'{}", before, in_.excerpt(40), after));
  }

  void check_sums() const {
    const auto is_finite = [](const auto& term) { return std::isfinite(term.factor); };
    if (!std::isfinite(out_.bound) ||
        !std::all_of(out_.terms.begin(), out_.terms.end(), is_finite)) {
      refuse("the numbers of ", " add up to one that is too large");
    }
    const auto is_base = [](const auto& term) { return term.base; };
    if (!std::all_of(out_.terms.begin(), out_.terms.end(), is_base)) return;
    const std::string_view why = known_.empty()       ? "name one, such as rate, tpr or fpr"
                                 : out_.terms.empty() ? "its rates cancel out"
                                                      : "no rule changes the base decisions";
    refuse("", fmt::format(" says nothing about any rate: {}", why));
  }

  void check_kinds() const {
    std::size_t free = 0;
    const RequirementTerm* ratio = nullptr;
    for (const RequirementTerm& term : out_.terms) {
      for (const std::string& attribute : out_.each) {
        const auto is_it = [&](const Condition& c) { return c.attribute == attribute; };
        if (std::none_of(term.conditions.begin(), term.conditions.end(), is_it)) continue;
        refuse(fmt::format("the attribute {} comes after 'for each' and in brackets in ",
                           quoted_if_needed(attribute, shown_bytes)));
      }
      if (term.base) continue;
      ++free;
      if (is_ratio(term.measure)) ratio = &term;
    }
    if (ratio && free > 1) {
      refuse(fmt::format("{} must stand alone against a constant, not beside another rate, in ",
                         to_string(ratio->measure)));
    }
  }

  std::vector<Condition> conditions() {
    if (!in_.accept("[")) return {};
    if (in_.next(']')) {
      in_.fail("an attribute", in_.at(), "; leave out the brackets to mean everyone");
    }
    std::vector<Condition> out;
    do {
      out.push_back(condition());
    } while (in_.accept(","));
    if (!in_.accept("]")) {
      in_.fail("',' or ']'", in_.at(),
               in_.at_end() ? "" : "; put words with spaces or signs in double quotes");
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
                    in_.excerpt(in_.byte_of_character(again))));
  }

  Condition condition() {
    Condition out;
    out.attribute_at = in_.next_character_number();
    out.attribute = in_.word("an attribute");
    if (!in_.accept("=")) in_.fail("'='", in_.at());
    out.value_at = in_.next_character_number();
    out.value = in_.word("a value");
    return out;
  }

  Lexer in_;
  Requirement out_;
  std::vector<RequirementTerm> terms_;
  std::unordered_map<std::string, std::size_t> known_;  // where a term's text stands in terms_
  double bound_ = 0;
};

std::string_view sense_text(Sense sense) noexcept {
  if (sense == Sense::at_most) return "<=";
  return sense == Sense::equal ? "=" : ">=";
}

std::string signed_number(double value) {
  return fmt::format(" {} {}", value < 0 ? '-' : '+', shortest(std::abs(value)));
}

}  // namespace

Requirement parse_requirement(std::string_view text) {
  check_text(text);
  return Parser(without_leading_space(text)).parse();
}

std::string to_string(const Requirement& requirement) {
  std::string out;
  for (const RequirementTerm& term : requirement.terms) {
    const bool is_negative = term.factor < 0;
    if (out.empty()) {
      out += is_negative ? "-" : "";
    } else {
      out += is_negative ? " - " : " + ";
    }
    const double factor = std::abs(term.factor);
    if (factor != 1) out += shortest(factor) + " * ";
    out += text_of(term);
  }
  if (requirement.absolute) {
    if (requirement.bound != 0) out += signed_number(-requirement.bound);
    out = fmt::format("abs({}) <= {}", out, shortest(requirement.margin + 0.0));
  } else {
    // + 0.0 makes a 0 of a -0.
    out += fmt::format(" {} {}", sense_text(requirement.sense), shortest(requirement.bound + 0.0));
  }
  if (requirement.each.empty()) return out;
  std::string attributes;
  for (const std::string& name : requirement.each) {
    attributes += (attributes.empty() ? "" : ", ") + quoted_if_needed(name);
  }
  return fmt::format("for each {}: {}", attributes, out);
}

}  // namespace evenhand
