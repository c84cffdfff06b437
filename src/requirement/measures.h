// The names that people give to measures.
#pragma once

#include <evenhand/requirement.h>

#include <optional>
#include <string>
#include <string_view>

namespace evenhand {

struct NamedMeasure {
  Measure measure;
  bool complement;  // 1 - measure: the false-negative rate is 1 - tpr
};
std::optional<NamedMeasure> measure_named(std::string_view name) noexcept;

// What to say of a name that is none: the names there are, or that they are in lower case.
std::string measures_to_choose_from();

// tpr[sex=F], base(rate)
std::string text_of(const RequirementTerm& term);

}  // namespace evenhand
