// side_by_side: several rules about the same people, and who is decided differently.
#pragma once

#include <evenhand/audit_report.h>
#include <evenhand/rule.h>

#include <span>
#include <vector>

namespace evenhand {

// The people of a cell whose decision is another one, by the weight that is to be expected. The
// same person with the same key has the same coin u under every rule, and each says yes when u is
// below its q: so a no becomes a yes with probability max(0, q - q of the first rule).
struct Change {
  CellCode cell = 0;
  double weight = 0;  // of the cell
  double to_yes = 0;  // a no of the first rule
  double to_no = 0;   // a yes of the first rule
};

struct RuleBeside {
  AuditReport report;
  bool needs_group = false;     // it asks for one of the sensitive attributes
  std::vector<Change> changes;  // against the first rule, for each cell of the tally
  Change changed() const;       // of everybody
};

struct SideBySide {
  AuditReport base;               // the decisions by the score alone
  std::vector<RuleBeside> rules;  // in the order in which they were given
};

// What is expected without labels trusts one calibrator for all: that of the options, or of the
// first rule. Throws like audit_report, and std::invalid_argument without a rule.
SideBySide side_by_side(const Tally& tally, const AuditScope& scope, std::span<const Rule> rules,
                        const AuditOptions& options = {});

// The same of one rule against the base decisions. Throws like audit.
std::vector<Change> changes_from_base(const Tally& tally, const Rule& rule,
                                      const AuditOptions& options = {});

}  // namespace evenhand
