// How the figures were made: method, assumptions, provenance.
#include <evenhand/text.h>
#include <evenhand/version.h>

#include <fmt/format.h>

#include "report/origin.h"
#include "report/subject.h"

namespace evenhand::report {
namespace {

std::string proof(const RecordedProof& found) {
  return fmt::format("{}: within {} of the best rule that meets the criterion; violation {}",
                     to_string(found.status), rounded(std::max(0.0, found.gap), 3),
                     rounded(found.violation, 3));
}

}  // namespace

Json said(const std::string& title, const std::string& text, const std::string& page) {
  return {{"title", title}, {"text", text}, {"page", page}};
}

Json said_of_thresholds() {
  return said(
      "The rule",
      "For each group the rule is a threshold of the score; at a few scores a coin decides, "
      "always the same way for the same person. Among all rules that meet the criterion on "
      "the people it was fitted on it makes the fewest errors, weighted by their costs.",
      "docs/method.md");
}

Json method(const Subject& subject) {
  Json out = Json::array();
  if (subject.ruled()) out.push_back(said_of_thresholds());
  out.push_back(said("Intervals",
                     fmt::format("Ranges of rates are Wilson's, with {} % confidence for each "
                                 "rate on its own, for decisions that were not fitted on these "
                                 "people. Weighted rows have none.",
                                 rounded(100 * subject.auditing.confidence, 6)),
                     "docs/confidence.md"));
  out.push_back(said("New people",
                     subject.same_rows
                         ? "The rule was fitted on these very people; the bound allows for that. "
                           "It holds for all groups at once, for people drawn independently from "
                           "the same population."
                         : "The bound is for decisions that were not fitted on these people. It "
                           "holds for all groups at once, for people drawn independently from the "
                           "same population.",
                     "docs/confidence.md"));
  if (subject.last().audit().expected) {
    out.push_back(said("Expected figures",
                       "There are no outcomes in these data: accuracy and cost are what to expect "
                       "if the scores are calibrated, and nothing here tells whether they are.",
                       "docs/guide.md"));
  }
  out.push_back(said("Comparisons",
                     fmt::format("The criterion compares {}. Who is compared with whom, and what "
                                 "is a fair difference, was chosen by people, not by this report.",
                                 in_words(subject.roles())),
                     "docs/choosing.md"));
  out.push_back(said("Regulators' tables",
                     "Their headings follow the rules they are named after. They state figures "
                     "and no legal conclusion.",
                     "docs/report.md"));
  return out;
}

void add_item(Json& table, const std::string& item, const std::string& value) {
  if (!value.empty()) table["rows"].push_back({{"item", item}, {"value", value}});
}

void add_rule(Json& table, const std::string& name, const FitRecord& fit, const StoredTally* data) {
  const auto add = [&](const std::string& item, const std::string& value) {
    add_item(table, item, value);
  };
  add("Rule", name);
  if (!fit.version.empty()) add("Fitted by", "evenhand " + fit.version);
  if (fit.proof) add("Proof", proof(*fit.proof));
  if (fit.rows) add("Fitted on", fmt::format("{} rows", with_commas(*fit.rows)));
  add("Fingerprint of the data it was fitted on", fit.fingerprint);
  if (!fit.fingerprint.empty() && data) {
    add("Fitted on these very data", fit.fitted_on(*data) ? "yes" : "no");
  }
  if (fit.source) {
    add("Fitted by the command", fit.source->command);
    for (const FitSource::File& file : fit.source->files) {
      add("Fitted on the file",
          file.bytes ? fmt::format("{}, {} bytes", file.name, with_commas(*file.bytes))
                     : file.name);
    }
    add("Fitted on the query", fit.source->sql);
    for (const auto& [program, version] : fit.source->versions) {
      add("Fitted with", program + " " + version);
    }
    add("Fitted at", fit.source->time);
  }
  for (const std::string& note : fit.notes) add("Note", note);
}

Json provenance(const Subject& subject) {
  Json out = table("Provenance", {{"item", "Item", "text"}, {"value", "Value", "text"}});
  const auto add = [&](const std::string& item, const std::string& value) {
    add_item(out, item, value);
  };
  const StoredTally& stored = subject.data.stored;
  add("Report made by", "evenhand " EVENHAND_VERSION);
  add("Date", subject.options.date);
  add("Data", subject.data.name);
  if (stored.rows()) add("Rows", with_commas(*stored.rows()));
  add(subject.auditing.decisions ? "Decisions in column" : "Score in column", stored.source.score);
  add("Outcomes in column", stored.source.label);
  add("Weights in column", stored.source.weight);
  add("Resolution of scores", to_string(stored.tally.resolution()));
  add("Fingerprint of the data", stored.fingerprint());
  for (const ReportedRule& rule : subject.rules) {
    add_rule(out, rule.name, rule.fit, &stored);
  }
  return out;
}

}  // namespace evenhand::report
