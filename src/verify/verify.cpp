#include <evenhand/verify.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "verify/checks.h"
#include "verify/claims.h"
#include "verify/new_people.h"
#include "verify/proof.h"

namespace evenhand {
namespace verifying {
namespace {

void check_people(const StoredTally& data, const FitRecord& record, Checks& checks) {
  Checks::Several several(checks, "people");
  const double weight = data.tally.total().n;
  if (record.weight) several.add("weight", *record.weight, weight, weight);
  const auto rows = data.rows();
  if (record.rows && rows) {
    several.add("rows", static_cast<double>(*record.rows), static_cast<double>(*rows), 0);
  }
  if (record.labelled && *record.labelled != data.tally.labelled()) {
    several.fail(*record.labelled ? "the rule was fitted with labels, these data have none"
                                  : "the rule was fitted without labels");
  }
  if (record.reading && *record.reading != data.tally.reading()) {
    several.fail("the record reads scores differently");
  }
  several.conclude(fmt::format("{:.0f}{}", weight, data.tally.unit_weights() ? "" : " in weight"));
}

double rate_of(const Model& model, CellCode c, bool compared) {
  const Sums& sums = model.cells[c].sums;
  const auto& rates = model.criterion.rates;
  const Rate rate = compared && !rates.empty() ? rates.front() : Rate::selection;
  const double all = rate == Rate::selection       ? sums.n
                     : rate == Rate::true_positive ? sums.good
                                                   : sums.n - sums.good;
  const double selected = rate == Rate::selection       ? sums.selected
                          : rate == Rate::true_positive ? sums.selected_good
                                                        : sums.selected - sums.selected_good;
  return all == 0 ? 0 : selected / all;
}

void check_cells(const Model& model, const FitRecord& record, Checks& checks) {
  if (!record.cells) return;
  Checks::Several several(checks, "groups");
  std::map<std::string, CellCode> codes;
  for (CellCode c = 0; c < model.names.size(); ++c) codes.emplace(model.names.name(c), c);
  for (const RecordedCell& cell : *record.cells) {
    const auto found = codes.find(cell.cell);
    if (found == codes.end()) {
      several.fail(fmt::format("{} is not in the data", cell.cell));
      continue;
    }
    const Cell& people = model.cells[found->second];
    several.add("rate of " + cell.cell, cell.rate,
                rate_of(model, found->second, !cell.not_compared && cell.benefits == Benefits::own),
                1);
    several.add("lottery share of " + cell.cell, cell.lottery_share,
                people.sums.n > 0 ? people.by_lot / people.sums.n : 0, 1);
  }
  if (record.cells->size() != codes.size()) {
    several.fail(fmt::format("{} recorded, {} in the data", record.cells->size(), codes.size()));
  }
  several.conclude(fmt::format("rates and lottery shares of {}", codes.size()));
}

void check_constraints(const Model& model, const FitRecord& record, Checks& checks) {
  Checks::Several several(checks, "constraints");
  std::multimap<std::string, Limit> limits;
  for (const Limit& limit : limits_of(model)) limits.emplace(limit.text, limit);
  for (const RecordedConstraint& constraint : record.constraints) {
    const auto known = limits.find(constraint.text);
    try {
      const Limit limit = known != limits.end() ? known->second : limit_in(model, constraint.text);
      double size = 1;
      for (const Limit::Part& part : limit.parts) {
        size = std::max(size, std::abs(part.factor) * magnified(model, part.of));
        if (part.of.measure == Measure::selected || part.of.measure == Measure::cost) {
          size = std::max(size, std::abs(constraint.value));
        }
      }
      several.add(constraint.text, constraint.value, value_of(model, limit), size);
    } catch (const std::logic_error&) {
      several.fail(fmt::format("{} is not asked for by the criterion", constraint.text));
    }
  }
  several.conclude(fmt::format("values of {}", record.constraints.size()));
}

void check_figures(const Model& model, const RecordedProof& proof, double magnitude,
                   Checks& checks) {
  double by_lot = 0;
  for (const Cell& cell : model.cells) by_lot += cell.by_lot;
  Checks::Several several(checks, "figures");
  several.add("lottery share", proof.lottery_share, by_lot / model.everybody().n, 1);
  several.add("base", proof.base, model.base(), magnitude);
  several.add("magnitude", proof.magnitude, magnitude, magnitude);
  several.conclude(
      fmt::format("lottery share {:.4g} %, base, magnitude", 100 * by_lot / model.everybody().n));
}

// Wilson's interval of a rate over so many rows, with 95 % confidence.
Interval interval_around(double rate, double rows) {
  constexpr double z = 1.959963984540054;
  const double spread = z * std::sqrt(rate * (1 - rate) * rows + z * z / 4);
  const double centre = rate * rows + z * z / 2;
  const double all = rows + z * z;
  return {rate > 0 ? std::max(0.0, (centre - spread) / all) : 0,
          rate < 1 ? std::min(1.0, (centre + spread) / all) : 1};
}

// What audits say of everybody; `rows`: every row counts once.
void check_audit(const char* name, const Model& model, By by, bool rows,
                 const RecordedFigures& recorded, Checks& checks) {
  const auto* const figures = std::get_if<Figures>(&recorded);
  if (!figures) return;
  double n = 0, good = 0, selected = 0, right = 0;
  for (const Cell& cell : model.cells) {
    for (const Atom& atom : cell.atoms) {
      const double q = by == By::rule ? atom.q : (atom.base ? 1 : 0);
      n += atom.n;
      good += atom.seen;
      selected += atom.n * q;
      right += atom.seen * q;
    }
  }
  const double wrong = selected - right;
  const double missed = good - right;
  Checks::Several several(checks, name);
  const auto add = [&](const char* what, const std::optional<double>& value, double found) {
    if (value) several.add(what, *value, found, std::max(1.0, std::abs(found)));
  };
  const auto add_rate = [&](const std::string& what, const std::optional<double>& value,
                            const std::optional<Interval>& interval, double some, double all) {
    add(what.c_str(), value, some / all);
    if (!interval) return;
    if (!rows) {
      several.fail("weighted rows have no interval of the " + what);
      return;
    }
    const Interval found = interval_around(some / all, all);
    several.add("interval of the " + what, interval->low, found.low, 1);
    several.add("interval of the " + what, interval->high, found.high, 1);
  };
  several.add("weight", figures->weight, n, n);
  add_rate("selection rate", figures->selection_rate, figures->selection_interval, selected, n);
  if (model.labelled) {
    add_rate("true positive rate", figures->true_positive_rate, figures->true_positive_interval,
             right, good);
    add_rate("false positive rate", figures->false_positive_rate, figures->false_positive_interval,
             wrong, n - good);
    add("precision", figures->precision, right / selected);
  }
  add("accuracy", figures->accuracy, (n - wrong - missed) / n);
  add("cost", figures->cost,
      (model.costs.false_positive * wrong + model.costs.false_negative * missed) / n);
  several.conclude(fmt::format("{:.4g} % selected, with all other figures", 100 * selected / n));
}

void check_coins(const Model& model, const FitRecord& record, Checks& checks) {
  if (record.lottery == Lottery::none) {
    double by_lot = 0;
    for (const Cell& cell : model.cells) by_lot += cell.by_lot;
    by_lot > 0 ? checks.no("coins", "the rule was to have none, but decides people by coin")
               : checks.yes("coins", "none");
  }
  if (!record.max_lottery) return;
  for (CellCode c = 0; c < model.cells.size(); ++c) {
    const Cell& cell = model.cells[c];
    double largest_score = 0;  // one score always may
    for (const Atom& atom : cell.atoms) {
      if (atom.q > 0 && atom.q < 1) largest_score = std::max(largest_score, atom.n);
    }
    const double allowed = std::max(*record.max_lottery * cell.sums.n, largest_score);
    if (cell.by_lot > allowed * (1 + verify_tolerance)) {
      checks.no("coins", fmt::format("coins decide {:.4g} % of {}, more than was allowed",
                                     100 * cell.by_lot / cell.sums.n, model.names.name(c)));
      return;
    }
  }
  checks.yes("coins", fmt::format("at most {:.4g} % of each group", 100 * *record.max_lottery));
}

Found found_in(const Model& model, const FitRecord& record) {
  Found out;
  out.primal = model.objective();
  out.magnitude = model.magnitude();
  for (const Comparison& comparison : comparisons_of(model)) {
    out.violation = std::max(out.violation, violation(model, comparison));
  }
  for (const Limit& limit : limits_of(model)) {
    out.violation = std::max(out.violation, violation(model, limit));
  }
  out.few_coins = record.lottery == Lottery::none || record.max_lottery.has_value();
  if (record.certified) {
    out.why_no_bound =
        "the limits of a certified fit are tighter than its criterion, and not recorded";
    return out;
  }
  const Proof proof = proof_by(model, record);
  if (!proof.known) {
    out.why_no_bound = "there are no multipliers";
  } else if (!proof.trouble.empty()) {
    out.why_no_bound = proof.trouble;
    out.bound_is_wrong = true;
  } else {
    out.bound = proof.bound;
  }
  return out;
}

}  // namespace
}  // namespace verifying

Verification verify(const StoredTally& data, const Rule& rule, const FitRecord& record) {
  using namespace verifying;
  if (record.criterion && record.proof) {
    try {
      (void)record.criterion->criterion();
    } catch (const std::invalid_argument& error) {  // no fit writes such a one
      Checks checks;
      checks.no("criterion", error.what());
      return checks.done();
    }
  }
  const Model model = model_of(data.tally, rule, record);
  Checks checks;
  checks.fingerprint("rule", record.rule_fingerprint, fingerprint(rule), "as it was fitted",
                     "the rule was changed after its fit");
  checks.fingerprint("data", record.fingerprint, data.fingerprint(), "those of the fit",
                     "not the data of the fit");
  check_people(data, record, checks);
  if (!model.unknown.empty()) {
    checks.no("groups",
              fmt::format("the rule does not know {}", model.names.name(model.unknown.front())));
    return checks.done();
  }
  const Found found = found_in(model, record);
  check_proof(*record.proof, found, checks);
  check_coins(model, record, checks);
  check_figures(model, *record.proof, found.magnitude, checks);
  check_cells(model, record, checks);
  if (!record.certified) check_constraints(model, record, checks);
  const bool rows = data.tally.unit_weights();
  check_audit("before", model, By::base, rows, record.before, checks);
  check_audit("after", model, By::rule, rows, record.after, checks);
  check_new_people(data, rule, record, checks);
  return checks.done();
}

}  // namespace evenhand
