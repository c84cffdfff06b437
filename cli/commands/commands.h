// The commands, as a Subcommand adds them.
#pragma once

#include <string>
#include <vector>

#include "command.h"

namespace evenhand::cli {

void add_demo(Command& command, int& status);
void add_fit(Command& command, int& status);
void add_apply(Command& command, int& status);
void add_show(Command& command, int& status);
void add_explain(Command& command, int& status);
void add_audit(Command& command, int& status);
void add_frontier(Command& command, int& status);
void add_calibrate(Command& command, int& status);
void add_tally(Command& command, int& status);
void add_merge(Command& command, int& status);
void add_sql(Command& command, int& status);
void add_plan(Command& command, int& status);
void add_monitor(Command& command, int& status);
void add_report(Command& command, int& status);
void add_verify(Command& command, int& status);
void add_theory(Command& command, int& status);
void add_manual(Command& program, int& status);  // completion and man

// The whole program, for main and for the demo. Never throws; messages go to standard error.
int run(const std::vector<std::string>& arguments);

}  // namespace evenhand::cli
