#include <evenhand/scale.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {

std::string_view to_string(Scale scale) noexcept {
  switch (scale) {
    case Scale::probability:
      return "probability";
    case Scale::signed_:
      return "signed";
    case Scale::logit:
      break;
  }
  return "logit";
}

std::string_view to_string(Favorable favorable) noexcept {
  return favorable == Favorable::high ? "high" : "low";
}

Scale scale_from(std::string_view name) {
  for (const Scale scale : {Scale::probability, Scale::signed_, Scale::logit}) {
    if (name == to_string(scale)) return scale;
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not a scale: choose probability, signed or logit", name));
}

Favorable favorable_from(std::string_view name) {
  if (name == "high") return Favorable::high;
  if (name == "low") return Favorable::low;
  throw std::invalid_argument(fmt::format("favorable is high or low, not '{}'", name));
}

double Reading::lowest() const noexcept {
  if (scale == Scale::logit) return std::numeric_limits<double>::lowest();
  return scale == Scale::probability && favorable == Favorable::high ? 0.0 : -1.0;
}

double Reading::highest() const noexcept {
  if (scale == Scale::logit) return std::numeric_limits<double>::max();
  return scale == Scale::probability && favorable == Favorable::low ? 0.0 : 1.0;
}

double Reading::probability(double x) const noexcept {
  switch (scale) {
    case Scale::probability:
      return favorable == Favorable::high ? x : 1 + x;
    case Scale::signed_:
      return (1 + x) / 2;
    case Scale::logit:
      break;
  }
  return 1 / (1 + std::exp(-x));
}

double first_above(const Reading& reading, const Costs& costs, double bar) noexcept {
  const auto above = [&](double x) { return benefit(reading.probability(x), costs) > bar; };
  if (!above(reading.highest())) return std::numeric_limits<double>::infinity();
  if (above(reading.lowest())) return reading.lowest();
  // The benefit is nondecreasing in x, in floating point too, so bisect over the doubles
  // themselves: as integers they are in the same order once the negative ones are flipped.
  const auto key = [](double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  const auto value = [](std::int64_t k) {
    return std::bit_cast<double>(k < 0 ? std::numeric_limits<std::int64_t>::min() - k : k) + 0.0;
  };
  std::int64_t low = key(reading.lowest());
  std::int64_t high = key(reading.highest());
  while (high - 1 > low) {
    const std::int64_t middle = (low & high) + ((low ^ high) >> 1);  // cannot overflow
    (above(value(middle)) ? high : low) = middle;
  }
  return value(high);
}

}  // namespace evenhand
