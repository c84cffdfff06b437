#pragma once

#include <evenhand/confidence.h>

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {

inline void check_level(double alpha) {
  if (!(alpha > 0 && alpha < 1)) {
    throw std::invalid_argument(
        fmt::format("a probability of error lies between 0 and 1, not {}", alpha));
  }
}

inline void check_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    throw std::invalid_argument(
        fmt::format("a confidence lies between 0 and 1, for example 0.95, not {}", confidence));
  }
}

inline void check_share(double value, const char* name) {
  if (!(value >= 0 && value <= 1)) {
    throw std::invalid_argument(fmt::format("{} lies between 0 and 1, not {}", name, value));
  }
}

inline void check_count(const RateCount& count) {
  const auto& [positive, rows] = count;
  if (!(rows > 0 && std::isfinite(rows) && positive >= 0 && positive <= rows)) {
    throw std::invalid_argument(fmt::format(
        "a rate needs rows, and from 0 to all of them positive, not {} of {}", positive, rows));
  }
}

inline double rate_of(const RateCount& count) {
  return count.positive / count.rows;
}

}  // namespace evenhand
