#include "solve/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenhand {
namespace {

// The sum of all slopes, 0 if it is nothing but rounding: then ties stay ties.
template <class Slope>
double sum_of(std::span<const Polyline> lines, Slope slope) {
  double sum = 0;
  double size = 0;
  for (const Polyline& line : lines) {
    const double value = slope(line);
    if (std::isinf(value)) return value;
    sum += value;
    size += std::abs(value);
  }
  return std::abs(sum) <= 16 * std::numeric_limits<double>::epsilon() * size ? 0 : sum;
}

double sum_right_of(std::span<const Polyline> lines, double at) {
  return sum_of(lines, [at](const Polyline& line) { return slope_right_of(line, at); });
}

double sum_left_of(std::span<const Polyline> lines, double at) {
  return sum_of(lines, [at](const Polyline& line) { return slope_left_of(line, at); });
}

double find_parameter(std::span<const Polyline> lines) {
  // Invariant: the sum is positive right of `low` and not right of `high`.
  double low = 0;
  double high = 1;
  if (sum_right_of(lines, low) <= 0) return low;
  for (const Polyline& line : lines) {
    auto begin = std::partition_point(line.begin(), line.end(),
                                      [&](const Knot& knot) { return knot.at <= low; });
    auto end =
        std::partition_point(begin, line.end(), [&](const Knot& knot) { return knot.at < high; });
    while (begin < end) {
      const auto middle = begin + (end - begin) / 2;
      if (sum_right_of(lines, middle->at) <= 0) {
        high = middle->at;
        end = middle;
      } else {
        low = middle->at;
        begin = middle + 1;
      }
    }
  }
  // No line has a knot between them, so the sum is linear there.
  const double after_low = sum_right_of(lines, low);
  const double before_high = sum_left_of(lines, high);
  if (before_high > 0) return high;
  return std::clamp(low + (high - low) * (after_low / (after_low - before_high)), low, high);
}

}  // namespace

Common find_common(std::span<const Polyline> lines) {
  Common out;
  out.at = find_parameter(lines);
  std::vector<double> lowest;
  std::vector<double> highest;
  double sum = 0;
  for (const Polyline& line : lines) {
    lowest.push_back(out.at >= 1 && line.back().at <= 1 ? -std::numeric_limits<double>::infinity()
                                                        : slope_right_of(line, out.at));
    highest.push_back(slope_left_of(line, out.at));
    out.slopes.push_back(std::isfinite(lowest.back()) ? lowest.back() : highest.back());
    sum += out.slopes.back();
  }
  // Any choice between the two ends will do; take from the first cells what is missing.
  for (std::size_t i = 0; i < lines.size() && sum != 0; ++i) {
    const double wanted = out.slopes[i] - sum;
    const double taken = std::clamp(wanted, lowest[i], std::max(lowest[i], highest[i]));
    sum += taken - out.slopes[i];
    out.slopes[i] = taken;
  }
  return out;
}

}  // namespace evenhand
