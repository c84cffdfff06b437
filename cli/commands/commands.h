// The commands. Each adds itself to the program; when it was asked for, it runs and leaves the
// exit status in `status`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace evenhand::cli {

void add_demo(CLI::App& program, int& status);
void add_fit(CLI::App& program, int& status);
void add_apply(CLI::App& program, int& status);
void add_show(CLI::App& program, int& status);
void add_audit(CLI::App& program, int& status);
void add_frontier(CLI::App& program, int& status);
void add_calibrate(CLI::App& program, int& status);
void add_tally(CLI::App& program, int& status);
void add_merge(CLI::App& program, int& status);
void add_theory(CLI::App& program, int& status);
void add_manual(CLI::App& program, int& status);  // completion and man

// The whole program, for main and for the demo. Never throws; messages go to standard error.
int run(const std::vector<std::string>& arguments);

}  // namespace evenhand::cli
