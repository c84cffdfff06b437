#include "soft/priced.h"

#include <algorithm>
#include <limits>

#include "rule/soft_columns.h"

namespace evenhand::soft {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

// Shares of all people: those who belong and the others, among people with that outcome.
struct Shares {
  double belong = 0;
  double others = 0;
};

Shares shares_of(const Atoms& atoms, const std::vector<double>& p, const SoftPrice& price) {
  Shares out;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const double g = atoms.of(i)[price.column];
    const double factor = price.given == Given::everyone    ? 1
                          : price.given == Given::favorable ? p[i]
                                                            : 1 - p[i];
    out.belong += atoms.n[i] * factor * g;
    out.others += atoms.n[i] * factor * (1 - g);
  }
  out.belong /= atoms.weight;
  out.others /= atoms.weight;
  return out;
}

bool differs(const Atoms& atoms, std::size_t column) {
  double low = 1;
  double high = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    low = std::min(low, atoms.of(i)[column]);
    high = std::max(high, atoms.of(i)[column]);
  }
  constexpr double same = 1e-12;  // differences of rates would be below that as well
  return high - low > same;
}

}  // namespace

Priced price(const Atoms& atoms, const Plan& plan, const Costs& costs) {
  Priced out{atoms, plan.prices, {}, {}, {}, plan.bounded(), {}};
  const std::size_t count = plan.prices.size();
  out.means.assign(count, 0);
  out.compared.assign(count, false);
  out.limits.resize(count);
  if (std::any_of(plan.prices.begin(), plan.prices.end(),
                  [](const SoftPrice& one) { return one.given != Given::everyone; })) {
    for (const double h : atoms.h) out.p.push_back(chance_of(h, costs));
  }
  for (const Compared& one : plan.compared) {
    if (!one.at) continue;
    const SoftPrice& first = plan.prices[one.prices.front()];
    if (atoms.size() == 0) continue;
    const Shares shares = shares_of(atoms, out.p, first);
    const double b = shares.belong;
    const double o = shares.others;
    const double mean = first.given == Given::everyone ? atoms.means[first.column]
                        : b + o > 0                    ? std::clamp(b / (b + o), 0.0, 1.0)
                                                       : 0;
    constexpr double nobody = 1e-12;
    const bool compared = differs(atoms, first.column) && mean > 0 && mean < 1 &&
                          (first.given == Given::everyone || std::min(b, o) > nobody);
    for (const std::size_t k : one.prices) {
      out.means[k] = mean;
      out.compared[k] = compared;
    }
    if (!compared) continue;
    if (!plan.by_ratio()) {
      // rate - others = sum (g / b - (1 - g) / o) q
      out.limits[one.prices[0]] = {1 / b + 1 / o, -plan.tolerance, plan.tolerance};
      continue;
    }
    // rate - ratio * others >= 0, and ratio * rate - others <= 0
    const double low = 1 / b + plan.ratio / o;
    const double high = plan.ratio / b + 1 / o;
    out.limits[one.prices[0]] = {low, 0, none};
    out.limits[one.prices[1]] = {high, -none, 0};
    out.means[one.prices[0]] = plan.ratio / o / low;
    out.means[one.prices[1]] = 1 / o / high;
  }
  return out;
}

}  // namespace evenhand::soft
