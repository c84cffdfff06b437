#include "output/reliability.h"

#include <evenhand/text.h>

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "output/terminal.h"

namespace evenhand::cli {
namespace {

using Align = Table::Align;

std::string shown_figure(const std::optional<double>& value) {
  return value ? rounded(*value, 4) : "-";
}

std::string bins_table(const CalibrationFigures& figures) {
  Table table({"probability", "people", "said", "happened"},
              {Align::left, Align::right, Align::right, Align::right});
  for (const ReliabilityBin& bin : figures.bins) {
    table.add({fmt::format("{} to {}", rounded(bin.from, 3), rounded(bin.to, 3)),
               people(bin.weight), percent(bin.mean_p, 1), percent(bin.observed, 1)});
  }
  return table.text();
}

// Rows of a table with a column for each of the two reports that is there.
struct ReportColumns {
  const Reliability& of;

  std::vector<std::string> titles(std::vector<std::string> titles, std::string_view name) const {
    if (of.before) titles.push_back(of.after ? fmt::format("{} before", name) : std::string(name));
    if (of.after) titles.push_back(of.before ? "after" : std::string(name));
    return titles;
  }
  void add(std::vector<std::string>& row, const CalibrationFigures* before,
           const CalibrationFigures* after,
           std::optional<double> CalibrationFigures::*figure) const {
    if (before) row.push_back(shown_figure(before->*figure));
    if (after) row.push_back(shown_figure(after->*figure));
  }
};

struct Measure {
  const char* name;
  const char* short_name;
  std::optional<double> CalibrationFigures::*value;
};
constexpr std::array<Measure, 3> measures = {{
    {"expected calibration error", "ECE", &CalibrationFigures::ece},
    {"Brier score", "Brier", &CalibrationFigures::brier},
    {"log loss", "log loss", &CalibrationFigures::log_loss},
}};

std::string curve_in_words(const CalibrationCurve& curve, bool low) {
  const char* const score = low ? "-score" : "score";
  if (const auto* platt = std::get_if<PlattCurve>(&curve)) {
    return fmt::format("p = 1 / (1 + exp(-({} * {} {} {})))", rounded(platt->slope, 6), score,
                       platt->offset < 0 ? "-" : "+", rounded(std::abs(platt->offset), 6));
  }
  if (const auto* heat = std::get_if<TemperatureCurve>(&curve)) {
    return fmt::format("p = 1 / (1 + exp(-logit / {}))", rounded(heat->temperature, 6));
  }
  return "steps of isotonic regression";
}

Json curve_json(const CalibrationCurve& curve) {
  if (const auto* platt = std::get_if<PlattCurve>(&curve)) {
    return {{"slope", platt->slope}, {"offset", platt->offset}};
  }
  if (const auto* heat = std::get_if<TemperatureCurve>(&curve)) {
    return {{"temperature", heat->temperature}};
  }
  return Json::object();
}

}  // namespace

Reliability reliability_of(const Tally& tally, const std::optional<Calibrator>& calibrator,
                           std::size_t bins) {
  Reliability out;
  if (tally.reading().has_probability() || !calibrator) {
    out.before = calibration_report(tally, bins);
  }
  if (calibrator) out.after = calibration_report(tally, *calibrator, bins);
  return out;
}

std::string to_text(const Reliability& reliability, const CellNames& names) {
  const ReportColumns columns{reliability};
  const auto* const before = reliability.before ? &*reliability.before : nullptr;
  const auto* const after = reliability.after ? &*reliability.after : nullptr;
  std::vector<std::string> titles = {""};
  if (before) titles.emplace_back(after ? "before" : "scores");
  if (after) titles.emplace_back(before ? "after" : "calibrated");
  Table overall(titles, 1);
  for (const Measure& measure : measures) {
    std::vector<std::string> row = {measure.name};
    columns.add(row, before ? &before->overall : nullptr, after ? &after->overall : nullptr,
                measure.value);
    overall.add(row);
  }
  std::string out = overall.text();
  const CalibrationReport& any = before ? *before : reliability.after.value();
  if (any.cells.size() > 1) {
    titles = {"cell", "people"};
    for (const Measure& measure : measures) titles = columns.titles(titles, measure.short_name);
    Table cells(titles, 1);
    for (CellCode c = 0; c < any.cells.size(); ++c) {
      std::vector<std::string> row = {cell_shown(names, c), people(any.cells[c].weight)};
      for (const Measure& measure : measures) {
        columns.add(row, before ? &before->cells[c] : nullptr, after ? &after->cells[c] : nullptr,
                    measure.value);
      }
      cells.add(row);
    }
    out += "\n" + cells.text();
  }
  if (before) {
    out += fmt::format("\n  {}\n", strong(after ? "Before: what the scores said, and what happened"
                                                : "What the scores said, and what happened"));
    out += bins_table(before->overall);
  }
  if (after) {
    out += fmt::format("\n  {}\n",
                       strong(before ? "After" : "What was said, calibrated, and what happened"));
    out += bins_table(after->overall);
  }
  return out;
}

Json to_json(const Reliability& reliability, const CellNames& names) {
  Json out;
  if (reliability.before) out["before"] = evenhand::to_json(*reliability.before, names);
  if (reliability.after) out["after"] = evenhand::to_json(*reliability.after, names);
  return out;
}

std::string cell_shown(const CellNames& names, CellCode cell) {
  if (names.attributes().empty()) return names.name(cell);
  std::string out;
  for (std::size_t i = 0; i < names.attributes().size(); ++i) {
    out += fmt::format("{}{}={}", i > 0 ? ", " : "", shown(names.attributes()[i]),
                       shown(names.values(cell)[i]));
  }
  return out;
}

std::string in_words(Calibration method, CalibrateBy by) {
  return fmt::format("{}, {}", to_string(method),
                     by == CalibrateBy::cell ? "a curve for each cell" : "one curve for all");
}

std::string to_text(const Calibrator& calibrator) {
  const bool low = calibrator.reading.favorable == Favorable::low;
  std::string out;
  if (calibrator.by() == CalibrateBy::all) {
    return fmt::format("  everybody: {}\n", curve_in_words(calibrator.all, low));
  }
  for (CellCode c = 0; c < calibrator.each.size(); ++c) {
    out += fmt::format("  {}: {}\n", cell_shown(calibrator.cells, c),
                       curve_in_words(calibrator.each[c], low));
  }
  return out;
}

Json to_json(const Calibrator& calibrator) {
  Json out;
  out["method"] = to_string(calibrator.method());
  out["by"] = to_string(calibrator.by());
  out["all"] = curve_json(calibrator.all);
  if (calibrator.by() == CalibrateBy::all) return out;
  Json& each = out["each"] = Json::array();
  for (CellCode c = 0; c < calibrator.each.size(); ++c) {
    Json curve = curve_json(calibrator.each[c]);
    curve["cell"] = calibrator.cells.name(c);
    each.push_back(std::move(curve));
  }
  return out;
}

}  // namespace evenhand::cli
