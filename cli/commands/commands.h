// The commands. Each adds itself to the program; when it was asked for, it runs and leaves the
// exit status in `status`.
#pragma once

#include <string>
#include <vector>

#include "command.h"

namespace evenhand::cli {

void add_demo(Command& program, int& status);
void add_fit(Command& program, int& status);
void add_apply(Command& program, int& status);
void add_show(Command& program, int& status);
void add_explain(Command& program, int& status);
void add_audit(Command& program, int& status);
void add_frontier(Command& program, int& status);
void add_calibrate(Command& program, int& status);
void add_tally(Command& program, int& status);
void add_merge(Command& program, int& status);
void add_sql(Command& program, int& status);
void add_plan(Command& program, int& status);
void add_monitor(Command& program, int& status);
void add_report(Command& program, int& status);
void add_verify(Command& program, int& status);
void add_theory(Command& program, int& status);
void add_manual(Command& program, int& status);  // completion and man

// The whole program, for main and for the demo. Never throws; messages go to standard error.
int run(const std::vector<std::string>& arguments);

}  // namespace evenhand::cli
