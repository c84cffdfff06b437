// The report of a rule for groups that are known by probabilities only.
#include <evenhand/audit.h>
#include <evenhand/soft_check.h>
#include <evenhand/soft_report.h>
#include <evenhand/text.h>
#include <evenhand/version.h>

#include <sstream>

#include <fmt/format.h>

#include "report/origin.h"
#include "report/subject.h"

namespace evenhand {
namespace report {
namespace {

struct SoftSubject {
  const SoftReported& about;
  SoftAudit before;
  SoftBeside after;  // beside the decisions by the score alone
  std::string criterion;
  bool given_outcome;

  const SoftChange& changed() const { return after.changes.back(); }
  bool by_cost() const { return about.auditing.costs != Costs{}; }
  std::string assumption() const {
    return std::string(soft_assumption(before.rates, given_outcome));
  }
  std::optional<double> of(const SoftAudit& audit) const {
    return about.fit.criterion && about.fit.criterion->ratio ? audit.smallest_ratio()
                                                             : audit.largest_difference();
  }
  std::string figure(const SoftAudit& audit) const {
    const auto value = of(audit);
    if (!value) return "nothing to compare";
    return about.fit.criterion && about.fit.criterion->ratio ? rounded(*value, 3) : points(*value);
  }
};

std::vector<double> by_the_score(const SoftReported& about) {
  const Reading reading = about.rule.parts().reading;
  std::vector<double> out;
  for (const double score : about.rows.score) {
    const double p = reading.probability(reading.turn(score));
    out.push_back(benefit(p, about.auditing.costs) > 0 ? 1 : 0);
  }
  return out;
}

std::string criterion_of(const SoftReported& about) {
  if (!about.fit.criterion) return "statistical-parity";
  std::string name = about.fit.criterion->name;
  if (name.starts_with("soft-")) name.erase(0, 5);
  return name;
}

std::string columns_of(const SoftReported& about) {
  std::vector<std::string> names;
  const SoftRows& rows = about.rows;
  for (const auto* list : {&rows.columns, &rows.favorable, &rows.unfavorable}) {
    for (const SoftColumn& column : *list) names.push_back(column.name);
  }
  return listed(names);
}

std::string asked(const SoftSubject& subject) {
  std::string out = subject.criterion + " for those who belong, by " + columns_of(subject.about);
  const auto& fit = subject.about.fit.criterion;
  if (fit && fit->tolerance && *fit->tolerance > 0) {
    out += fmt::format(", tolerance {}", rounded(*fit->tolerance, 6));
  }
  if (fit && fit->ratio) out += fmt::format(", ratio {}", rounded(*fit->ratio, 6));
  return out;
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
  const bool ratio = about.fit.criterion && about.fit.criterion->ratio;
  return {
      fmt::format("The rule {}, fitted for {}, selects {} of {} people in {}; the score alone "
                  "selects {}.",
                  quoted_if_needed(about.rule_name, 60), asked(subject),
                  percent(now.selection_rate), people(now.weight), quoted_if_needed(about.data, 60),
                  percent(subject.before.selection_rate)),
      fmt::format("On these people {} between those who belong and the others is expected to be "
                  "{} ({} by the score alone): {}; no bound for new people, as nobody's group is "
                  "known.",
                  ratio ? "the smallest ratio of rates" : "the largest difference of rates",
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
  Json out = table("Those who belong, and the others", {{"stratum", "Within", "name"},
                                                        {"column", "Column", "name"},
                                                        {"rate", "Rate", "text"},
                                                        {"belong", "Belong", "share"},
                                                        {"before", "Those who do", "share"},
                                                        {"after", "After", "share"},
                                                        {"others_before", "Others", "share"},
                                                        {"others_after", "After", "share"}});
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
  const auto& fit = subject.about.fit.criterion;
  const auto value = subject.of(subject.after.audit);
  constexpr double rounding = 1e-9;
  out["holds"] = nullptr;
  if (fit && value) {
    out["holds"] = fit->ratio ? *value >= *fit->ratio - rounding
                              : *value <= fit->tolerance.value_or(0) + rounding;
  }
  ConfidenceBound none;
  none.reason = "nobody's group is known, so no group's rate is observed";
  out["bound"] = Json::parse(none.to_json({}));
  out["bound_words"] = none.in_words();
  out["strata"] = nullptr;
  out["requirements"] = nullptr;
  return out;
}

Json costs_of(const SoftSubject& subject) {
  const auto figures = [](const SoftAudit& audit, double coins) -> Json {
    return {{"selection_rate", audit.selection_rate},
            {"accuracy", or_null(audit.accuracy)},
            {"cost", or_null(audit.cost)},
            {"lottery_share", coins}};
  };
  Json out;
  out["expected"] = subject.before.expected;
  out["cost_fp"] = subject.about.auditing.costs.false_positive;
  out["cost_fn"] = subject.about.auditing.costs.false_negative;
  out["before"] = figures(subject.before, 0);
  out["after"] = figures(subject.after.audit, subject.after.lottery_share);
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

Json words_of(const SoftRule& rule) {
  Json out = table("How the rule decides", {{"words", "In words", "text"}});
  out["words"] = true;
  std::istringstream lines(rule.describe());
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
  const Reading reading = about.rule.parts().reading;
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
  Json out = {{"asked", true}, {"name", "soft-" + subject.criterion}, {"words", asked(subject)}};
  for (const Rate rate : subject.before.rates) out["rates"].push_back(rate_of(rate).name);
  out["sensitive"] = Json::array();
  for (const SoftChange& change : subject.after.changes) {
    if (!change.column.empty()) out["sensitive"].push_back(change.column);
  }
  if (out["sensitive"].empty()) out["sensitive"].push_back(columns_of(subject.about));
  out["within"] = subject.about.within;
  const auto& fit = subject.about.fit.criterion;
  if (fit && fit->ratio) out["ratio"] = *fit->ratio;
  if (fit && fit->tolerance) out["tolerance"] = *fit->tolerance;
  return out;
}

Json provenance_of(const SoftReported& about) {
  Json out = table("Provenance", {{"item", "Item", "text"}, {"value", "Value", "name"}});
  add_item(out, "Report made by", "evenhand " EVENHAND_VERSION);
  add_item(out, "Date", about.date);
  add_item(out, "Data", about.data);
  add_item(out, "Rows", with_commas(about.rows.size()));
  add_item(out, "Score in column", about.score);
  add_item(out, "Outcomes in column", about.label);
  add_item(out, "Weights in column", about.weight);
  add_rule(out, about.rule_name, about.fit, "");
  return out;
}

}  // namespace
}  // namespace report

nlohmann::ordered_json soft_report_figures(const SoftReported& about) {
  using report::said;
  const report::SoftSubject subject{
      about, audit_soft(about.rows, about.auditing),
      audit_soft_beside(about.rows, report::by_the_score(about), about.q, about.auditing),
      report::criterion_of(about), about.rows.columns.empty()};
  report::Json out;
  out["report"] = 1;  // as of known groups
  out["evenhand"] = EVENHAND_VERSION;
  out["title"] =
      !about.title.empty() ? about.title : fmt::format("{} on {}", about.rule_name, about.data);
  out["answer"] = report::answer_of(subject);
  out["data"] = report::about_people(subject);
  out["criterion"] = report::about_criterion_of(subject);
  out["selection"] = report::Json::array({report::rates_table(subject)});
  out["fairness"] = report::held_of(subject);
  out["costs"] = report::costs_of(subject);
  for (const char* none : {"frontier", "rules", "calibration"}) out[none] = nullptr;
  out["thresholds"] = report::words_of(about.rule);
  out["not_compared"] = report::not_compared_of(subject);
  for (const char* none : {"ll144", "eeoc", "annex_iv"}) out[none] = nullptr;
  out["method"] = {
      said("The rule",
           "The rule takes the score and probabilities of belonging, and no group. Among all rules "
           "that meet the criterion in expectation on the people it was fitted on it makes the "
           "fewest errors to expect, weighted by their costs.",
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
