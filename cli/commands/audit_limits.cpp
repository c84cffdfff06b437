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
       {std::pair(fail_above, "--fail-above"), std::pair(fail_below, "--fail-below"),
        std::pair(if_shown_above, "--fail-if-shown-above"),
        std::pair(unless_shown_below, "--fail-unless-shown-below"),
        std::pair(if_shown_ratio_below, "--fail-if-shown-ratio-below"),
        std::pair(unless_shown_ratio_above, "--fail-unless-shown-ratio-above")}) {
    if (limit && !(*limit >= 0 && *limit <= 1)) {
      throw UserError(fmt::format("{} takes a number from 0 to 1", option));
    }
  }
}

bool AuditLimits::about_new_people() const noexcept {
  return if_shown_above || unless_shown_below || if_shown_ratio_below || unless_shown_ratio_above;
}

int AuditLimits::judge(const std::string& data, const AuditReport& report,
                       const AuditConfidence& confidence, const std::string& by) const {
  if (!report.largest_difference || !report.smallest_ratio) {
    if (about_new_people()) throw UserError(data + ": there are no two groups to compare");
    return judge(data, std::nullopt, std::nullopt);
  }
  const int observed =
      judge(data, report.largest_difference->difference(), report.smallest_ratio->ratio(), by);
  return observed != exit_done ? observed : judge(confidence, by);
}

namespace {

// One figure with both of its sides, and what may not be shown, or must be.
int judge_shown(const ConfidenceBound& bound, const std::optional<double>& not_beyond,
                const std::optional<double>& within, const std::string& by) {
  const char* const figure = bound.is_ratio ? "the smallest ratio" : "the largest difference";
  const char* const bad_side = bound.is_ratio ? "below" : "above";
  const char* const good_side = bound.is_ratio ? "above" : "below";
  const std::string sure = fmt::format("({} % confidence)", rounded(100 * bound.confidence, 6));
  constexpr double rounding = 1e-9;  // as of what is observed
  const auto beyond = [&](double value, double limit) {
    return bound.is_ratio ? value < limit - rounding : value > limit + rounding;
  };
  if (not_beyond && bound.shown && beyond(*bound.shown, *not_beyond)) {
    say(fmt::format("evenhand: {}the data show that {} is {} {}: at {} {} {}", by, figure, bad_side,
                    rounded(*not_beyond, 6), bound.is_ratio ? "most" : "least",
                    rounded(*bound.shown, 6), sure));
    return exit_exceeded;
  }
  if (within && !(bound.value && !beyond(*bound.value, *within))) {
    say(fmt::format("evenhand: {}the data do not show that {} is {} {}: {}", by, figure, good_side,
                    rounded(*within, 6),
                    bound.value ? fmt::format("it may be {} {}", rounded(*bound.value, 6), sure)
                                : bound.reason));
    return exit_exceeded;
  }
  return exit_done;
}

}  // namespace

int AuditLimits::judge(const AuditConfidence& confidence, const std::string& by) const {
  const int difference = judge_shown(confidence.difference, if_shown_above, unless_shown_below, by);
  if (difference != exit_done) return difference;
  return judge_shown(confidence.ratio, if_shown_ratio_below, unless_shown_ratio_above, by);
}

int AuditLimits::judge(const std::string& data, const SoftAudit& audit,
                       const std::string& by) const {
  return judge(data, audit.largest_difference(), audit.smallest_ratio(), by);
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

AuditConfidence confidence_by(const RuleFile* rule, bool same_rows, const StoredTally& data,
                              const AuditReport& report, double confidence) {
  AuditConfidenceOptions options{.confidence = confidence};
  if (rule && (same_rows || rule->fit.fitted_on(data))) options.fitted_by = rule->fit;
  return confidence_of(report, options);
}

void add_limits(Command& command, AuditLimits& limits) {
  add_number(command, "--fail-above", limits.fail_above,
             "Exit with status 4 if a difference is larger than this");
  add_number(command, "--fail-below", limits.fail_below,
             "Exit with status 4 if a ratio of rates is smaller than this, for example 0.8");
  add_number(command, "--fail-if-shown-above", limits.if_shown_above,
             "The same only if the data show, with the given confidence, that a difference is "
             "larger than this");
  add_number(command, "--fail-unless-shown-below", limits.unless_shown_below,
             "The same unless the data show, with the given confidence, that no difference is "
             "larger than this");
  add_number(command, "--fail-if-shown-ratio-below", limits.if_shown_ratio_below,
             "The same only if the data show that a ratio of rates is smaller than this");
  add_number(command, "--fail-unless-shown-ratio-above", limits.unless_shown_ratio_above,
             "The same unless the data show that no ratio of rates is smaller than this");
}

}  // namespace evenhand::cli
