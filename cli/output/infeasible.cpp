#include "output/infeasible.h"

#include <evenhand/text.h>

#include <fmt/format.h>

#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {

int say_infeasible(const Criterion& criterion, const Infeasibility& why, bool json) {
  std::string clash;
  for (const std::string& text : why.clash) clash += (clash.empty() ? "" : "; ") + text;
  const std::string with =
      criterion.rates.empty() ? "" : fmt::format(", together with {}", criterion.name);
  if (json) {
    Json out;
    out["status"] = to_string(Status::infeasible);
    out["clash"] = why.clash;
    out["criterion"] = criterion.name;
    out["total_violation"] = why.total_violation;
    out["common_slack"] = why.common_slack;
    print(out.dump(2) + "\n");
  }
  if (why.for_lack_of_coins) {
    say(printable(fmt::format(
        "evenhand: {} rule with so few coins meets the {}; allow coins, or a larger tolerance",
        why.searched ? "no" : "found no", clash.empty() ? "criterion" : "requirements: " + clash)));
    return exit_infeasible;
  }
  say(printable(fmt::format(
      "evenhand: no rule meets the requirements: {}; relaxing every bound by {} would make them "
      "feasible",
      clash.empty() ? "they clash with the criterion" : clash + with,
      rounded(why.common_slack, 6))));
  return exit_infeasible;
}

}  // namespace evenhand::cli
