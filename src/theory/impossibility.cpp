#include <evenhand/bad_row.h>
#include <evenhand/text.h>
#include <evenhand/theory.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace evenhand {
namespace {

template <class Accept>
std::vector<double> read(const Numbers& column, Accept accept, std::string_view what,
                         std::string_view wanted) {
  std::vector<double> out;
  out.reserve(column.size());
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) out.push_back(static_cast<double>(value));
      },
      column.view());
  const auto bad = std::find_if_not(out.begin(), out.end(), accept);
  if (bad == out.end()) return out;
  throw BadRow(static_cast<std::size_t>(bad - out.begin()),
               fmt::format("the {} {} is not {}", what, shortest(*bad), wanted));
}

// Sums over the rows of one side of the split.
struct SideSums {
  double weight = 0;
  double decision = 0;
  double membership = 0;
  double covariance = 0;
};

}  // namespace

Impossibility impossibility(const Numbers& decision, const Numbers& membership,
                            const Numbers& weight) {
  const std::vector<double> d = read(
      decision, [](double value) { return value == 0 || value == 1; }, "decision", "0 or 1");
  const std::vector<double> g = read(
      membership, [](double value) { return value >= 0 && value <= 1; }, "membership",
      "a probability in [0, 1]");
  const std::vector<double> n =
      weight.given() ? read(
                           weight, [](double value) { return value >= 0 && std::isfinite(value); },
                           "weight", "finite and at least 0")
                     : std::vector<double>(d.size(), 1);
  if (d.empty()) throw std::invalid_argument("there are no rows");
  if (g.size() != d.size() || n.size() != d.size()) {
    throw std::invalid_argument(
        fmt::format("there are {} decisions but {} memberships{}", d.size(), g.size(),
                    weight.given() ? fmt::format(" and {} weights", n.size()) : ""));
  }
  Impossibility out;
  double total = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    total += n[i];
    out.selection_rate += n[i] * d[i];
    out.mean_membership += n[i] * g[i];
  }
  if (!(total > 0)) throw std::invalid_argument("every weight is zero");
  if (std::isinf(total)) throw std::invalid_argument("the sum of weights is infinite");
  out.selection_rate /= total;
  out.mean_membership /= total;

  std::array<SideSums, 2> sides;
  for (std::size_t i = 0; i < d.size(); ++i) {
    out.deviation += n[i] / total * std::abs(g[i] - out.mean_membership);
    out.witness.push_back((g[i] > out.mean_membership) == (d[i] == 1) ? 1 : 0);
    SideSums& side = sides[out.witness.back()];
    side.weight += n[i];
    side.decision += n[i] * d[i];
    side.membership += n[i] * g[i];
  }
  for (std::size_t i = 0; i < d.size(); ++i) {
    SideSums& side = sides[out.witness[i]];
    if (!(side.weight > 0)) continue;
    side.covariance += n[i] / total * (d[i] - side.decision / side.weight) *
                       (g[i] - side.membership / side.weight);
  }
  // Each side's covariance, times its share of the population.
  out.value = std::abs(sides[0].covariance) + std::abs(sides[1].covariance);
  out.bound = out.deviation / 2 * std::min(out.selection_rate, 1 - out.selection_rate);
  return out;
}

}  // namespace evenhand
