// The scores: how far they can be trusted, and where the rule draws its lines.
#include <evenhand/audit_json.h>
#include <evenhand/calibrate.h>

#include <fmt/format.h>

#include "report/subject.h"

namespace evenhand::report {
namespace {

constexpr std::size_t most_charts = 60;  // cells with a chart of their own; a table has all

Json bins_of(const CalibrationFigures& figures) {
  Json out = Json::array();
  for (const ReliabilityBin& bin : figures.bins) {
    out.push_back({{"from", bin.from},
                   {"to", bin.to},
                   {"people", bin.weight},
                   {"said", bin.mean_p},
                   {"happened", bin.observed}});
  }
  return out;
}

Json row_of(const std::string& name, const CalibrationFigures& figures) {
  return {{"cell", name},
          {"people", figures.weight},
          {"ece", or_null(figures.ece)},
          {"brier", or_null(figures.brier)},
          {"log_loss", or_null(figures.log_loss)}};
}

// The part of a step rule that coins decide, from the lowest score on.
struct Line {
  std::optional<double> yes;          // the score from which on everybody is selected
  std::optional<double> coin;         // and the one from which on a coin decides
  std::optional<double> probability;  // of that coin, the largest if there are several
};

Line line_of(const Response& response, const Reading& reading) {
  Line out;
  for (const Point& point : response.points) {
    if (point.q >= 1 && !out.yes) out.yes = reading.turn(point.score);
    if (point.q > 0 && point.q < 1) {
      if (!out.coin) out.coin = reading.turn(point.score);
      out.probability = point.q;
    }
  }
  if (response.shape == Response::Shape::steps && response.start > 0 && response.start < 1) {
    out.coin = reading.turn(reading.lowest());
    if (!out.probability) out.probability = response.start;
  }
  return out;
}

}  // namespace

Json calibration(const Subject& subject) {
  const Tally& tally = subject.tally();
  const bool known = subject.auditing.calibrator || tally.reading().has_probability();
  if (!tally.labelled() || subject.auditing.decisions || !known) return nullptr;
  const CalibrationReport report =
      subject.auditing.calibrator
          ? calibration_report(tally, *subject.auditing.calibrator, subject.options.bins)
          : calibration_report(tally, subject.options.bins);
  Json out = table("Calibration by group",
                   {{"cell", "Group", "name"},
                    {"people", "People", "count"},
                    {"ece", "Expected calibration error", "number"},
                    {"brier", "Brier score", "number"},
                    {"log_loss", "Log loss", "number"}},
                   subject.auditing.calibrator ? "Of the probabilities that the rule's calibrator "
                                                 "makes of the scores."
                                               : "Of the scores as probabilities.");
  out["rows"].push_back(row_of("everybody", report.overall));
  Json& charts = out["charts"] = Json::array();
  charts.push_back({{"cell", "everybody"}, {"bins", bins_of(report.overall)}});
  for (CellCode c = 0; c < report.cells.size(); ++c) {
    out["rows"].push_back(row_of(tally.cells().name(c), report.cells[c]));
    if (report.cells.size() > 1 && report.cells.size() <= most_charts) {
      charts.push_back({{"cell", tally.cells().name(c)}, {"bins", bins_of(report.cells[c])}});
    }
  }
  return out;
}

Json thresholds(const Subject& subject) {
  if (!subject.ruled()) return nullptr;
  const Rule& rule = subject.rules.front().rule;
  const Reading& reading = rule.parts().reading;
  Json out = table("Thresholds by group", {{"cell", "Group", "name"},
                                           {"yes", "Selected from", "number"},
                                           {"coin", "By coin from", "number"},
                                           {"probability", "Chance of the coin", "share"},
                                           {"words", "In words", "text"}});
  if (reading.favorable == Favorable::low) {
    out["columns"][1]["title"] = "Selected up to";
    out["columns"][2]["title"] = "By coin up to";
  }
  for (CellCode c = 0; c < rule.cells().size(); ++c) {
    const Line line = line_of(rule.parts().responses[c], reading);
    const std::string name = rule.cells().name(c);
    out["rows"].push_back({{"cell", name},
                           {"yes", or_null(line.yes)},
                           {"coin", or_null(line.coin)},
                           {"probability", or_null(line.probability)},
                           {"words", rule.describe(c).substr(name.size() + 2)}});
  }
  return out;
}

}  // namespace evenhand::report
