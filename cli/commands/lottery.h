// Options about coins, and what a fit says about them.
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

// Whom coins decide, and what it would cost to decide nobody by coin.
std::string coins_in_words(const Tally& tally, const Solution& fit);

// For standard error: that a rule without coins gives everybody the same answer, and which
// tolerance would do better. Empty if it does not.
std::string warning_of_constant_rule(const Tally& tally, const Solution& fit);

}  // namespace evenhand::cli
