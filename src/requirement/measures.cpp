#include "requirement/measures.h"

#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {
namespace {

constexpr std::array<std::string_view, 9> own_names{
    "rate", "tpr", "fpr", "accuracy", "cost", "selected", "precision", "npv", "share"};

struct Synonym {
  std::string_view name;
  NamedMeasure means;
};
constexpr std::array<Synonym, 24> synonyms{{
    {"selection", {Measure::rate, false}},
    {"selection_rate", {Measure::rate, false}},
    {"positive_rate", {Measure::rate, false}},
    {"true_positive_rate", {Measure::tpr, false}},
    {"recall", {Measure::tpr, false}},
    {"sensitivity", {Measure::tpr, false}},
    {"fnr", {Measure::tpr, true}},
    {"false_negative_rate", {Measure::tpr, true}},
    {"miss_rate", {Measure::tpr, true}},
    {"false_positive_rate", {Measure::fpr, false}},
    {"tnr", {Measure::fpr, true}},
    {"true_negative_rate", {Measure::fpr, true}},
    {"specificity", {Measure::fpr, true}},
    {"error", {Measure::accuracy, true}},
    {"error_rate", {Measure::accuracy, true}},
    {"accuracy_score", {Measure::accuracy, false}},
    {"ppv", {Measure::precision, false}},
    {"positive_predictive_value", {Measure::precision, false}},
    {"precision_score", {Measure::precision, false}},
    {"recall_score", {Measure::tpr, false}},
    {"fdr", {Measure::precision, true}},
    {"false_discovery_rate", {Measure::precision, true}},
    {"negative_predictive_value", {Measure::npv, false}},
    {"false_omission_rate", {Measure::npv, true}},
}};

}  // namespace

std::string_view to_string(Measure measure) noexcept {
  return own_names[static_cast<std::size_t>(measure)];
}

bool is_ratio(Measure measure) noexcept {
  return measure == Measure::precision || measure == Measure::npv || measure == Measure::share;
}

std::optional<NamedMeasure> measure_named(std::string_view name) noexcept {
  const auto* const own = std::find(own_names.begin(), own_names.end(), name);
  if (own != own_names.end())
    return NamedMeasure{static_cast<Measure>(own - own_names.begin()), false};
  const auto* const other =
      std::find_if(synonyms.begin(), synonyms.end(),
                   [&](const Synonym& synonym) { return synonym.name == name; });
  if (other == synonyms.end()) return {};
  return other->means;
}

std::string measures_to_choose_from() {
  return fmt::format("{} and {}", fmt::join(own_names.begin(), std::prev(own_names.end()), ", "),
                     own_names.back());
}

std::string text_of(const RequirementTerm& term) {
  std::string out(to_string(term.measure));
  for (std::size_t i = 0; i < term.conditions.size(); ++i) {
    const Condition& condition = term.conditions[i];
    out += fmt::format("{}{}={}", i ? ", " : "[", quoted_if_needed(condition.attribute),
                       quoted_if_needed(condition.value));
  }
  if (!term.conditions.empty()) out += ']';
  return term.base ? fmt::format("base({})", out) : out;
}

std::string no_worse(std::string_view measure, const Roles& roles) {
  if (measure != "rate" && measure != "tpr") {
    throw std::invalid_argument(
        fmt::format("no-worse is about rate or tpr, not {}", quoted_if_needed(measure, 60)));
  }
  std::string attributes;
  for (const auto* const list : {&roles.sensitive, &roles.within}) {
    for (const std::string& name : *list) {
      attributes += (attributes.empty() ? "" : ", ") + quoted_if_needed(name);
    }
  }
  return attributes.empty() ? fmt::format("{0} >= base({0})", measure)
                            : fmt::format("for each {1}: {0} >= base({0})", measure, attributes);
}

}  // namespace evenhand
