#include <evenhand/fit_words.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "words/everybody.h"

namespace evenhand {
namespace {

std::string goal_in_words(double value, bool is_ratio) {
  return is_ratio ? "a ratio of " + rounded(value, 3) : rounded(100 * value, 3) + " %";
}

AuditOptions promising(const Solution& fit) {
  AuditOptions out = auditing_of(fit);
  out.by_scores = true;
  return out;
}

bool borrows(const Solution& fit) {
  return std::any_of(fit.cells.begin(), fit.cells.end(),
                     [](const CellOutcome& cell) { return cell.benefits != Benefits::own; });
}

}  // namespace

std::string in_words(const Criterion& criterion) {
  std::string out = criterion.rates.empty() ? "requirements" : criterion.name;
  if (!criterion.rates.empty()) {
    out += " between the groups of " + shown(criterion.roles.sensitive);
    if (!criterion.roles.within.empty()) out += " within " + shown(criterion.roles.within);
    out += criterion.relation == Relation::ratio
               ? fmt::format(", ratio at least {}", rounded(criterion.ratio, 6))
               : fmt::format(", tolerance {}", rounded(criterion.tolerance, 6));
  }
  if (criterion.roles.across == Across::marginal) out += ", for each column on its own";
  if (criterion.roles.across == Across::both) out += ", for combinations and each column";
  if (criterion.all_cells && criterion.rho.kind == Rho::Kind::given) {
    out += fmt::format(", rho {}", rounded(criterion.rho.value, 6));
  }
  for (std::size_t i = 0; i < criterion.require.size(); ++i) {
    out += (i == 0 && criterion.rates.empty() ? ": " : "; ") + printable(criterion.require[i]);
  }
  return out;
}

std::string proof_in_words(Status status, double gap, double violation) {
  return fmt::format("{}{}: within {} of the best fair rule; violation {}",
                     status == Status::optimal ? "proven " : "", to_string(status),
                     small(std::max(0.0, gap)), small(violation));
}

std::string in_words(const SgdResult& run) {
  return fmt::format(
      "approximate: {} of stochastic gradient descent, learning rate {}, {} projection; violation "
      "{}",
      counted(run.steps, "step"), rounded(run.learning_rate, 4), to_string(run.projection),
      small(run.solution.violation));
}

std::string in_words(const Infeasibility& why, const Criterion& criterion) {
  std::string clash;
  for (const std::string& text : why.clash) clash += (clash.empty() ? "" : "; ") + text;
  if (why.for_lack_of_coins) {
    return printable(fmt::format(
        "{} rule with so few coins meets the {}; allow coins, or a larger tolerance",
        why.searched ? "no" : "found no", clash.empty() ? "criterion" : "requirements: " + clash));
  }
  if (!clash.empty() && !criterion.rates.empty()) clash += ", together with " + criterion.name;
  return printable(fmt::format(
      "no rule meets the requirements: {}; relaxing every bound by {} would make them feasible",
      clash.empty() ? "they clash with the criterion" : clash, rounded(why.common_slack, 6)));
}

std::vector<std::string> not_compared_in_words(const Solution& fit, const CellNames& cells) {
  std::vector<std::string> out;
  if (fit.criterion.rates.empty()) return out;
  for (CellCode c = 0; c < fit.cells.size(); ++c) {
    if (fit.cells[c].compared) continue;
    out.push_back(fmt::format("{} is not compared: {}", cells.name(c), fit.cells[c].reason));
  }
  return out;
}

std::vector<std::string> in_words(const CertifiedFit& fit, const Tally& tally) {
  const Figures certified = everybody(tally, fit.solution);
  const Figures plain = everybody(tally, fit.plain);
  std::vector<std::string> out = {fmt::format(
      "Certified at {} % confidence. Without a certificate: accuracy {} instead of {}, {} selected "
      "instead of {}.",
      rounded(100 * fit.bound.confidence, 6), percent(plain.accuracy), percent(certified.accuracy),
      percent(plain.selection_rate), percent(certified.selection_rate))};
  for (const auto& values : fit.uncertified) {
    out.push_back("Not certified, too few rows: " + shown(values));
  }
  return out;
}

std::string too_few_in_words(const CertifiedFit& fit, const Tally& tally) {
  const bool is_ratio = fit.bound.is_ratio;
  const Criterion& criterion = fit.plain.criterion;
  std::string where;
  for (const auto& values : fit.uncertified) {
    if (!values.empty()) where += (where.empty() ? " in " : "; ") + shown(values);
  }
  return fmt::format(
      "too few people{} to certify {}: about {} rows like these are needed; {} is the {} that can "
      "be certified at this rate",
      where, goal_in_words(is_ratio ? criterion.ratio : criterion.tolerance, is_ratio),
      people(std::ceil(fit.rows_needed * tally.total().n)), goal_in_words(fit.smallest, is_ratio),
      is_ratio ? "largest" : "smallest");
}

std::vector<std::string> in_words(const SoftCheck& check, std::string_view truth) {
  std::vector<std::string> out = {
      fmt::format("checked with {}, {} people:", shown(truth), people(check.rows))};
  for (const SoftCheckedColumn& one : check.columns) {
    out.push_back(fmt::format("{} is off by at most {} of {}, by tenths of the score{}",
                              shown(one.column), percent(one.worst), shown(one.value),
                              one.worst > SoftCheck::warn_above ? ": not calibrated" : ""));
  }
  if (const auto difference = check.largest_difference()) {
    out.push_back("true difference, selected: " + percent(*difference));
  }
  for (const SoftTrueDifference& one : check.given_outcome) {
    out.push_back(
        fmt::format("true difference, {}: {}", rate_of(one.of).title, percent(one.difference)));
  }
  return out;
}

std::optional<Figures> promised_figures(const Tally& tally, const Solution& fit) {
  if (borrows(fit)) {
    return everybody(with_borrowed_outcomes(tally, fit.criterion), fit.rule, auditing_of(fit));
  }
  if (!tally.labelled() || fit.options.calibrate != Calibration::none ||
      fit.criterion.uses_labels()) {
    return std::nullopt;
  }
  const Figures out = everybody(tally, fit.rule, promising(fit));
  return out.accuracy ? std::optional(out) : std::nullopt;
}

std::optional<Promise> promise_of(const Tally& tally, const Solution& fit) {
  const std::optional<Figures> after = promised_figures(tally, fit);
  if (!after) return std::nullopt;
  const Roles roles{.sensitive = tally.cells().attributes()};
  const bool borrowed = borrows(fit);
  const Audit before =
      borrowed ? audit(with_borrowed_outcomes(tally, fit.criterion), roles, auditing_of(fit))
               : audit(tally, roles, promising(fit));
  return Promise{before.overall.figures, *after, borrowed};
}

std::string in_words(const Promise& promise, const Costs& costs) {
  const char* const promised =
      promise.borrowed ? "with borrowed outcomes" : "that the scores promise";
  if (costs == Costs{}) {
    return fmt::format("maximised: the accuracy {}, {} -> {}; the labels measure the other",
                       promised, percent(promise.before.accuracy), percent(promise.after.accuracy));
  }
  return fmt::format("minimised: the cost {}, {} -> {}; the labels measure the other", promised,
                     rounded(promise.before.cost.value_or(0), 5),
                     rounded(promise.after.cost.value_or(0), 5));
}

}  // namespace evenhand
