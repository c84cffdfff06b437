// Tables of a report: one shape for the page, Markdown and CSV.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/or_null.h"

namespace evenhand::report {

using Json = nlohmann::ordered_json;

// How a value is shown: "text", "name" (of a group: shortened), "count", "share" (in per cent),
// "ratio", "number", "p" or "hidden" (in CSV alone).
struct Column {
  std::string name, title, kind;
  std::string low = {}, high = {};  // columns with the ends of its interval
};

// {"title": ..., "note": ..., "columns": [...], "rows": [{column: value}]}
inline Json table(const std::string& title, const std::vector<Column>& columns,
                  const std::string& note = "") {
  Json out;
  out["title"] = title;
  if (!note.empty()) out["note"] = note;
  for (const Column& column : columns) {
    Json at = {{"name", column.name}, {"title", column.title}, {"kind", column.kind}};
    if (!column.low.empty()) {
      at["low"] = column.low;
      at["high"] = column.high;
    }
    out["columns"].push_back(std::move(at));
  }
  out["rows"] = Json::array();
  return out;
}

// A number of people that was a product of a rate: whole ones lose what rounding left.
inline double whole_people(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= 1e-9 * std::max(1.0, whole) ? whole : value;
}

}  // namespace evenhand::report
