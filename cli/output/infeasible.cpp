#include "output/infeasible.h"

#include <evenhand/text.h>

#include <fmt/format.h>

#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {

int say_infeasible(const Solution& fit, bool json) {
  const Infeasibility& why = *fit.infeasibility;
  std::string clash;
  for (const std::string& text : why.clash) clash += (clash.empty() ? "" : "; ") + text;
  const std::string with =
      fit.criterion.rates.empty() ? "" : fmt::format(", together with {}", fit.criterion.name);
  if (json) {
    Json out;
    out["status"] = to_string(fit.status);
    out["clash"] = why.clash;
    out["criterion"] = fit.criterion.name;
    out["total_violation"] = why.total_violation;
    out["common_slack"] = why.common_slack;
    print(out.dump(2) + "\n");
  }
  say(printable(fmt::format(
      "evenhand: no rule meets the requirements: {}; a slack of {} in every bound would do",
      clash.empty() ? "they clash with the criterion" : clash + with,
      rounded(why.common_slack, 6))));
  return exit_infeasible;
}

}  // namespace evenhand::cli
