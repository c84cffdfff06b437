#include <evenhand/criterion.h>
#include <evenhand/requirement.h>
#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {
namespace {

constexpr std::array selection = {Rate::selection};
constexpr std::array true_positive = {Rate::true_positive};
constexpr std::array false_positive = {Rate::false_positive};
constexpr std::array odds = {Rate::true_positive, Rate::false_positive};

// A new criterion is a row here and a function below.
constexpr std::array<CriterionName, 6> criteria = {{
    {"statistical-parity",
     {"demographic_parity", "selection_rate_parity"},
     selection,
     Relation::difference,
     false,
     "equal selection rates"},
    {"equal-opportunity",
     {"true_positive_rate_parity", "false_negative_rate_parity"},
     true_positive,
     Relation::difference,
     false,
     "equal true-positive rates"},
    {"false-positive-parity",
     {"false_positive_rate_parity", "true_negative_rate_parity"},
     false_positive,
     Relation::difference,
     false,
     "equal false-positive rates"},
    {"equalized-odds",
     {},
     odds,
     Relation::difference,
     false,
     "equal true-positive and equal false-positive rates"},
    {"equal-rates", {}, selection, Relation::difference, true, "one selection rate for every cell"},
    {"four-fifths",
     {},
     selection,
     Relation::ratio,
     false,
     "the smallest selection rate at least 0.8 of the largest"},
}};

Criterion make(std::string_view name, const CriterionOptions& options) {
  const CriterionName& found = find_criterion(name);
  Criterion out;
  out.name = found.name;
  out.rates.assign(found.rates.begin(), found.rates.end());
  out.relation = found.relation;
  out.roles = options.roles;
  out.tolerance = options.tolerance.value_or(0);
  if (found.takes_ratio()) out.ratio = options.ratio.value_or(0.8);
  if (found.takes_rho()) {
    out.rho = options.rho.value_or(Rho::best());
    if (out.rho.kind != Rho::Kind::best) out.relation = Relation::target;
  }
  out.all_cells = found.all_cells;
  out.require = options.require;
  return out;
}

Criterion parity(std::string_view name, ParityOptions options) {
  return make(name,
              {.roles = {std::move(options.sensitive), std::move(options.within), options.across},
               .tolerance = options.tolerance});
}

// Functions of the library, and Fairlearn, write names with underscores.
std::string with_hyphens(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

}  // namespace

Criterion statistical_parity(ParityOptions options) {
  return parity("statistical-parity", std::move(options));
}

Criterion equal_opportunity(ParityOptions options) {
  return parity("equal-opportunity", std::move(options));
}

Criterion false_positive_parity(ParityOptions options) {
  return parity("false-positive-parity", std::move(options));
}

Criterion equalized_odds(ParityOptions options) {
  return parity("equalized-odds", std::move(options));
}

Criterion equal_rates(EqualRatesOptions options) {
  return make("equal-rates", {.roles = {std::move(options.sensitive), std::move(options.within)},
                              .tolerance = options.tolerance,
                              .rho = options.rho});
}

Criterion four_fifths(FourFifthsOptions options) {
  return make("four-fifths",
              {.roles = {std::move(options.sensitive), std::move(options.within), options.across},
               .ratio = options.ratio});
}

Criterion requirements(std::vector<std::string> require) {
  Criterion out;
  out.name = "requirements";
  out.require = std::move(require);
  return out;
}

void Criterion::check() const {
  if (rates.empty() && require.empty()) {
    throw std::invalid_argument("say what is fair: a criterion, requirements or both");
  }
  for (const std::string& text : require) parse_requirement(text);
  if (all_cells && roles.across != Across::intersection) {
    throw std::invalid_argument(name +
                                " compares every cell with every other: across has no meaning");
  }
  if (!(tolerance >= 0 && tolerance <= 1)) {
    throw std::invalid_argument(
        fmt::format("the tolerance is a difference of rates, from 0 to 1, not {}", tolerance));
  }
  if (!(ratio > 0 && ratio <= 1)) {
    throw std::invalid_argument(fmt::format("the ratio is above 0 and at most 1, not {}", ratio));
  }
  if (relation == Relation::ratio && tolerance != 0) {
    throw std::invalid_argument(name + " takes a ratio, not a tolerance");
  }
  if (rho.kind == Rho::Kind::given && !(rho.value >= 0 && rho.value <= 1)) {
    throw std::invalid_argument(fmt::format("rho is a rate, from 0 to 1, not {}", rho.value));
  }
}

bool Criterion::uses_labels() const {
  const auto is_label_rate = [](Rate rate) { return rate != Rate::selection; };
  if (std::any_of(rates.begin(), rates.end(), is_label_rate)) return true;
  return std::any_of(require.begin(), require.end(), [&](const auto& text) {
    const Requirement requirement = parse_requirement(text);
    return std::any_of(requirement.terms.begin(), requirement.terms.end(),
                       [](const RequirementTerm& term) {
                         return term.measure == Measure::tpr || term.measure == Measure::fpr;
                       });
  });
}

std::span<const CriterionName> all_criteria() noexcept {
  return criteria;
}

const CriterionName& find_criterion(std::string_view name) {
  const std::string wanted = with_hyphens(name);
  if (wanted == "predictive-equality") {
    throw std::invalid_argument(
        "predictive-equality means two things: say equal-rates (every cell has the same selection "
        "rate) or false-positive-parity (equal false-positive rates)");
  }
  std::vector<std::string> candidates;
  for (const CriterionName& each : criteria) {
    candidates.emplace_back(each.name);
    if (wanted == each.name) return each;
    for (const std::string_view also : each.also) {
      if (also.empty()) continue;
      candidates.emplace_back(also);
      if (wanted == with_hyphens(also)) return each;
    }
  }
  const std::string near = suggestion(name, candidates);
  throw std::invalid_argument(fmt::format(
      "there is no criterion {}{}", quoted_if_needed(name, 60),
      near.empty() ? fmt::format("; choose one of {}", fmt::join(candidates, ", ")) : near));
}

Criterion criterion_from(std::string_view name, const CriterionOptions& options) {
  if (name.empty()) {
    if (options.tolerance || options.ratio || options.rho || !options.roles.sensitive.empty()) {
      throw std::invalid_argument(
          "requirements alone take no roles, tolerance, ratio or rho: name a criterion for these");
    }
    Criterion alone = requirements(options.require);
    alone.roles.within = options.roles.within;  // what a blind rule sees
    alone.check();
    return alone;
  }
  const CriterionName& found = find_criterion(name);
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("{} takes no {}", found.name, what));
  };
  if (options.tolerance && !found.takes_tolerance()) refuse("tolerance; give a ratio");
  if (options.ratio && !found.takes_ratio()) refuse("ratio");
  if (options.rho && !found.takes_rho()) refuse("rho");
  Criterion out = make(found.name, options);
  out.check();
  return out;
}

}  // namespace evenhand
