// A bound in words and as JSON, the same for all front ends.
#include <evenhand/confidence_bound.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

std::string share(double value) {
  return std::abs(value) < 5e-10 ? "0" : rounded(100 * value, value < 0.01 ? 2 : 3) + " %";
}

std::string bounded_value(double value, bool is_ratio) {
  // Rounded to the safe side.
  if (is_ratio) return rounded(std::floor(value * 1000) / 1000, 3);
  const double unit = value < 0.01 ? 1e4 : 1e3;
  return rounded(100 * std::ceil(value * unit - 1e-9) / unit, 4) + " %";
}

std::string observed_value(double value, bool is_ratio) {
  return is_ratio ? rounded(value, 3) : share(value);
}

std::string rows_of(const BoundedGroup& group, Rate rate) {
  const std::string count = with_commas(static_cast<std::size_t>(group.rows));
  const char* const what = rate == Rate::selection       ? "rows"
                           : rate == Rate::true_positive ? "favourable outcomes"
                                                         : "unfavourable outcomes";
  return fmt::format("{} ({} {})", printable(group.name), count, what);
}

std::string_view name_of(Rate rate) {
  return rate == Rate::selection       ? "selection_rate"
         : rate == Rate::true_positive ? "true_positive_rate"
                                       : "false_positive_rate";
}

Json group_json(const BoundedGroup& group) {
  return {{"group", group.name}, {"rows", group.rows}};
}

}  // namespace

std::vector<std::string> ConfidenceBound::in_words() const {
  if (!value) return {fmt::format("No bound for new people: {}.", reason)};
  std::vector<std::string> out;
  out.push_back(
      fmt::format("On new people like these, the {} {} ({} % confidence). In these data it is {}.",
                  is_ratio ? "smallest ratio is at least" : "largest difference is at most",
                  bounded_value(*value, is_ratio), rounded(100 * confidence, 6),
                  observed_value(observed, is_ratio)));
  const auto widest = std::find_if(strata.begin(), strata.end(), [&](const StratumBound& stratum) {
    return stratum.value == *value;
  });
  out.push_back(fmt::format("Widest between {} and {}.", rows_of(widest->over, widest->rate),
                            rows_of(widest->under, widest->rate)));
  if (strata.size() > 1) {
    for (const StratumBound& stratum : strata) {
      std::string name;
      for (const std::string& text : stratum.values) name += (name.empty() ? "" : ", ") + text;
      out.push_back(fmt::format("  {}: {} {}", printable(name), is_ratio ? "at least" : "at most",
                                bounded_value(stratum.value, is_ratio)));
    }
  }
  for (const SmallGroup& one : small) {
    out.push_back(fmt::format("Too small to learn much from: {}.", rows_of(one.group, one.rate)));
  }
  if (!small.empty()) {
    out.push_back(
        "Small groups: merge their values before fitting, or use fewer columns in --within.");
  }
  return out;
}

std::string ConfidenceBound::to_json(const std::vector<std::string>& within) const {
  Json out;
  out["confidence"] = confidence;
  if (!value) {
    out["none"] = reason;
    return out.dump();
  }
  const char* const name = is_ratio ? "ratio_at_least" : "difference_at_most";
  out[name] = *value;
  out["observed"] = observed;
  out["kind"] = kind ? to_string(*kind) : "exact";
  for (const StratumBound& stratum : strata) {
    Json at;
    Json& values = at["stratum"] = Json::object();
    for (std::size_t i = 0; i < stratum.values.size() && i < within.size(); ++i) {
      values[within[i]] = stratum.values[i];
    }
    at[name] = stratum.value;
    at["observed"] = stratum.observed;
    at["rate"] = name_of(stratum.rate);
    at["over"] = group_json(stratum.over);
    at["under"] = group_json(stratum.under);
    out["strata"].push_back(std::move(at));
  }
  for (const SmallGroup& one : small) {
    Json at = group_json(one.group);
    at["rate"] = name_of(one.rate);
    out["small"].push_back(std::move(at));
  }
  return out.dump();
}

}  // namespace evenhand
