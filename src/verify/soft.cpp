// Rules of soft groups, from their rows.
#include <evenhand/verify.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "verify/checks.h"

namespace evenhand {
namespace verifying {
namespace {

// Sums of a stratum.
struct Within {
  double n = 0, selected = 0, by_lot = 0;
  std::vector<double> belong, belong_selected;  // of each column
};

std::vector<std::span<const double>> columns_of(const SoftRows& rows,
                                                const std::vector<std::string>& names) {
  std::vector<std::span<const double>> out;
  for (const std::string& name : names) {
    const auto found = std::find_if(rows.columns.begin(), rows.columns.end(),
                                    [&](const SoftColumn& one) { return one.name == name; });
    if (found == rows.columns.end()) {
      throw std::invalid_argument("the data lack the column " + name);
    }
    out.push_back(found->values);
  }
  return out;
}

bool is_exact_parity(const RecordedCriterion& criterion, const SoftRuleParts& parts) {
  return criterion.name == "soft-statistical-parity" && criterion.tolerance.value_or(0) == 0 &&
         !criterion.ratio && parts.prices.empty();
}

void check_stratum(const RecordedStratum& recorded, const SoftStratum& rule, const Within& found,
                   Found& all, Checks::Several& several) {
  several.add("weight of " + recorded.stratum, recorded.weight, found.n, found.n);
  several.add("lottery share of " + recorded.stratum, recorded.lottery_share,
              found.n > 0 ? found.by_lot / found.n : 0, 1);
  for (std::size_t j = 0; j < recorded.columns.size() && j < found.belong.size(); ++j) {
    const SoftRate& column = recorded.columns[j];
    const std::string what = fmt::format("{} in {}", column.column, recorded.stratum);
    const double others = found.n - found.belong[j];
    const double rate = found.belong[j] > 0 ? found.belong_selected[j] / found.belong[j] : 0;
    const double rest = others > 0 ? (found.selected - found.belong_selected[j]) / others : 0;
    several.add("mean of " + what, column.mean, found.n > 0 ? found.belong[j] / found.n : 0, 1);
    several.add("rate of " + what, column.rate, rate, 1);
    several.add("rate of others than " + what, column.others, rest, 1);
    if (column.compared) all.violation = std::max(all.violation, std::abs(rate - rest));
    if (j >= rule.means.size()) continue;
    // The bound holds only if prices are those of distances from the mean.
    several.add("mean in the rule of " + what, rule.means[j], found.belong[j] / found.n, 1);
    several.add("multiplier of " + what, column.multiplier, rule.multipliers[j],
                std::max(1.0, std::abs(rule.multipliers[j])));
  }
}

}  // namespace
}  // namespace verifying

Verification verify(const SoftRows& rows, std::span<const double> weight, const SoftRule& rule,
                    const FitRecord& record) {
  using namespace verifying;
  if (!record.proof || !record.strata || !record.criterion) {
    throw std::invalid_argument(
        "the rule has no record of its fit: there is nothing to verify it by");
  }
  const SoftRuleParts& parts = rule.parts();
  Checks checks;
  checks.fingerprint("rule", record.rule_fingerprint, fingerprint(rule), "as it was fitted",
                     "the rule was changed after its fit");
  checks.unchecked("data", "no fingerprint is recorded of rows with soft groups");
  Checks::Several people(checks, "people");
  if (record.rows) {
    people.add("rows", static_cast<double>(*record.rows), static_cast<double>(rows.size()), 0);
  }
  people.conclude(fmt::format("{}", rows.size()));
  if (!is_exact_parity(*record.criterion, parts)) {
    checks.unchecked("status",
                     "optimality was not checked: of soft groups only statistical parity without "
                     "a tolerance is recomputed");
    return checks.done();
  }
  const auto columns = columns_of(rows, parts.columns);
  const std::size_t count = record.criterion->soft.size();
  const bool complement = count > columns.size();  // what is left of 1
  std::vector<CellCode> to;
  if (rows.within) to = translate(rows.within->names, parts.strata);
  std::vector<Within> strata(parts.of.size());
  for (Within& stratum : strata) {
    stratum.belong.resize(count);
    stratum.belong_selected.resize(count);
  }
  Found found;
  double base = 0, bound = 0, by_lot = 0, whole = 0;
  std::vector<double> own(columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CellCode c = rows.within ? to[rows.within->codes[i]] : 0;
    if (c >= strata.size()) {
      checks.no("groups", "the data have a stratum that the rule does not know");
      return checks.done();
    }
    const double n = weight.empty() ? 1 : weight[i];
    if (n == 0) continue;
    for (std::size_t j = 0; j < own.size(); ++j) own[j] = columns[j][i];
    const double p = parts.reading.probability(parts.reading.turn(rows.score[i]));
    const double h = benefit(p, parts.costs);
    const double q = rule.probability(c, rows.score[i], own);
    double z = h;
    for (std::size_t j = 0; j < own.size(); ++j) {
      z -= parts.of[c].multipliers[j] * (own[j] - parts.of[c].means[j]);
    }
    found.primal += n * (h * q - parts.gamma / 2 * q * q);
    bound += z <= 0             ? 0
             : z >= parts.gamma ? n * (z - parts.gamma / 2)
                                : n * z * z / (2 * parts.gamma);
    found.magnitude += n * std::abs(h);
    base += h > 0 ? n * h : 0;
    Within& stratum = strata[c];
    stratum.n += n;
    stratum.selected += n * q;
    if (q > 0 && q < 1) stratum.by_lot += n;
    double rest = 1;
    for (std::size_t j = 0; j < count; ++j) {
      const double g = complement && j + 1 == count ? std::max(0.0, rest) : own[j];
      rest -= g;
      stratum.belong[j] += n * g;
      stratum.belong_selected[j] += n * g * q;
    }
  }
  Checks::Several groups(checks, "groups");
  for (CellCode c = 0; c < strata.size(); ++c) {
    whole += strata[c].n;
    by_lot += strata[c].by_lot;
    const std::string name = parts.strata.name(c);
    const auto recorded =
        std::find_if(record.strata->begin(), record.strata->end(),
                     [&](const RecordedStratum& one) { return one.stratum == name; });
    if (recorded == record.strata->end()) {
      groups.fail(name + " is not recorded");
    } else {
      check_stratum(*recorded, parts.of[c], strata[c], found, groups);
    }
  }
  found.bound = bound;
  check_proof(*record.proof, found, checks);
  groups.conclude(fmt::format("rates, means and multipliers in {}", strata.size()));
  Checks::Several figures(checks, "figures");
  figures.add("lottery share", record.proof->lottery_share, by_lot / whole, 1);
  figures.add("base", record.proof->base, base, found.magnitude);
  figures.add("magnitude", record.proof->magnitude, found.magnitude, found.magnitude);
  figures.conclude(fmt::format("lottery share {:.4g} %, base, magnitude", 100 * by_lot / whole));

  checks.unchecked("assumption",
                   "that the columns are calibrated given the score: see "
                   "evenhand fit --check-with");
  return checks.done();
}

}  // namespace evenhand
