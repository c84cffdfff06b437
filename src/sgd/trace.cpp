#include <evenhand/sgd.h>
#include <evenhand/text.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace evenhand {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string SgdTrace::to_csv() const {
  std::string out = "step,epoch,dual,violation";
  for (const std::string& name : names) out += "," + csv_field("mean of " + name);
  for (const std::string& name : names) out += "," + csv_field("last of " + name);
  out += "\n";
  for (const Point& point : points) {
    out += fmt::format("{},{},{},{}", point.step, shortest(static_cast<double>(point.step) / rows),
                       shortest(point.dual), shortest(point.violation));
    for (const double value : point.mean) out += "," + shortest(value);
    for (const double value : point.last) out += "," + shortest(value);
    out += "\n";
  }
  return out;
}

std::string SgdTrace::to_json() const {
  nlohmann::ordered_json out;
  out["rows"] = rows;
  out["multipliers"] = names;
  out["points"] = nlohmann::ordered_json::array();
  for (const Point& point : points) {
    out["points"].push_back({{"step", point.step},
                             {"epoch", static_cast<double>(point.step) / rows},
                             {"dual", point.dual},
                             {"violation", point.violation},
                             {"mean", point.mean},
                             {"last", point.last}});
  }
  return out.dump();
}

}  // namespace evenhand
