// A bound in words, the same for all front ends.
#include <evenhand/confidence_bound.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace evenhand {
namespace {

std::string share(double value) {
  return std::abs(value) < 5e-10 ? "0" : rounded(100 * value, value < 0.01 ? 2 : 3) + " %";
}

std::string bounded_value(double value, bool is_ratio) {
  // Rounded to the safe side.
  if (is_ratio) return rounded(std::floor(value * 1000) / 1000, 3);
  const double unit = value < 0.01 ? 1e4 : 1e3;
  return rounded(100 * std::ceil(value * unit - 1e-9) / unit, 4) + " %";
}

// The other side, rounded to the other side.
std::string shown_value(double value, bool is_ratio) {
  if (is_ratio) return rounded(std::ceil(value * 1000) / 1000, 3);
  const double unit = value < 0.01 ? 1e4 : 1e3;
  return rounded(100 * std::floor(value * unit) / unit, 4) + " %";
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

}  // namespace

std::vector<std::string> ConfidenceBound::in_words() const {
  if (!value) return {fmt::format("No bound for new people: {}.", reason)};
  std::vector<std::string> out;
  out.push_back(
      fmt::format("On new people like these, the {} {} ({} % confidence). In these data it is {}.",
                  is_ratio ? "smallest ratio is at least" : "largest difference is at most",
                  bounded_value(*value, is_ratio), rounded(100 * confidence, 6),
                  observed_value(observed, is_ratio)));
  if (shown && (is_ratio ? *shown < 1 : *shown > 0)) {
    out.push_back(fmt::format("They show that it is {} {}.", is_ratio ? "at most" : "at least",
                              shown_value(*shown, is_ratio)));
  }
  const auto widest = std::find_if(strata.begin(), strata.end(), [&](const StratumBound& stratum) {
    return stratum.value == *value;
  });
  if (widest != strata.end()) {  // a record may lack it
    out.push_back(fmt::format("Widest between {} and {}.", rows_of(widest->over, widest->rate),
                              rows_of(widest->under, widest->rate)));
  }
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
    const bool apart = !strata.empty() && !strata.front().values.empty();
    out.push_back(fmt::format("Small groups: merge their values before fitting{}.",
                              apart ? ", or use fewer columns in --within" : ""));
  }
  return out;
}

}  // namespace evenhand
