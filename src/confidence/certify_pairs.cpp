#include "confidence/certify_pairs.h"

#include <evenhand/audit.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tally/coarsened.h"

namespace evenhand {
namespace {

constexpr int rounds = 8;

class ByPairs {
 public:
  ByPairs(const Tally& tally, const Solution& plain, std::span<const ComparedGroups> compared,
          const PairBounds& bounds, const Goal& goal)
      : tally_(&tally),
        plain_(plain),
        compared_(compared.begin(), compared.end()),
        bounds_(bounds),
        goal_(goal) {}

  // The plain fit itself, if it passes the check.
  std::optional<CertifiedByPairs> plain() {
    take_rates(plain_.rule);
    if (worst_miss() > 0) return std::nullopt;
    return CertifiedByPairs{plain_, compared_};
  }

  std::optional<CertifiedByPairs> run(const Rule& start) {
    std::optional<CertifiedByPairs> best;
    take_rates(start);
    double spare = 0;  // tightens the goal while the check fails
    for (int round = 0; round < rounds; ++round) {
      const Solution found = solve(*tally_, required(spare), plain_.options);
      if (found.status != Status::optimal) break;
      take_rates(found.rule);
      const double missed = worst_miss();
      if (missed > 0) {
        // Margins that still move are followed first.
        if (round >= 2) spare += 1.1 * missed;
        continue;
      }
      const double gained = best ? found.primal - best->solution.primal : 1;
      if (gained > 0) best = {as_asked(found), compared_};
      if (gained <= 1e-6 * plain_.magnitude) break;
    }
    return best;
  }

  // The same on all rows, with the margins of the best solution on a coarser tally. Their rates
  // differ by little, so that a little less than the goal is asked for.
  std::optional<CertifiedByPairs> finish(const Tally& tally, CertifiedByPairs best) {
    tally_ = &tally;
    double spare = goal_.value / 2000;
    for (int round = 0; round < 3; ++round) {
      compared_ = best.compared;
      const Solution found = solve(tally, required(spare), plain_.options);
      if (found.status != Status::optimal) return std::nullopt;
      take_rates(found.rule);
      const double missed = worst_miss();
      if (missed <= 0) return CertifiedByPairs{as_asked(found), compared_};
      spare += 1.5 * missed;
    }
    return std::nullopt;
  }

 private:
  // With the strata of the criterion, inside which groups lend outcomes to each other.
  Criterion required(double spare) const {
    Criterion out = requirements(limits(spare));
    out.roles = plain_.criterion.roles;
    return out;
  }

  double bound_of(std::size_t n, const ComparedGroup& over, const ComparedGroup& under) const {
    return goal_.is_ratio ? bounds_.ratio(n, under.rate, over.rate)
                          : bounds_.difference(n, over.rate, under.rate);
  }

  template <class Visit>
  void each_pair(const Visit& visit) const {
    std::size_t n = 0;
    for (const ComparedGroups& groups : compared_) {
      for (const ComparedGroup& over : groups.groups) {
        for (const ComparedGroup& under : groups.groups) {
          if (&over != &under) visit(n++, groups.rate, over, under);
        }
      }
    }
  }

  double worst_miss() const {
    double worst = -1;
    each_pair([&](std::size_t n, Rate, const ComparedGroup& over, const ComparedGroup& under) {
      const double bound = bound_of(n, over, under);
      worst = std::max(worst, goal_.is_ratio ? goal_.value - bound : bound - goal_.value);
    });
    return worst;
  }

  static std::string term(Rate rate, const ComparedGroup& group) {
    const char* const name = rate == Rate::selection       ? "rate"
                             : rate == Rate::true_positive ? "tpr"
                                                           : "fpr";
    return fmt::format("{}[{}]", name, group.group.name);
  }

  // One for each pair, as requirements; strata without a certificate keep the criterion itself.
  std::vector<std::string> limits(double spare) const {
    std::vector<std::string> out;
    each_pair([&](std::size_t n, Rate rate, const ComparedGroup& over, const ComparedGroup& under) {
      const double bound = bound_of(n, over, under);
      if (goal_.is_ratio) {
        const double seen = over.rate > 0 ? under.rate / over.rate : 1;
        const double ratio = bound > 0 ? std::min(1.0, (goal_.value + spare) * seen / bound) : 1;
        out.push_back(
            fmt::format("{} >= {} * {}", term(rate, under), shortest(ratio), term(rate, over)));
      } else {
        const double room = goal_.value - spare - (bound - (over.rate - under.rate));
        out.push_back(fmt::format("{} - {} <= {}", term(rate, over), term(rate, under),
                                  shortest(std::max(0.0, room))));
      }
    });
    const Criterion& criterion = plain_.criterion;
    for (const ComparedGroups& groups : compared_cells(*tally_, plain_)) {
      const bool certified = std::any_of(compared_.begin(), compared_.end(), [&](const auto& one) {
        return one.values == groups.values;
      });
      if (certified) continue;
      for (const ComparedGroup& a : groups.groups) {
        for (const ComparedGroup& b : groups.groups) {
          if (&a == &b) continue;
          out.push_back(goal_.is_ratio
                            ? fmt::format("{} >= {} * {}", term(groups.rate, b),
                                          shortest(criterion.ratio), term(groups.rate, a))
                            : fmt::format("{} - {} <= {}", term(groups.rate, a),
                                          term(groups.rate, b), shortest(criterion.tolerance)));
        }
      }
    }
    return out;
  }

  void take_rates(const Rule& rule) {
    const Audit audited = audit(*tally_, plain_.criterion.roles, rule);
    for (ComparedGroups& groups : compared_) {
      for (ComparedGroup& group : groups.groups) {
        const Figures& figures = audited.cells[group.cell].figures;
        group.rate = (groups.rate == Rate::selection       ? figures.selection_rate
                      : groups.rate == Rate::true_positive ? figures.true_positive_rate
                                                           : figures.false_positive_rate)
                         .value();
      }
    }
  }

  // The solution in the words of the criterion; its constraints say what the certificate asked for.
  Solution as_asked(Solution found) const {
    found.criterion = plain_.criterion;
    found.strata = plain_.strata;
    for (CellCode c = 0; c < found.cells.size(); ++c) {
      found.cells[c].compared = plain_.cells[c].compared;
      found.cells[c].reason = plain_.cells[c].reason;
    }
    for (const ComparedGroups& groups : compared_) {
      if (groups.rate != plain_.criterion.rates.front()) continue;
      for (const ComparedGroup& group : groups.groups) {
        found.cells[group.cell].rate = group.rate;
      }
    }
    return found;
  }

  const Tally* tally_;
  const Solution& plain_;
  std::vector<ComparedGroups> compared_;
  const PairBounds& bounds_;
  Goal goal_;
};

}  // namespace

bool worth_pairs(std::span<const ComparedGroups> compared) {
  // A linear program with more limits takes a hundred times as long as a plain fit.
  if (count_pairs(compared) > 30) return false;
  return std::any_of(compared.begin(), compared.end(), [](const ComparedGroups& groups) {
    const auto [least, most] = std::minmax_element(
        groups.groups.begin(), groups.groups.end(),
        [](const auto& a, const auto& b) { return a.group.rows < b.group.rows; });
    return most->group.rows > 1.5 * least->group.rows;
  });
}

std::optional<CertifiedByPairs> certify_by_pairs(const Tally& tally, const Solution& plain,
                                                 std::span<const ComparedGroups> compared,
                                                 const PairBounds& bounds, const Goal& goal,
                                                 const Solution* start) {
  if (auto found = ByPairs(tally, plain, compared, bounds, goal).plain()) return found;
  // Rounds need the shape of the cells' curves, not every score.
  constexpr std::size_t enough = 256;
  const Tally coarse = coarsened(tally, enough);
  ByPairs search(coarse, plain, compared, bounds, goal);
  const auto first = [&] {
    if (start) return start->rule;
    Criterion equal = plain.criterion;
    equal.tolerance = 0;
    equal.ratio = 1;
    return solve(coarse, equal, plain.options).rule;
  };
  std::optional<CertifiedByPairs> best = search.run(first());
  const bool all_scores = &coarse.data() == &tally.data();
  if (!best || all_scores) return best;
  return search.finish(tally, std::move(*best));
}

}  // namespace evenhand
