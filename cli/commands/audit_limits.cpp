#include "commands/audit_limits.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "error.h"
#include "options.h"
#include "output/terminal.h"

namespace evenhand::cli {

namespace {

int say_exceeded(const AuditLimits& limits, const std::string& data, const AuditedExtremes& found,
                 const std::string& by) {
  std::vector<std::string> failures;
  try {
    failures = exceeded(limits, found);
  } catch (const std::invalid_argument& error) {
    throw UserError(data + ": " + error.what());
  }
  for (const std::string& failure : failures) say("evenhand: " + by + failure);
  return failures.empty() ? exit_done : exit_exceeded;
}

}  // namespace

void check(const AuditLimits& limits) {
  for (const auto& [limit, option] :
       {std::pair(limits.fail_above, "--fail-above"), std::pair(limits.fail_below, "--fail-below"),
        std::pair(limits.if_shown_above, "--fail-if-shown-above"),
        std::pair(limits.unless_shown_below, "--fail-unless-shown-below"),
        std::pair(limits.if_shown_ratio_below, "--fail-if-shown-ratio-below"),
        std::pair(limits.unless_shown_ratio_above, "--fail-unless-shown-ratio-above")}) {
    if (limit && !(*limit >= 0 && *limit <= 1)) {
      throw UserError(fmt::format("{} takes a number from 0 to 1", option));
    }
  }
}

int judge(const AuditLimits& limits, const std::string& data, const AuditReport& report,
          const AuditConfidence& confidence, const std::string& by) {
  AuditedExtremes found{.difference = {},
                        .ratio = {},
                        .difference_bound = &confidence.difference,
                        .ratio_bound = &confidence.ratio};
  if (report.largest_difference) found.difference = report.largest_difference->difference();
  if (report.smallest_ratio) found.ratio = report.smallest_ratio->ratio();
  return say_exceeded(limits, data, found, by);
}

int judge(const AuditLimits& limits, const std::string& data, const SoftAudit& audit,
          const std::string& by) {
  const AuditedExtremes found{.difference = audit.largest_difference(),
                              .ratio = audit.smallest_ratio(),
                              .difference_bound = nullptr,
                              .ratio_bound = nullptr};
  return say_exceeded(limits, data, found, by);
}

AuditConfidence confidence_by(const RuleFile* rule, bool same_rows, const StoredTally& data,
                              const AuditReport& report, double confidence) {
  AuditConfidenceOptions options{.confidence = confidence};
  if (rule && (same_rows || rule->fit.fitted_on(data))) options.fitted_by = rule->fit;
  return confidence_of(report, options);
}

void add_limits(Command& command, AuditLimits& limits) {
  add_numbers(
      command,
      {
          {"--fail-above", limits.fail_above,
           "Exit with status 4 if a difference is larger than this"},
          {"--fail-below", limits.fail_below,
           "Exit with status 4 if a ratio of rates is smaller than this, for example 0.8"},
          {"--fail-if-shown-above", limits.if_shown_above,
           "The same only if the data show, with the given confidence, that a difference is "
           "larger than this"},
          {"--fail-unless-shown-below", limits.unless_shown_below,
           "The same unless the data show, with the given confidence, that no difference is "
           "larger than this"},
          {"--fail-if-shown-ratio-below", limits.if_shown_ratio_below,
           "The same only if the data show that a ratio of rates is smaller than this"},
          {"--fail-unless-shown-ratio-above", limits.unless_shown_ratio_above,
           "The same unless the data show that no ratio of rates is smaller than this"},
      });
}

}  // namespace evenhand::cli
