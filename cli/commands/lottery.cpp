#include "commands/lottery.h"

#include <evenhand/names.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "error.h"
#include "options.h"

namespace evenhand::cli {
void LotteryOptions::check(const std::string& other) const {
  if (!other.empty() && most) throw UserError("--max-lottery cannot be combined with " + other);
  if (!other.empty() && !lottery.empty()) {
    throw UserError("--lottery cannot be combined with " + other);
  }
  const Lottery kind = lottery.empty() ? Lottery::fewest : lottery_from(lottery);
  if (most && !(*most >= 0 && *most <= 1)) {
    throw UserError(fmt::format("--max-lottery is a share of each group, from 0 to 1, not {}",
                                shortest(*most)));
  }
  if (most && kind != Lottery::fewest) {
    throw UserError(fmt::format("--max-lottery cannot be combined with --lottery {}", lottery));
  }
}

void LotteryOptions::put_into(SolveOptions& options) const {
  if (!lottery.empty()) options.lottery = lottery_from(lottery);
  options.max_lottery = most;
}

void add_lottery_options(Command& command, LotteryOptions& options) {
  command.add_option(
      "--lottery", options.lottery, "KIND",
      "Who is decided by a coin: " + choices_of("lottery").text() + " (default: fewest)");
  add_number(
      command, "--max-lottery", options.most,
      "Largest share of each group decided by a coin (one score is always allowed); the rule "
      "may be less accurate");
}

}  // namespace evenhand::cli
