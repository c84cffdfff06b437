#include <evenhand/side_by_side.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "audit/auditor.h"
#include "audit/totals.h"
#include "tally/data.h"

namespace evenhand {
namespace {

std::vector<Change> changes_between(const Tally& tally, const Decider& first,
                                    const Decider& other) {
  const Tally::Data& data = tally.data();
  const Sorted& sorted = data.sorted();
  std::vector<Change> out;
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    Change change{c, tally.total(c).n};
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      const double more =
          other(c, sorted.score[i], data.reading) - first(c, sorted.score[i], data.reading);
      (more > 0 ? change.to_yes : change.to_no) += sorted.n(i) * std::abs(more);
    }
    out.push_back(change);
  }
  return out;
}

bool needs_group(const Rule& rule, const Roles& roles) {
  const std::vector<std::string>& asked = rule.cells().attributes();
  return std::any_of(asked.begin(), asked.end(), [&](const std::string& name) {
    return std::find(roles.sensitive.begin(), roles.sensitive.end(), name) != roles.sensitive.end();
  });
}

}  // namespace

Change RuleBeside::changed() const {
  Change out;
  for (const Change& one : changes) {
    out.weight += one.weight;
    out.to_yes += one.to_yes;
    out.to_no += one.to_no;
  }
  return out;
}

std::vector<Change> changes_from_base(const Tally& tally, const Rule& rule,
                                      const AuditOptions& options) {
  AuditOptions base = options;
  if (!base.calibrator) base.calibrator = rule.parts().calibrator;
  return changes_between(tally, base_decider(tally, base), decider_by(tally, rule, options.unseen));
}

SideBySide side_by_side(const Tally& tally, const AuditScope& scope, std::span<const Rule> rules,
                        const AuditOptions& options) {
  if (rules.empty()) throw std::invalid_argument("there is no rule to compare");
  AuditOptions shared = options;
  if (!shared.calibrator) shared.calibrator = rules.front().parts().calibrator;
  SideBySide out{audit_report(tally, scope, shared), {}};
  const Decider first = decider_by(tally, rules.front(), options.unseen);
  for (const Rule& rule : rules) {
    out.rules.push_back({audit_report(tally, scope, rule, shared), needs_group(rule, scope.roles),
                         changes_between(tally, first, decider_by(tally, rule, options.unseen))});
  }
  return out;
}

}  // namespace evenhand
