// Requirements in the user's words: linear (in)equalities in rates.
//
//   tpr[sex=F] - tpr[sex=M] <= 0.02
//   rate <= 0.1                                       at most 10% selected
//   rate[race=Black] >= 0.8 * rate[race=White]
//   fpr[sex=F, race="O'Neil, A"] <= 0.05
//
// docs/requirements.md has the grammar.
#pragma once

#include <evenhand/criterion.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

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

// factor * rate[conditions]: the mean of q over all rows that meet the conditions together (tpr and
// fpr: over those of them with a favourable, an unfavourable outcome).
struct RateTerm {
  double factor = 1;
  Rate rate = Rate::selection;
  std::vector<Condition> conditions = {};  // none: everyone
  bool operator==(const RateTerm&) const = default;
};

// sum of terms (<=, = or >=) bound. Terms with the same rate and conditions are added up.
struct Requirement {
  std::vector<RateTerm> terms;  // at least one, with factors that are finite and not 0
  Sense sense = Sense::at_most;
  double bound = 0;  // finite
  std::string text;  // as the user wrote it; not compared
  bool operator==(const Requirement& other) const {
    return terms == other.terms && sense == other.sense && bound == other.bound;
  }
};

// Throws std::invalid_argument that points at the character: "expected a number or a rate at
// character 9 of 'rate <= '".
Requirement parse_requirement(std::string_view text);

// Reads back as the same requirement.
std::string to_string(const Requirement& requirement);

}  // namespace evenhand
