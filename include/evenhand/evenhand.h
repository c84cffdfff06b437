// evenhand: even-handed decisions from any model's scores.
//
//   rows -> Tally -> Criterion -> solve -> Rule -> decisions, with audit beside it
//
// Everything here is a plain value: nothing to initialise, nothing global. Bad input throws
// std::invalid_argument, and looking up a cell or attribute that does not exist std::out_of_range;
// the library never prints, exits or aborts.
#pragma once

#include <evenhand/advice.h>
#include <evenhand/audit.h>
#include <evenhand/audit_confidence.h>
#include <evenhand/audit_limits.h>
#include <evenhand/audit_report.h>
#include <evenhand/bad_row.h>
#include <evenhand/benefits.h>
#include <evenhand/blind.h>
#include <evenhand/bootstrap.h>
#include <evenhand/calibrate.h>
#include <evenhand/calibrator.h>
#include <evenhand/cell_rows.h>
#include <evenhand/cells.h>
#include <evenhand/certify.h>
#include <evenhand/coin.h>
#include <evenhand/column.h>
#include <evenhand/confidence.h>
#include <evenhand/confidence_bound.h>
#include <evenhand/criterion.h>
#include <evenhand/decision_log.h>
#include <evenhand/explain.h>
#include <evenhand/fit_record.h>
#include <evenhand/fit_words.h>
#include <evenhand/frontier.h>
#include <evenhand/integers.h>
#include <evenhand/lottery.h>
#include <evenhand/many_groups.h>
#include <evenhand/monitor.h>
#include <evenhand/names.h>
#include <evenhand/plan.h>
#include <evenhand/pool_rare.h>
#include <evenhand/provenance.h>
#include <evenhand/requirement.h>
#include <evenhand/response.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>
#include <evenhand/segments.h>
#include <evenhand/sgd.h>
#include <evenhand/side_by_side.h>
#include <evenhand/soft.h>
#include <evenhand/soft_audit.h>
#include <evenhand/soft_check.h>
#include <evenhand/soft_rule.h>
#include <evenhand/solve.h>
#include <evenhand/sql.h>
#include <evenhand/tally.h>
#include <evenhand/tally_file.h>
#include <evenhand/tests_of_rates.h>
#include <evenhand/theory.h>
#include <evenhand/threads.h>
#include <evenhand/verify.h>
#include <evenhand/version.h>
