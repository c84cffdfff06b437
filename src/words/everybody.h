// Figures of everybody under a rule.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/fit_record.h>

namespace evenhand {

inline Figures everybody(const Tally& tally, const Rule& rule, const AuditOptions& options) {
  return audit(tally, {.sensitive = tally.cells().attributes()}, rule, options).overall.figures;
}
inline Figures everybody(const Tally& tally, const Solution& fit) {
  return everybody(tally, fit.rule, auditing_of(fit));
}

}  // namespace evenhand
