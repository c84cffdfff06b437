// What can go wrong, and the exit status that says so.
#pragma once

#include <stdexcept>
#include <string>

namespace evenhand::cli {

enum ExitStatus : int {
  exit_done = 0,
  exit_other = 1,       // anything that is not the user's to change
  exit_usage = 2,       // input or options are wrong
  exit_infeasible = 3,  // the requirements cannot be met
  exit_exceeded = 4,    // a check failed: audit --fail-above, monitor, verify
  exit_too_few = 5,     // rows, to certify a rule
  exit_inaccurate = 6,  // a rule could not be proven optimal
};

// The user's input or options are wrong. One line: what, where, what to do.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Anything else that ends a run: a full disk, a broken pipe.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Ctrl-C, or a polite kill.
struct Interrupted : std::runtime_error {
  explicit Interrupted(int signal_number)
      : std::runtime_error("interrupted"), signal(signal_number) {}
  int signal;
};

}  // namespace evenhand::cli
