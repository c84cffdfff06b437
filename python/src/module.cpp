// The Python package's compiled half. What users see is in python/evenhand/*.py.
#include <evenhand/version.h>

#include "columns.h"
#include "options.h"
#include "sql.h"

NB_MODULE(_core, m) {
  using namespace evenhand::python;
#ifdef NDEBUG
  // Worker processes (pytest-xdist, joblib) end with objects still alive: nobody's mistake, and no
  // news for users. Debug builds tell.
  nanobind::set_leak_warnings(false);
#endif
  m.attr("version") = EVENHAND_VERSION;
  bind_columns(m);
  bind_values(m);
  bind_arrow(m);
  bind_names(m);
  bind_tally(m);
  bind_tally_source(m);
  bind_calibrate(m);
  bind_rule(m);
  bind_solve_options(m);
  bind_solve(m);
  bind_sgd(m);
  bind_confidence(m);
  bind_monitor(m);
  bind_soft(m);
  bind_audit(m);
  bind_frontier(m);
  bind_report(m);
  bind_theory(m);
  bind_verify(m);
  bind_sql(m);
}
