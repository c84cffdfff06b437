#include <evenhand/text.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "tally/data.h"

namespace evenhand {
namespace {

// The coarsest level at which x < y are in different intervals; finest_level + 1 if at none.
int separation(double x, double y, const Reading& reading) {
  if (std::abs(x) < 2 && std::abs(y) < 2) {
    // Intervals of level L are those of level 52 with 52 - L bits shifted off.
    const auto k = static_cast<std::int64_t>(std::floor(std::ldexp(x, finest_level)));
    const auto l = static_cast<std::int64_t>(std::floor(std::ldexp(y, finest_level)));
    const auto differing = static_cast<std::uint64_t>(k ^ l);
    if (k < 0 && l >= 0) return coarsest_level;  // 0 is a boundary at every level
    return finest_level + 1 - static_cast<int>(std::bit_width(differing));
  }
  int low = coarsest_level;
  int high = finest_level + 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (cut(x, middle, reading) != cut(y, middle, reading)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Resolution Resolution::bits(int bits) {
  if (bits < coarsest_level || bits > finest_level) {
    throw std::invalid_argument(fmt::format("a resolution has from {} to {} bits, not {}",
                                            coarsest_level, finest_level, bits));
  }
  Resolution out;
  out.level_ = bits;
  return out;
}

Resolution Resolution::at_most(std::size_t most) {
  if (most < 2) throw std::invalid_argument("a resolution keeps at least 2 distinct scores");
  Resolution out;
  out.cap_ = most;
  return out;
}

Sorted coarsen(const Sorted& sorted, int level, const Reading& reading) {
  Sorted out;
  out.start.push_back(0);
  for (std::size_t c = 0; c + 1 < sorted.start.size(); ++c) {
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      const double x = cut(sorted.score[i], level, reading);
      if (out.size() > out.start.back() && out.score.back() == x) {
        out.counts.back() += sorted.n(i);
        if (!sorted.n1.empty()) out.n1.back() += sorted.n1[i];
      } else {
        out.score.push_back(x);
        out.counts.push_back(sorted.n(i));
        if (!sorted.n1.empty()) out.n1.push_back(sorted.n1[i]);
      }
    }
    out.start.push_back(out.size());
  }
  return out;
}

std::optional<int> level_for(const Sorted& sorted, std::size_t most, const Reading& reading) {
  // A cell has 1 + (number of neighbours that a level separates) distinct values at that level.
  std::optional<int> level;
  for (std::size_t c = 0; c + 1 < sorted.start.size(); ++c) {
    if (sorted.start[c + 1] - sorted.start[c] <= most) continue;
    std::vector<std::size_t> separated(finest_level + 2 - coarsest_level);
    for (std::size_t i = sorted.start[c] + 1; i < sorted.start[c + 1]; ++i) {
      const int at = separation(sorted.score[i - 1], sorted.score[i], reading);
      ++separated[static_cast<std::size_t>(at - coarsest_level)];
    }
    std::size_t count = 1;
    int finest = coarsest_level;
    for (int l = coarsest_level; l <= finest_level; ++l) {
      count += separated[static_cast<std::size_t>(l - coarsest_level)];
      if (count > most) break;
      finest = l;
    }
    level = std::min(level.value_or(finest_level), finest);
  }
  return level;
}

std::string to_string(const Resolution& resolution) {
  if (const auto level = resolution.fixed_level()) return std::to_string(*level);
  if (const auto cap = resolution.cap()) {
    return resolution == Resolution::at_most() ? "auto" : fmt::format("at-most {}", *cap);
  }
  return "exact";
}

Resolution resolution_from(std::string_view text) {
  if (text == "exact") return Resolution::exact();
  if (text == "auto") return Resolution::at_most();
  constexpr std::string_view most = "at-most ";
  const bool cap = text.starts_with(most);
  const std::string_view digits = cap ? text.substr(most.size()) : text;
  long number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw std::invalid_argument(fmt::format(
        "there is no resolution '{}': choose exact, auto or a number of bits", printable(text)));
  }
  if (cap) return Resolution::at_most(static_cast<std::size_t>(std::max(0L, number)));
  return Resolution::bits(static_cast<int>(std::clamp(number, -100000L, 100000L)));
}

}  // namespace evenhand
