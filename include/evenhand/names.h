// Everything that people choose by name, in one table: the library reads and writes these names,
// and the help, the completion and the checks of the tool and of Python come from here. Criteria
// have a table of their own (criterion.h).
#pragma once

#include <evenhand/calibrator.h>
#include <evenhand/confidence.h>
#include <evenhand/criterion.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>
#include <evenhand/sgd.h>
#include <evenhand/solve.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace evenhand {

template <class Value>
struct Name {
  Value value;
  std::string_view name;
  std::string_view help;  // a few words
};
template <class Value>
Name(Value, std::string_view, std::string_view) -> Name<Value>;  // for compilers before C++20's own

// clang-format off
inline constexpr std::array scale_names = {
    Name{Scale::probability, "probability", "0 to 1"},
    Name{Scale::signed_, "signed", "-1 to 1"},
    Name{Scale::logit, "logit", "log odds"},
    Name{Scale::raw, "raw", "any number, such as a margin, to be calibrated"},
};
inline constexpr std::array favorable_names = {
    Name{Favorable::high, "high", "a chance of success"},
    Name{Favorable::low, "low", "a risk"},
};
inline constexpr std::array calibration_names = {
    Name{Calibration::none, "none", "its scale"},
    Name{Calibration::isotonic, "isotonic", "shares of labels, pooled by isotonic regression"},
    Name{Calibration::platt, "platt", "a sigmoid of the score"},
    Name{Calibration::temperature, "temperature", "its logit, divided by one number"},
};
inline constexpr std::array calibrate_by_names = {
    Name{CalibrateBy::cell, "cell", "a curve for each cell"},
    Name{CalibrateBy::all, "all", "one curve for everybody"},
};
inline constexpr std::array across_names = {
    Name{Across::intersection, "intersection", "between their combinations"},
    Name{Across::marginal, "marginal", "for each column on its own"},
    Name{Across::both, "both", "both of these"},
};
inline constexpr std::array unseen_names = {
    Name{Unseen::error, "error", "stop, naming them"},
    Name{Unseen::score, "score", "by their scores' own benefit"},
    Name{Unseen::reject, "reject", "a negative decision"},
};
inline constexpr std::array solver_names = {
    Name{Solver::exact, "exact", "the best rule, with its proof"},
    Name{Solver::sgd, "sgd", "the paper's stochastic gradient descent"},
};
inline constexpr std::array lottery_names = {
    Name{Lottery::fewest, "fewest", "coins for as few people as the best rates allow"},
    Name{Lottery::least_chance, "least-chance", "as little chance as possible in all"},
    Name{Lottery::none, "none", "no coins: one threshold for each group"},
};
inline constexpr std::array bound_kind_names = {
    Name{BoundKind::same_rate, "same-rate", "where the criterion ties the rates"},
    Name{BoundKind::any, "any", "whatever the rule"},
    Name{BoundKind::dkw, "dkw", "whatever the rule: wider, proved for every size"},
};
inline constexpr std::array projection_names = {
    Name{Projection::corrected, "corrected", "a box that holds an optimum"},
    Name{Projection::paper, "paper", "as the paper prints it"},
};
// clang-format on

template <class Value, std::size_t count>
constexpr std::string_view name_in(const std::array<Name<Value>, count>& names,
                                   Value value) noexcept {
  for (const Name<Value>& each : names) {
    if (each.value == value) return each.name;
  }
  return {};
}

// Throws std::invalid_argument, "there is no scale 'percent': choose probability, ... or raw".
[[noreturn]] void throw_unknown_name(std::string_view option, std::string_view name,
                                     std::span<const std::string_view> known);

template <class Value, std::size_t count>
Value value_in(const std::array<Name<Value>, count>& names, std::string_view option,
               std::string_view name) {
  std::vector<std::string_view> known;
  for (const Name<Value>& each : names) {
    if (each.name == name) return each.value;
    known.push_back(each.name);
  }
  throw_unknown_name(option, name, known);
}

// "a, b or c"
std::string listed(std::span<const std::string_view> words);

// The same for front ends, by option.
struct Choice {
  std::string_view name, help;
};
struct Choices {
  std::string_view option;  // "calibrate-by"
  std::vector<Choice> choices;

  std::vector<std::string_view> names() const;
  std::string text() const;  // "cell (a curve for each cell) or all (one curve for everybody)"
};
const std::vector<Choices>& all_choices();
// Throws std::out_of_range for an option that has none.
const Choices& choices_of(std::string_view option);

}  // namespace evenhand
