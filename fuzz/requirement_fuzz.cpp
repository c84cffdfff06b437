// Any text is either refused with std::invalid_argument or prints as text that reads back the same.
#include <evenhand/requirement.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "check.h"

namespace {

using evenhand::Requirement;
using evenhand::fuzz::check;

void check_parts(const Requirement& requirement) {
  check(!requirement.terms.empty(), "there is a term");
  check(std::isfinite(requirement.bound), "the bound is finite");
  check(std::isfinite(requirement.margin), "the margin is finite");
  for (const evenhand::RequirementTerm& term : requirement.terms) {
    check(std::isfinite(term.factor) && term.factor != 0, "factors are finite and not 0");
    const auto& conditions = term.conditions;
    for (std::size_t i = 1; i < conditions.size(); ++i) {
      check(conditions[i - 1].attribute < conditions[i].attribute, "attributes ascend");
    }
    for (const evenhand::Condition& condition : conditions) {
      check(condition.attribute_at >= 1 && condition.attribute_at < condition.value_at &&
                condition.value_at <= requirement.text.size(),
            "places are in the text");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Requirement requirement;
  try {
    requirement = evenhand::parse_requirement({reinterpret_cast<const char*>(data), size});
  } catch (const std::invalid_argument& error) {
    evenhand::fuzz::check_message(error.what());
    return 0;
  }
  check_parts(requirement);
  check(evenhand::parse_requirement(requirement.text) == requirement, "its text reads the same");
  const std::string text = to_string(requirement);
  // Escapes may make printed text longer than what may be read.
  if (text.size() > 65536) return 0;
  const Requirement again = evenhand::parse_requirement(text);
  check(again == requirement, "printed text reads back the same");
  check(to_string(again) == text, "it prints the same again");
  return 0;
}
