// The answer in three sentences, for a reader who stops there.
#include <evenhand/text.h>

#include <cmath>

#include <fmt/format.h>

#include "report/subject.h"

namespace evenhand::report {
namespace {

constexpr std::size_t shortened = 60;

std::string decided(const Subject& subject) {
  const Figures& now = subject.last().audit().overall.figures;
  const Figures& was = subject.before.audit().overall.figures;
  const std::string who = fmt::format("{} people in {}", people(now.weight),
                                      quoted_if_needed(subject.data.name, shortened));
  if (!subject.ruled()) {
    return subject.auditing.decisions
               ? fmt::format("Of {}, {} were selected.", who, percent(now.selection_rate))
               : fmt::format("Of {}, the score alone selects {}.", who,
                             percent(now.selection_rate));
  }
  const std::string asked =
      subject.asked ? ", fitted for " + in_words(subject.criterion) + "," : "";
  return fmt::format("The rule {}{} selects {} of {}; the score alone selects {}.",
                     quoted_if_needed(subject.rules.front().name, shortened), asked,
                     percent(now.selection_rate), who, percent(was.selection_rate));
}

std::string observed(const AuditReport& report, bool is_ratio) {
  if (!report.largest_difference || !report.smallest_ratio) return "nothing to compare";
  return is_ratio ? rounded(report.smallest_ratio->ratio(), 3)
                  : points(report.largest_difference->difference());
}

// Rounded to the safe side.
std::string bounded(const ConfidenceBound& bound) {
  if (bound.is_ratio) return rounded(std::floor(*bound.value * 1000) / 1000, 3);
  return points(std::ceil(*bound.value * 1000 - 1e-9) / 1000);
}

std::string fair(const Subject& subject) {
  const AuditReport& report = subject.last();
  if (subject.criterion.rates.empty()) {
    std::size_t holding = 0;
    for (const CheckedRequirement& one : report.requirements) holding += one.holds() ? 1 : 0;
    return fmt::format("On these people {} of {} requirements hold.", holding,
                       report.requirements.size());
  }
  if (!report.largest_difference) {
    return fmt::format("There are no two {} to compare.", in_words(subject.roles()));
  }
  const bool is_ratio = subject.criterion.relation == Relation::ratio;
  std::string rates;
  for (const Rate rate : subject.criterion.rates) {
    rates += fmt::format("{}{}s", rates.empty() ? "" : " and ", rate_of(rate).words);
  }
  std::string out = is_ratio
                        ? fmt::format("On these people the smallest ratio of {} between {} is {}",
                                      rates, in_words(subject.roles()), observed(report, true))
                        : fmt::format("On these people the {} of {} differ by at most {}", rates,
                                      in_words(subject.roles()), observed(report, false));
  if (subject.ruled()) {
    out += fmt::format(" ({} by the score alone)", observed(subject.before, is_ratio));
  }
  const ConfidenceBound& bound = subject.bound;
  if (!bound.value) return out + fmt::format("; no bound for new people: {}.", bound.reason);
  return out + fmt::format("; on new people like these, {} {}, with {} % confidence.",
                           is_ratio ? "it is at least" : "by at most", bounded(bound),
                           rounded(100 * bound.confidence, 6));
}

std::string right(const Subject& subject, const Figures& figures) {
  if (subject.auditing.costs != Costs{}) {
    return figures.cost ? rounded(*figures.cost, 4) : "unknown";
  }
  return percent(figures.accuracy);
}

std::string priced(const Subject& subject) {
  const Audit& now = subject.last().audit();
  const bool costs = subject.auditing.costs != Costs{};
  const std::string what =
      fmt::format("{}{}", costs ? "mean cost of a decision" : "accuracy",
                  now.expected ? " to expect, if the scores are calibrated," : "");
  const std::string now_right = right(subject, now.overall.figures);
  const bool known =
      costs ? now.overall.figures.cost.has_value() : now.overall.figures.accuracy.has_value();
  if (!subject.ruled()) {
    return known ? fmt::format("The {} is {}.", what, now_right)
                 : "Whether the decisions were right is not known: there are no outcomes.";
  }
  const Change changed = subject.changed();
  const double differently = changed.to_yes + changed.to_no;
  return fmt::format(
      "The {} goes from {} to {}; {} people ({}) are decided differently, {} of them selected "
      "instead of turned down, and a coin decides for {} {}.",
      what, right(subject, subject.before.audit().overall.figures), now_right, people(differently),
      percent(changed.weight > 0 ? differently / changed.weight : 0), people(changed.to_yes),
      people(now.lottery_share * changed.weight),
      people(now.lottery_share * changed.weight) == "1" ? "person" : "people");
}

}  // namespace

Json answer(const Subject& subject) {
  return {decided(subject), fair(subject), priced(subject)};
}

}  // namespace evenhand::report
