#include "commands/certified_fit.h"

#include <evenhand/text.h>

#include <cmath>

#include <fmt/format.h>

#include "error.h"
#include "output/output.h"

namespace evenhand::cli {
namespace {

Figures everybody(const Tally& tally, const Solution& fit) {
  return audit(tally, fit.criterion.roles, fit.rule,
               {.costs = fit.options.costs,
                .base_threshold = fit.options.base_threshold,
                .calibrator = fit.rule.parts().calibrator})
      .overall.figures;
}

double goal_of(const Criterion& criterion) {
  return criterion.relation == Relation::ratio ? criterion.ratio : criterion.tolerance;
}

std::string goal_in_words(double value, bool is_ratio) {
  return is_ratio ? "a ratio of " + rounded(value, 3) : rounded(100 * value, 3) + " %";
}

Json uncertified_json(const CertifiedFit& fit) {
  Json out = Json::array();
  for (const auto& values : fit.uncertified) {
    out.push_back(values_json(fit.plain.criterion.roles.within, values));
  }
  return out;
}

}  // namespace

std::string certificate_in_words(const CertifiedFit& fit, const Tally& tally) {
  const Figures certified = everybody(tally, fit.solution);
  const Figures plain = everybody(tally, fit.plain);
  std::string out = fmt::format(
      "  Certified at {} % confidence. Without a certificate: accuracy {} instead of {}, {} "
      "selected instead of {}.\n",
      rounded(100 * fit.bound.confidence, 6), percent(plain.accuracy), percent(certified.accuracy),
      percent(plain.selection_rate), percent(certified.selection_rate));
  for (const auto& values : fit.uncertified) {
    out += fmt::format("  Not certified, too few rows: {}\n", shown(values));
  }
  return out;
}

Json certificate_json(const CertifiedFit& fit, const Tally& tally) {
  Json out;
  out["confidence"] = fit.bound.confidence;
  out["plain"] = to_json(everybody(tally, fit.plain));
  out["uncertified"] = uncertified_json(fit);
  return out;
}

int say_too_few(const CertifiedFit& fit, const Tally& tally, bool json) {
  const bool is_ratio = fit.bound.is_ratio;
  const double goal = goal_of(fit.plain.criterion);
  const double needed = std::ceil(fit.rows_needed * tally.total().n);
  if (json) {
    Json out;
    out["status"] = "too few rows";
    out["confidence"] = fit.bound.confidence;
    out[is_ratio ? "largest_ratio" : "smallest_tolerance"] = fit.smallest;
    out["rows"] = tally.total().n;
    out["rows_needed"] = needed;
    out["too_few_in"] = uncertified_json(fit);
    print(out.dump(2) + "\n");
  }
  std::string where;
  for (const auto& values : fit.uncertified) {
    if (!values.empty()) where += (where.empty() ? " in " : "; ") + shown(values);
  }
  say(
      fmt::format("evenhand: too few people{} to certify {}: about {} rows like these are "
                  "needed; {} is the {} that can be certified at this rate",
                  where, goal_in_words(goal, is_ratio), people(needed),
                  goal_in_words(fit.smallest, is_ratio), is_ratio ? "largest" : "smallest"));
  return exit_too_few;
}

}  // namespace evenhand::cli
