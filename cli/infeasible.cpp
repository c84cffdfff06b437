#include "infeasible.h"

#include <fmt/format.h>

#include "error.h"
#include "figures.h"
#include "output.h"
#include "support/text.h"
#include "terminal.h"

namespace evenhand::cli {

int say_infeasible(const Solution& fit, bool json) {
  const Infeasibility& why = *fit.infeasibility;
  std::string clash;
  for (const std::string& text : why.clash) clash += (clash.empty() ? "" : "; ") + text;
  if (json) {
    Json out;
    out["status"] = to_string(fit.status);
    out["clash"] = why.clash;
    out["total_violation"] = why.total_violation;
    out["common_slack"] = why.common_slack;
    print(out.dump(2) + "\n");
  }
  say(printable(fmt::format(
      "evenhand: no rule meets the requirements: {}; a slack of {} in every bound would do",
      clash.empty() ? "they clash with the criterion" : clash, rounded(why.common_slack, 6))));
  return exit_infeasible;
}

}  // namespace evenhand::cli
