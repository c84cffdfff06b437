// Requirements in the user's words: linear (in)equalities in rates and other figures of decisions.
//
//   tpr[sex=F] - tpr[sex=M] <= 0.02
//   rate <= 0.1                                       at most 10% selected
//   rate[race=Black] >= 0.8 * rate[race=White]
//   abs(fpr[sex=F] - fpr[sex=M]) <= 0.05              in both directions
//   for each race: precision[sex=F] >= 0.7
//   tpr[sex=M] >= base(tpr[sex=M])                    no worse than before any rule
//
// docs/requirements.md has the grammar.
#pragma once

#include <evenhand/criterion.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Of the people that a term's brackets name; q is the probability of a positive decision. tpr and
// fpr need labels to fit. The others take the scores' probabilities where there are no labels.
enum class Measure {
  rate,       // E[q]
  tpr,        // E[q given a favourable outcome]
  fpr,        // E[q given an unfavourable outcome]
  accuracy,   // how often decision and outcome agree
  cost,       // of wrong decisions, for each person
  selected,   // how many get the positive decision
  precision,  // share of favourable outcomes among those selected
  npv,        // share of unfavourable outcomes among those not selected
  share,      // their share of all who are selected
};
std::string_view to_string(Measure measure) noexcept;

// precision, npv and share divide by what the rule decides. Each is linear only when compared with
// a constant, by itself.
bool is_ratio(Measure measure) noexcept;

enum class Sense { at_most, equal, at_least };

// One attribute's value, as in sex=F.
struct Condition {
  std::string attribute;
  std::string value;
  // Where attribute and value stand in the text (characters from 1; 0: nowhere), for messages; not
  // compared.
  std::size_t attribute_at = 0;
  std::size_t value_at = 0;
  bool operator==(const Condition& other) const {
    return attribute == other.attribute && value == other.value;
  }
};

// factor * measure[conditions], of all rows that meet the conditions together.
struct RequirementTerm {
  double factor = 1;
  Measure measure = Measure::rate;
  std::vector<Condition> conditions = {};  // none: everyone
  bool base = false;                       // its value under the base decisions: a constant
  bool operator==(const RequirementTerm&) const = default;
};

// sum of terms (<=, = or >=) bound; or |sum of terms - bound| <= margin. Terms with the same
// measure and conditions are added up.
struct Requirement {
  std::vector<std::string> each = {};  // attributes: holds for each combination of their values
  std::vector<RequirementTerm> terms;  // finite factors, not 0; at least one is not `base`
  Sense sense = Sense::at_most;
  double bound = 0;       // finite
  bool absolute = false;  // the second form
  double margin = 0;      // finite; 0 unless absolute
  std::string text;       // as the user wrote it; not compared
  bool operator==(const Requirement& other) const {
    return each == other.each && terms == other.terms && sense == other.sense &&
           bound == other.bound && absolute == other.absolute && margin == other.margin;
  }
};

// Throws std::invalid_argument that points at the character: "expected a number or a rate at
// character 9 of 'rate <= '".
Requirement parse_requirement(std::string_view text);

// Reads back as the same requirement.
std::string to_string(const Requirement& requirement);

// Nobody is worse off than before any rule: "for each sex, race: tpr >= base(tpr)" of the roles'
// attributes. `measure` is rate or tpr; throws std::invalid_argument for others.
std::string no_worse(std::string_view measure, const Roles& roles);

}  // namespace evenhand
