#include "commands/audit_limits.h"

#include <evenhand/text.h>

#include <utility>

#include <fmt/format.h>

#include "error.h"
#include "options.h"
#include "output/terminal.h"

namespace evenhand::cli {

void AuditLimits::check() const {
  for (const auto& [limit, option] :
       {std::pair(fail_above, "--fail-above"), std::pair(fail_below, "--fail-below")}) {
    if (limit && !(*limit >= 0 && *limit <= 1)) {
      throw UserError(fmt::format("{} takes a number from 0 to 1", option));
    }
  }
}

int AuditLimits::judge(const std::string& data, const AuditReport& report,
                       const std::string& by) const {
  if (!report.largest_difference || !report.smallest_ratio) {
    return judge(data, std::nullopt, std::nullopt);
  }
  return judge(data, report.largest_difference->difference(), report.smallest_ratio->ratio(), by);
}

int AuditLimits::judge(const std::string& data, const SoftAudit& audit) const {
  return judge(data, audit.largest_difference(), audit.smallest_ratio());
}

int AuditLimits::judge(const std::string& data, std::optional<double> difference,
                       std::optional<double> ratio, const std::string& by) const {
  if ((fail_above || fail_below) && !(difference && ratio)) {
    throw UserError(data + ": there are no two groups to compare");
  }
  constexpr double rounding = 1e-9;  // a rule fitted to a tolerance keeps it up to this
  if (fail_above && *difference > *fail_above + rounding) {
    say(fmt::format("evenhand: {}the largest difference is {}, above {}", by,
                    rounded(*difference, 6), rounded(*fail_above, 6)));
    return exit_exceeded;
  }
  if (fail_below && *ratio < *fail_below - rounding) {
    say(fmt::format("evenhand: {}the smallest ratio is {}, below {}", by, rounded(*ratio, 6),
                    rounded(*fail_below, 6)));
    return exit_exceeded;
  }
  return exit_done;
}

void add_limits(Command& command, AuditLimits& limits) {
  add_number(command, "--fail-above", limits.fail_above,
             "Exit with status 4 if a difference is larger than this");
  add_number(command, "--fail-below", limits.fail_below,
             "Exit with status 4 if a ratio of rates is smaller than this, for example 0.8");
}

}  // namespace evenhand::cli
