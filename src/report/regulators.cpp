// Tables that regulators ask for, with the headings that their rules give them. They state figures;
// what follows from them is for the reader to say.
#include <evenhand/tests_of_rates.h>
#include <evenhand/text.h>
#include <evenhand/version.h>

#include <cmath>

#include <fmt/format.h>

#include "report/categories.h"

namespace evenhand::report {
namespace {

std::optional<double> ratio_to(double rate, const std::optional<double>& highest) {
  if (!highest || *highest <= 0) return std::nullopt;
  return rate / *highest;
}

std::string smallest(const Subject& subject) {  // "2 %"
  return rounded(100 * subject.options.smallest_category, 4) + " %";
}

std::string unknown_note(const Subject& subject, const Categories& categories) {
  std::string out;
  if (categories.unknown > 0) {
    out += fmt::format(
        "{} people of an unknown category were assessed too; they are not included in these "
        "figures. ",
        people(categories.unknown));
  }
  double small = 0;
  for (const Category& one : categories.each) {
    if (one.small && !one.unknown) small += one.count.rows;
  }
  if (small > 0) {
    out += fmt::format(
        "Categories with less than {} of the people ({} people in all) have no impact ratio, and "
        "none is compared with them. ",
        smallest(subject), people(small));
  }
  if (subject.ruled() && subject.last().audit().lottery_share > 0) {
    out += "Where a coin decides, the number selected is the one to expect. ";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

Json ll144_table(const Subject& subject, const Categories& categories) {
  const bool scores = !subject.auditing.decisions;
  std::vector<Column> columns = {{"category", "Category", "name"},
                                 {"applicants", "# of Applicants", "count"},
                                 {"selected", "# Selected", "count"},
                                 {"selection_rate", "Selection Rate", "share"},
                                 {"impact_ratio", "Impact Ratio", "ratio"}};
  if (scores) {
    columns.push_back({"scoring_rate", "Scoring Rate", "share"});
    columns.push_back({"scoring_impact_ratio", "Impact Ratio (Scoring Rate)", "ratio"});
  }
  columns.push_back({"left_out", "Left out", "text"});
  Json out = table(categories.title, columns, unknown_note(subject, categories));
  out["unknown"] = categories.unknown;
  for (const Category& one : categories.each) {
    if (one.unknown) continue;
    const double rate = one.count.positive / one.count.rows;
    const double scoring = one.above / one.count.rows;
    Json row = {{"category", one.name},
                {"applicants", one.count.rows},
                {"selected", one.count.positive},
                {"selection_rate", rate},
                {"impact_ratio",
                 or_null(one.small ? std::nullopt : ratio_to(rate, categories.highest_rate))}};
    if (scores) {
      row["scoring_rate"] = scoring;
      row["scoring_impact_ratio"] =
          or_null(one.small ? std::nullopt : ratio_to(scoring, categories.highest_scoring));
    }
    row["left_out"] = one.small ? fmt::format("under {} of the people", smallest(subject)) : "";
    out["rows"].push_back(std::move(row));
  }
  return out;
}

// The group that all others are compared with: the one with the highest rate, and of these the
// largest.
const Category* highest(const Categories& categories) {
  const Category* out = nullptr;
  for (const Category& one : categories.each) {
    if (one.unknown) continue;
    const double rate = one.count.positive / one.count.rows;
    const double best = out ? out->count.positive / out->count.rows : -1;
    if (rate > best || (rate == best && one.count.rows > out->count.rows)) out = &one;
  }
  return out;
}

// The test is of decisions that were taken.
RateCount nearest(const RateCount& count) {
  return {std::round(count.positive), std::round(count.rows)};
}

Json eeoc_table(const Subject& subject, const Categories& categories) {
  const Category* const reference = highest(categories);
  std::string note =
      reference ? fmt::format("Compared with {}, which has the highest rate. ", reference->name)
                : "";
  note +=
      "Standard deviations and Fisher's exact test compare each group with that one; the "
      "shortfall is how many more people would have been selected at the highest rate.";
  if (subject.ruled() && subject.last().audit().lottery_share > 0) {
    note +=
        " Where a coin decides, the number selected is the one to expect; Fisher's test takes "
        "the nearest whole number.";
  }
  Json out = table(categories.title,
                   {{"group", "Group", "name"},
                    {"applicants", "Applicants", "count"},
                    {"selected", "Selected", "count"},
                    {"selection_rate", "Selection rate", "share"},
                    {"ratio", "Ratio to the highest rate", "ratio"},
                    {"standard_deviations", "Difference in standard deviations", "number"},
                    {"fisher_p", "Fisher's exact p", "p"},
                    {"shortfall", "Shortfall", "number"}},
                   note);
  for (const Category& one : categories.each) {
    if (one.unknown) continue;
    const bool itself = &one == reference;
    const bool counted = subject.tally().unit_weights();
    const bool tested = counted && !itself;
    const double rate = one.count.positive / one.count.rows;
    out["rows"].push_back(
        {{"group", one.name},
         {"applicants", one.count.rows},
         {"selected", one.count.positive},
         {"selection_rate", rate},
         {"ratio", or_null(ratio_to(rate, reference->count.positive / reference->count.rows))},
         {"standard_deviations", counted && !itself
                                     ? Json(standard_deviations(one.count, reference->count))
                                     : Json(nullptr)},
         {"fisher_p", tested ? Json(fisher_exact(nearest(one.count), nearest(reference->count)).p)
                             : Json(nullptr)},
         {"shortfall", itself ? Json(nullptr) : Json(shortfall(one.count, reference->count))}});
  }
  return out;
}

template <class Table>
Json tables(const Subject& subject, const Table& make) {
  Json out = Json::array();
  for (const Categories& categories : categories_of(subject)) {
    out.push_back(make(subject, categories));
  }
  return out;
}

}  // namespace

Json local_law_144(const Subject& subject) {
  return tables(subject, ll144_table);
}

Json eeoc(const Subject& subject) {
  return tables(subject, eeoc_table);
}

Json annex_iv(const Subject& subject) {
  const StoredTally& stored = subject.data.stored;
  Json out = table("Validation and testing: data, metrics, record",
                   {{"item", "Item", "text"}, {"value", "Value", "text"}});
  const auto add = [&](const std::string& item, const std::string& value) {
    out["rows"].push_back({{"item", item}, {"value", value}});
  };
  const Figures& figures = subject.last().audit().overall.figures;
  add("Testing procedure", subject.ruled()
                               ? "Audit of the decision rule on the data below, before and after"
                               : "Audit of the decisions in the data below");
  add("Testing data", subject.data.name);
  add("People", people(figures.weight));
  add("Left out for a missing value", with_commas(stored.source.excluded));
  add("Characteristics that decisions are compared by", in_words(subject.roles()));
  add("Outcomes known", stored.tally.labelled() ? "yes" : "no");
  const std::string trusting =
      subject.last().audit().expected ? " (to expect, if the scores are calibrated)" : "";
  if (figures.accuracy) add("Metric of accuracy", percent(figures.accuracy) + trusting);
  if (figures.cost) add("Metric of accuracy: mean cost", rounded(*figures.cost, 6) + trusting);
  if (subject.tally().labelled()) {
    add("True-positive rate", percent(figures.true_positive_rate));
    add("False-positive rate", percent(figures.false_positive_rate));
    add("Precision", percent(figures.precision));
  }
  for (const std::string& line : subject.bound.in_words()) add("Metric of robustness", line);
  add("Potentially discriminatory impacts", headline(subject.last()));
  if (subject.asked) add("Criterion asked for", in_words(subject.criterion));
  for (const CheckedRequirement& one : subject.last().requirements) {
    add("Requirement", one.text + (one.holds() ? ": holds" : ": does not hold"));
  }
  add("Version of the software", "evenhand " EVENHAND_VERSION);
  for (const ReportedRule& rule : subject.rules) {
    add("Rule", rule.name);
    if (!rule.fit.version.empty()) add("Rule fitted by", "evenhand " + rule.fit.version);
    if (!rule.fit.fingerprint.empty()) {
      add("Fingerprint of the data the rule was fitted on", rule.fit.fingerprint);
    }
  }
  add("Fingerprint of the testing data", stored.fingerprint());
  add("Date", subject.options.date);
  add("Responsible person", "");
  add("Signature", "");
  return out;
}

}  // namespace evenhand::report
