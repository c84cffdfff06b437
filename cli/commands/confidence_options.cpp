#include "commands/confidence_options.h"

#include <evenhand/names.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "error.h"
#include "help.h"

namespace evenhand::cli {
namespace {

void check_between(const std::optional<double>& value, const char* option) {
  if (value && !(*value > 0 && *value < 1)) {
    throw UserError(
        fmt::format("{} lies between 0 and 1, for example 0.95, not {}", option, shortest(*value)));
  }
}

}  // namespace

void ConfidenceOptions::check(const ProblemOptions& problem, bool soft, bool stochastic) const {
  check_between(confidence, "--confidence");
  check_between(certify, "--certify");
  if (!bound.empty()) build();
  if (soft && (confidence || !bound.empty())) {
    throw UserError(
        "--soft cannot be combined with --confidence or --bound: nobody's group is known, so no "
        "group's rate is observed");
  }
  if (!certify) {
    if (certify_partial) {
      throw UserError("--certify-partial needs --certify, for example --certify 0.95");
    }
    return;
  }
  const auto refuse = [](const char* option, const char* why) {
    throw UserError(fmt::format("--certify cannot be combined with {}: {}", option, why));
  };
  if (soft) refuse("--soft", "nobody's group is known, so no group's rate is observed");
  if (stochastic) refuse("--solver sgd", "a certificate needs the exact optimum");
  if (confidence) refuse("--confidence", "--certify already sets the confidence");
  if (!bound.empty()) refuse("--bound", "certified rules are bounded by same-rate");
  if (!problem.rows.weight.empty()) refuse("--weight", "the certificate counts people");
  if (!problem.fairness.require.empty()) {
    refuse("--require", "requirements move the rates of groups by more than its window");
  }
  if (!problem.fit.gamma.empty() && problem.fit.gamma != "0") {
    refuse("--gamma", "certified rules are thresholds");
  }
  if (problem.fairness.across != "intersection") {
    refuse("--across", "groups by single columns pool several cells");
  }
  const bool ratio = problem.fairness.ratio.has_value() ||
                     problem.fairness.criterion.find("fifths") != std::string::npos;
  if (!ratio && problem.fairness.tolerance.value_or(0) == 0) {
    throw UserError(
        "--certify needs a --tolerance above 0: no number of people shows that a difference is "
        "exactly 0");
  }
}

BoundOptions ConfidenceOptions::build() const {
  BoundOptions out{.confidence = confidence.value_or(0.95)};
  if (!bound.empty()) out.kind = bound_kind_from(bound);
  return out;
}

void add_confidence_options(Command& command, ConfidenceOptions& options) {
  const Section section(command, "New people");
  add_number(command, "--confidence", options.confidence,
             "Confidence of the bound for new people (default: 0.95)");
  command.add_option("--bound", options.bound, "NAME",
                     "Kind of bound: " + choices_of("bound").text() +
                         " (default: same-rate where it holds, else any)");
  add_number(command, "--certify", options.certify,
             "Find the most accurate rule that meets the criterion on new people too, with this "
             "confidence; exit status 5 if there are too few rows");
  command.add_flag("--certify-partial", options.certify_partial,
                   "Certify the strata that have enough rows, and list those that do not");
}

}  // namespace evenhand::cli
