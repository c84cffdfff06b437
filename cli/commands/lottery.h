// Options about coins.
#pragma once

#include <evenhand/solve.h>

#include <optional>
#include <string>

#include "command.h"

namespace evenhand::cli {

struct LotteryOptions {
  std::string lottery;  // empty: fewest
  std::optional<double> most;

  // Throws UserError for what is wrong whatever the data. `other` is what the fit is otherwise, if
  // not exact: an option that goes without these.
  void check(const std::string& other) const;
  void put_into(SolveOptions& options) const;
};
void add_lottery_options(Command& command, LotteryOptions& options);

}  // namespace evenhand::cli
