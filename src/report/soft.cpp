// The report of a rule for groups that are known by probabilities only.
#include <evenhand/audit.h>
#include <evenhand/soft_check.h>
#include <evenhand/soft_report.h>
#include <evenhand/text.h>
#include <evenhand/version.h>

#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "report/beside.h"
#include "report/origin.h"
#include "report/subject.h"

namespace evenhand {
namespace report {
namespace {

struct SoftSubject {
  const SoftReported& about;
  SoftAuditOptions auditing;  // with the rates of the criterion
  // What has to hold; none: nothing, and the rates of `criterion` are compared.
  std::optional<RecordedCriterion> asked;
  std::string criterion;
  SoftAudit before;
  SoftBeside after;  // the first rule, beside the decisions by the score alone
  bool given_outcome;

  const SoftReportedRule& first() const { return about.rules.front(); }
  const SoftChange& changed() const { return after.changes.back(); }
  bool by_cost() const { return auditing.costs != Costs{}; }
  bool by_ratio() const { return asked && asked->ratio; }
  std::string assumption() const {
    return std::string(soft_assumption(before.rates, given_outcome));
  }
  std::optional<double> of(const SoftAudit& audit) const {
    return by_ratio() ? audit.smallest_ratio() : audit.largest_difference();
  }
  std::string figure(const SoftAudit& audit) const {
    const auto value = of(audit);
    if (!value) return "nothing to compare";
    return by_ratio() ? rounded(*value, 3) : points(*value);
  }
};

const Reading& reading_of(const SoftReported& about) {
  const AnyRule& rule = about.rules.front().rule;
  const Rule* const known = std::get_if<Rule>(&rule);
  return known ? known->parts().reading : std::get<SoftRule>(rule).parts().reading;
}

std::vector<double> by_the_score(const SoftReported& about) {
  const Reading& reading = reading_of(about);
  std::vector<double> out;
  for (const double score : about.rows.score) {
    const double p = reading.probability(reading.turn(score));
    out.push_back(benefit(p, about.auditing.costs) > 0 ? 1 : 0);
  }
  return out;
}

SoftSubject subject_of(const SoftReported& about) {
  if (about.rules.empty()) throw std::invalid_argument("a report on soft groups needs a rule");
  const FitRecord& fit = about.rules.front().fit;
  const auto& given = about.criterion;
  const std::string criterion = given ? given->name : compared_by(fit);
  std::optional<RecordedCriterion> asked;
  if (given && (given->tolerance || given->ratio)) {
    asked = given;
  } else if (fit.criterion && !fit.criterion->soft.empty() && criterion == compared_by(fit)) {
    asked = fit.criterion;
  }
  SoftAuditOptions auditing = about.auditing;
  const auto& rates = find_criterion(criterion).rates;
  auditing.rates = {rates.begin(), rates.end()};
  return {about,
          auditing,
          asked,
          criterion,
          audit_soft(about.rows, auditing),
          audit_soft_beside(about.rows, by_the_score(about), about.rules.front().q, auditing),
          about.rows.columns.empty()};
}

std::vector<std::string> columns_of(const SoftReported& about) {
  std::vector<std::string> names;
  const SoftRows& rows = about.rows;
  for (const auto* list : {&rows.columns, &rows.favorable, &rows.unfavorable}) {
    for (const SoftColumn& column : *list) names.push_back(column.name);
  }
  return names;
}

std::string compared_in_words(const SoftSubject& subject) {
  return for_those_who_belong(subject.asked.value_or(RecordedCriterion{.name = subject.criterion}),
                              columns_of(subject.about));
}

Json answer_of(const SoftSubject& subject) {
  const SoftReported& about = subject.about;
  const SoftAudit& now = subject.after.audit;
  const bool costs = subject.by_cost();
  const auto right = [&](const SoftAudit& audit) {
    if (!costs) return percent(audit.accuracy);
    return audit.cost ? rounded(*audit.cost, 4) : std::string("unknown");
  };
  const double differently = subject.changed().to_yes + subject.changed().to_no;
  const FitRecord& fit = subject.first().fit;
  return {
      fmt::format("The rule {}, {}selects {} of {} people in {}; the score alone selects {}.",
                  quoted_if_needed(subject.first().name, 60),
                  fit.criterion ? fmt::format("fitted for {}, ", fitted_for(fit)) : "",
                  percent(now.selection_rate), people(now.weight), quoted_if_needed(about.data, 60),
                  percent(subject.before.selection_rate)),
      fmt::format(
          "On these people {} between those who belong and the others is expected to be "
          "{} ({} by the score alone): {}; no bound for new people, as nobody's group is "
          "known.",
          subject.by_ratio() ? "the smallest ratio of rates" : "the largest difference of rates",
          subject.figure(now), subject.figure(subject.before), subject.assumption()),
      fmt::format(
          "The {}{} goes from {} to {}; {} people ({}) are decided differently, {} of them "
          "selected instead of turned down, and a coin decides for {}.",
          costs ? "mean cost of a decision" : "accuracy",
          now.expected ? " to expect, if the scores are calibrated," : "", right(subject.before),
          right(now), people(differently), percent(now.weight > 0 ? differently / now.weight : 0),
          people(subject.changed().to_yes), people(subject.after.lottery_share * now.weight))};
}

Json rates_table(const SoftSubject& subject) {
  Json out =
      table("Those who belong, and the others", {{"stratum", "Within", "name"},
                                                 {"column", "Column", "name"},
                                                 {"rate", "Rate", "text"},
                                                 {"belong", "Belong", "share"},
                                                 {"before", "Those who do, before", "share"},
                                                 {"after", "Those who do, after", "share"},
                                                 {"others_before", "Others, before", "share"},
                                                 {"others_after", "Others, after", "share"}});
  out["expected"] = "Expected rates: " + subject.assumption() + ".";
  const std::vector<std::string>& within = subject.about.within;
  for (std::size_t k = 0; k < subject.before.strata.size(); ++k) {
    const SoftAuditedStratum& was = subject.before.strata[k];
    for (std::size_t j = 0; j < was.columns.size(); ++j) {
      const SoftPair& before = was.columns[j];
      const SoftPair& after = subject.after.audit.strata[k].columns[j];
      out["rows"].push_back({{"stratum", GroupName{within, was.values}.text()},
                             {"column", before.column},
                             {"rate", rate_of(before.of).words},
                             {"belong", before.mean},
                             {"before", or_null(before.rate)},
                             {"after", or_null(after.rate)},
                             {"others_before", or_null(before.others)},
                             {"others_after", or_null(after.others)}});
    }
  }
  return out;
}

Json held_by(const SoftSubject& subject, const SoftAudit& audit) {
  return {{"largest_difference", or_null(audit.largest_difference())},
          {"smallest_ratio", or_null(audit.smallest_ratio())},
          {"headline",
           fmt::format("{}, between those who belong and the others", subject.figure(audit))}};
}

Json held_of(const SoftSubject& subject) {
  Json out;
  out["before"] = held_by(subject, subject.before);
  out["after"] = held_by(subject, subject.after.audit);
  const auto value = subject.of(subject.after.audit);
  constexpr double rounding = 1e-9;
  out["holds"] = nullptr;
  if (subject.asked && value) {
    out["holds"] = subject.by_ratio() ? *value >= *subject.asked->ratio - rounding
                                      : *value <= subject.asked->tolerance.value_or(0) + rounding;
  }
  ConfidenceBound none;
  none.reason = "nobody's group is known, so no group's rate is observed";
  out["bound"] = Json::parse(none.to_json({}));
  out["bound_words"] = none.in_words();
  out["strata"] = nullptr;
  out["requirements"] = nullptr;
  return out;
}

Json figures_of(const SoftAudit& audit, double coins) {
  return {{"selection_rate", audit.selection_rate},
          {"accuracy", or_null(audit.accuracy)},
          {"cost", or_null(audit.cost)},
          {"lottery_share", coins}};
}

Json costs_of(const SoftSubject& subject) {
  Json out;
  out["expected"] = subject.before.expected;
  out["cost_fp"] = subject.auditing.costs.false_positive;
  out["cost_fn"] = subject.auditing.costs.false_negative;
  out["before"] = figures_of(subject.before, 0);
  out["after"] = figures_of(subject.after.audit, subject.after.lottery_share);
  const SoftChange& all = subject.changed();
  out["changed"] = {
      {"people", all.to_yes + all.to_no}, {"to_yes", all.to_yes}, {"to_no", all.to_no}};
  Json& changes = out["changes"] = table("Who is decided differently, in expectation",
                                         {{"cell", "Those who belong, by", "name"},
                                          {"people", "People", "count"},
                                          {"to_yes", "Selected instead of turned down", "count"},
                                          {"to_no", "Turned down instead of selected", "count"}});
  for (const SoftChange& change : subject.after.changes) {
    if (change.column.empty()) continue;
    changes["rows"].push_back({{"cell", change.column},
                               {"people", change.weight},
                               {"to_yes", change.to_yes},
                               {"to_no", change.to_no}});
  }
  return out;
}

Json beside_of(const SoftSubject& subject) {
  const SoftReported& about = subject.about;
  if (about.rules.size() < 2) return nullptr;
  std::vector<RuleRow> rows = {{"the score alone", "nothing", false, figures_of(subject.before, 0),
                                held_by(subject, subject.before)}};
  for (const SoftReportedRule& rule : about.rules) {
    const SoftBeside beside =
        audit_soft_beside(about.rows, subject.first().q, rule.q, subject.auditing);
    rows.push_back({rule.name, fitted_for(rule.fit),
                    asks_for_group(rule.rule, rule.fit, about.within),
                    figures_of(beside.audit, beside.lottery_share), held_by(subject, beside.audit),
                    beside.changes.back().to_yes, beside.changes.back().to_no});
  }
  return rules_table(rows);
}

Json words_of(const AnyRule& rule) {
  Json out = table("How the rule decides", {{"words", "In words", "text"}});
  out["words"] = true;
  std::istringstream lines(std::visit([](const auto& one) { return one.describe(); }, rule));
  for (std::string line; std::getline(lines, line);) out["rows"].push_back({{"words", line}});
  return out;
}

Json not_compared_of(const SoftSubject& subject) {
  Json out = table("Not compared", {{"group", "Column", "name"}, {"why", "Why", "text"}});
  for (const SoftAuditedStratum& stratum : subject.before.strata) {
    for (const SoftPair& pair : stratum.columns) {
      if (pair.rate && pair.others) continue;
      const std::string where = GroupName{subject.about.within, stratum.values}.text();
      out["rows"].push_back({{"group", where.empty() ? pair.column : pair.column + ", " + where},
                             {"why", pair.rate ? "everybody belongs" : "nobody belongs"}});
    }
  }
  return out;
}

Json about_people(const SoftSubject& subject) {
  const SoftReported& about = subject.about;
  const Reading& reading = reading_of(about);
  return {{"name", about.data},
          {"people", subject.before.weight},
          {"rows", about.rows.size()},
          {"excluded", about.excluded},
          {"weighted", !about.auditing.weight.empty()},
          {"labelled", !about.auditing.label.empty()},
          {"decisions", false},
          {"score", about.score},
          {"label", about.label},
          {"weight", about.weight},
          {"scale", to_string(reading.scale)},
          {"favorable", to_string(reading.favorable)}};
}

Json about_criterion_of(const SoftSubject& subject) {
  Json out = {{"asked", subject.asked.has_value()},
              {"name", "soft-" + subject.criterion},
              {"words", compared_in_words(subject)}};
  for (const Rate rate : subject.before.rates) out["rates"].push_back(rate_of(rate).name);
  out["sensitive"] = columns_of(subject.about);
  out["within"] = subject.about.within;
  if (subject.by_ratio()) out["ratio"] = *subject.asked->ratio;
  if (subject.asked && subject.asked->tolerance) out["tolerance"] = *subject.asked->tolerance;
  return out;
}

Json provenance_of(const SoftReported& about) {
  Json out = table("Provenance", {{"item", "Item", "text"}, {"value", "Value", "text"}});
  add_item(out, "Report made by", "evenhand " EVENHAND_VERSION);
  add_item(out, "Date", about.date);
  add_item(out, "Data", about.data);
  add_item(out, "Rows", with_commas(about.rows.size()));
  add_item(out, "Score in column", about.score);
  add_item(out, "Outcomes in column", about.label);
  add_item(out, "Weights in column", about.weight);
  for (const SoftReportedRule& rule : about.rules) add_rule(out, rule.name, rule.fit, nullptr);
  return out;
}

}  // namespace
}  // namespace report

nlohmann::ordered_json soft_report_figures(const SoftReported& about) {
  using report::said;
  const report::SoftSubject subject = report::subject_of(about);
  const SoftReportedRule& first = subject.first();
  report::Json out;
  out["report"] = 1;  // as of known groups
  out["evenhand"] = EVENHAND_VERSION;
  out["title"] =
      !about.title.empty() ? about.title : fmt::format("{} on {}", first.name, about.data);
  out["answer"] = report::answer_of(subject);
  out["data"] = report::about_people(subject);
  out["criterion"] = report::about_criterion_of(subject);
  out["selection"] = report::Json::array({report::rates_table(subject)});
  out["fairness"] = report::held_of(subject);
  out["costs"] = report::costs_of(subject);
  out["frontier"] = nullptr;
  out["rules"] = report::beside_of(subject);
  out["calibration"] = nullptr;
  out["thresholds"] = report::words_of(first.rule);
  out["not_compared"] = report::not_compared_of(subject);
  for (const char* none : {"ll144", "eeoc", "annex_iv"}) out[none] = nullptr;
  out["method"] = {
      std::holds_alternative<Rule>(first.rule)
          ? report::said_of_thresholds()
          : said("The rule",
                 "The rule takes the score and probabilities of belonging, and no group. Among all "
                 "rules that meet the criterion in expectation on the people it was fitted on it "
                 "makes the fewest errors to expect, weighted by their costs.",
                 "docs/method.md"),
      said("The assumption", "All of this is expected, not counted: " + subject.assumption() + ".",
           "docs/guide-soft.md"),
      said("What is not here",
           "Intervals, bounds for new people and the tables that regulators ask for need people "
           "whose group is known.",
           "docs/choosing.md")};
  out["provenance"] = report::provenance_of(about);
  return out;
}

}  // namespace evenhand
