// How a score is read, and what a decision is worth.
#pragma once

#include <string_view>

namespace evenhand {

// How to read a score as the probability p of the label 1.
enum class Scale {
  probability,  // p itself, in [0, 1]
  signed_,      // 2p - 1, in [-1, 1]
  logit,        // ln(p / (1 - p)), any finite number
  raw,          // any finite number, such as a margin; says nothing of p without a calibrator
};

// Which scores deserve the favourable ("positive") decision. With `low` (a risk of default, of
// reoffending) the favourable outcome is the label 0: inside the library scores are negated, which
// is exact, labels are turned, and p is the probability of the favourable outcome.
enum class Favorable { high, low };

std::string_view to_string(Scale scale) noexcept;
std::string_view to_string(Favorable favorable) noexcept;
Scale scale_from(std::string_view name);          // throws std::invalid_argument
Favorable favorable_from(std::string_view name);  // throws std::invalid_argument

// What a wrong decision costs, each >= 0 and finite, not both 0. A positive decision for somebody
// with p has the benefit p * false_negative - (1 - p) * false_positive.
struct Costs {
  double false_positive = 1;
  double false_negative = 1;

  bool operator==(const Costs&) const = default;
};

// The reading of scores: scale and direction together. `x` below is a *turned* score, that is the
// caller's score, negated where low ones are favourable.
struct Reading {
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;

  double turn(double score) const noexcept {  // its own inverse; never gives -0
    return (favorable == Favorable::low ? -score : score) + 0.0;
  }
  double lowest() const noexcept;   // smallest and
  double highest() const noexcept;  // largest valid turned score
  bool valid(double x) const noexcept { return x >= lowest() && x <= highest(); }
  bool has_probability() const noexcept { return scale != Scale::raw; }
  // Of the favourable outcome; nondecreasing in x. NaN on the raw scale.
  double probability(double x) const noexcept;
  bool operator==(const Reading&) const = default;
};

inline double benefit(double p, const Costs& costs) noexcept {
  return p * costs.false_negative - (1 - p) * costs.false_positive;
}

// The smallest turned score with a benefit above `bar` (infinity if there is none): where decisions
// by benefit alone become positive. On the raw scale there is none.
double first_above(const Reading& reading, const Costs& costs, double bar) noexcept;

}  // namespace evenhand
