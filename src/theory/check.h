#pragma once

#include <evenhand/text.h>

#include <cmath>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace evenhand {

// Throws std::invalid_argument unless the value is finite and `holds`; `wanted` says what would do.
inline void check_argument(bool holds, double value, std::string_view name,
                           std::string_view wanted) {
  if (holds && std::isfinite(value)) return;
  throw std::invalid_argument(fmt::format("{} is {}, not {}", name, wanted, shortest(value)));
}

}  // namespace evenhand
