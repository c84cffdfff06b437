#include <evenhand/criterion.h>
#include <evenhand/requirement.h>
#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {
namespace {

Criterion parity(std::string_view name, std::vector<Rate> rates, ParityOptions options) {
  Criterion out;
  out.name = name;
  out.rates = std::move(rates);
  out.roles = {std::move(options.sensitive), std::move(options.within), options.across};
  out.tolerance = options.tolerance;
  return out;
}

}  // namespace

Criterion statistical_parity(ParityOptions options) {
  return parity("statistical-parity", {Rate::selection}, std::move(options));
}

Criterion equal_opportunity(ParityOptions options) {
  return parity("equal-opportunity", {Rate::true_positive}, std::move(options));
}

Criterion false_positive_parity(ParityOptions options) {
  return parity("false-positive-parity", {Rate::false_positive}, std::move(options));
}

Criterion equalized_odds(ParityOptions options) {
  return parity("equalized-odds", {Rate::true_positive, Rate::false_positive}, std::move(options));
}

Criterion equal_rates(EqualRatesOptions options) {
  Criterion out =
      parity("equal-rates", {Rate::selection},
             {std::move(options.sensitive), std::move(options.within), options.tolerance});
  out.rho = options.rho;
  out.all_cells = true;
  out.relation = options.rho.kind == Rho::Kind::best ? Relation::difference : Relation::target;
  return out;
}

Criterion four_fifths(FourFifthsOptions options) {
  Criterion out =
      parity("four-fifths", {Rate::selection},
             {std::move(options.sensitive), std::move(options.within), 0, options.across});
  out.relation = Relation::ratio;
  out.ratio = options.ratio;
  return out;
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

namespace {

ParityOptions parity_options(const CriterionOptions& options) {
  return {options.roles.sensitive, options.roles.within, options.tolerance.value_or(0),
          options.roles.across};
}

// All that front ends know of a criterion: a new one is a function above and an entry here.
struct Named {
  std::string_view name;
  std::array<std::string_view, 2> also;  // Fairlearn's names for the same
  bool takes_tolerance, takes_ratio, takes_rho;
  Criterion (*make)(const CriterionOptions& options);
};
constexpr std::array<Named, 6> all_names = {{
    {"statistical-parity",
     {"demographic_parity", "selection_rate_parity"},
     true,
     false,
     false,
     [](const CriterionOptions& options) { return statistical_parity(parity_options(options)); }},
    {"equal-opportunity",
     {"true_positive_rate_parity", "false_negative_rate_parity"},
     true,
     false,
     false,
     [](const CriterionOptions& options) { return equal_opportunity(parity_options(options)); }},
    {"false-positive-parity",
     {"false_positive_rate_parity", "true_negative_rate_parity"},
     true,
     false,
     false,
     [](const CriterionOptions& options) {
       return false_positive_parity(parity_options(options));
     }},
    {"equalized-odds",
     {},
     true,
     false,
     false,
     [](const CriterionOptions& options) { return equalized_odds(parity_options(options)); }},
    {"equal-rates",
     {},
     true,
     false,
     true,
     [](const CriterionOptions& options) {
       return equal_rates({options.roles.sensitive, options.roles.within,
                           options.tolerance.value_or(0), options.rho.value_or(Rho::best())});
     }},
    {"four-fifths",
     {},
     false,
     true,
     false,
     [](const CriterionOptions& options) {
       return four_fifths({options.roles.sensitive, options.roles.within,
                           options.ratio.value_or(0.8), options.roles.across});
     }},
}};

// Functions of the library, and Fairlearn, write names with underscores.
std::string with_hyphens(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

}  // namespace

Criterion criterion_from(std::string_view name, const CriterionOptions& options) {
  const std::string wanted = with_hyphens(name);
  if (wanted == "predictive-equality") {
    throw std::invalid_argument(
        "predictive-equality means two things: say equal-rates (every cell has the same selection "
        "rate) or false-positive-parity (equal false-positive rates)");
  }
  if (name.empty()) {
    if (options.tolerance || options.ratio || options.rho || !options.roles.sensitive.empty() ||
        !options.roles.within.empty()) {
      throw std::invalid_argument(
          "requirements alone take no roles, tolerance, ratio or rho: name a criterion for these");
    }
    Criterion alone = requirements(options.require);
    alone.check();
    return alone;
  }
  std::vector<std::string> candidates;
  const Named* found = nullptr;
  for (const Named& named : all_names) {
    candidates.emplace_back(named.name);
    if (wanted == named.name) found = &named;
    for (const std::string_view also : named.also) {
      if (also.empty()) continue;
      candidates.emplace_back(also);
      if (wanted == with_hyphens(also)) found = &named;
    }
  }
  if (!found) {
    const std::string near = suggestion(name, candidates);
    throw std::invalid_argument(fmt::format(
        "there is no criterion {}{}", quoted_if_needed(name, 60),
        near.empty() ? fmt::format("; choose one of {}", fmt::join(candidates, ", ")) : near));
  }
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("{} takes no {}", found->name, what));
  };
  if (options.tolerance && !found->takes_tolerance) refuse("tolerance; give a ratio");
  if (options.ratio && !found->takes_ratio) refuse("ratio");
  if (options.rho && !found->takes_rho) refuse("rho");
  Criterion out = found->make(options);
  out.roles.across = options.roles.across;
  out.require = options.require;
  out.check();
  return out;
}

}  // namespace evenhand
