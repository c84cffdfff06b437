// One set of decisions about a tally, counted once and audited by any grouping.
#pragma once

#include <evenhand/audit_report.h>

#include <vector>

#include "audit/totals.h"
#include "rule/grouping.h"

namespace evenhand {

// The base decisions, or those made elsewhere. Throws as audit does.
Decider base_decider(const Tally& tally, const AuditOptions& options);

class Auditor {
 public:
  // Of the base decisions, or decisions made elsewhere; and of a rule. Both throw as audit does.
  Auditor(const Tally& tally, const AuditOptions& options);
  Auditor(const Tally& tally, const Rule& rule, const AuditOptions& options);

  Audit by(const Roles& roles) const;
  // In each stratum, or over all groups of all strata for criteria that compare strata too.
  std::vector<ComparedRates> compared(const Roles& roles, const AuditScope& scope) const;
  const std::vector<Totals>& totals() const noexcept { return totals_; }  // of each cell
  const Tally& tally() const noexcept { return tally_; }
  bool effective() const noexcept { return !options_.squared_weights.empty(); }
  // From labels, or as the scores expect them.
  bool knows_outcomes() const noexcept { return knows_outcomes_; }

 private:
  Auditor(const Tally& tally, const AuditOptions& options, Outlook outlook, Decider decider);

  // How many rows a rate is worth; none where rows have weights that nobody squared.
  std::optional<double> rows_of(const Totals& totals, Rate rate) const;
  Figures figures(const Totals& totals) const;
  std::optional<Spread> spread(const std::vector<AuditedGroup>& groups,
                               std::optional<double> Figures::*rate) const;
  Comparison compare_groups(const std::vector<CellGroup>& groups) const;

  const Tally& tally_;
  const AuditOptions& options_;
  double z_;  // of the intervals
  Outlook outlook_;
  bool labelled_;        // and the labels tell
  bool knows_outcomes_;  // from labels, or as the scores expect them
  std::vector<CellCode> unseen_;
  std::vector<Totals> totals_;
  std::optional<CalibrationReport> calibration_;
};

}  // namespace evenhand
