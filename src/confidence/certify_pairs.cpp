#include "confidence/certify_pairs.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "solve/constraints.h"
#include "solve/required.h"
#include "solve/whose_benefits.h"

namespace evenhand {
namespace {

// Each doubles the digits that are right; from nobody or everybody it takes a few more to arrive.
constexpr int rounds = 30;

// up * over - down * under <= most: the bound of a pair, by its tangent.
struct Limit {
  double up, down, most;

  double excess(double over, double under) const { return up * over - down * under - most; }
};

// Up to so many pairs all limits are stated; beyond that those that turn out to matter, few of
// them, as a linear program slows down with its rows.
constexpr std::size_t few_pairs = 100;

class ByPairs {
 public:
  ByPairs(const PairSearch& search, std::vector<ComparedGroups> compared)
      : search_(search),
        plain_(search.plain),
        bounds_(search.bounds),
        goal_(search.goal),
        population_(population_of(search.problem)),
        compared_(std::move(compared)),
        stated_(bounds_.size(), bounds_.size() <= few_pairs) {}

  bool holds() const { return worst_miss() <= 0; }

  void take_rates(const std::vector<Reach>& reach) {
    for (ComparedGroups& groups : compared_) {
      for (ComparedGroup& group : groups.groups) {
        group.rate = rate_of({groups.rate, {group.cell}}, population_, reach);
      }
    }
  }

  // Solves from these rates on. Rounds need what a rule reaches, not the rule.
  std::optional<CertifiedByPairs> run() {
    std::optional<Best> best = improved();
    if (!best) return std::nullopt;
    return with_rule(std::move(*best));
  }

  // The same, but strata whose rates are not certified start where bounds are narrowest: at nobody
  // or everybody, whichever turns out better.
  std::optional<CertifiedByPairs> run_from_ends() {
    std::set<std::vector<std::string>> failing;
    each_pair([&](std::size_t n, const ComparedGroups& groups, const ComparedGroup& over,
                  const ComparedGroup& under) {
      if (missed(n, over, under) > 0) failing.insert(groups.values);
    });
    const std::vector<ComparedGroups> begun = compared_;
    std::vector<Best> found;
    for (const double end : {0.0, 1.0}) {
      compared_ = begun;
      for (ComparedGroups& groups : compared_) {
        if (!failing.contains(groups.values)) continue;
        for (ComparedGroup& group : groups.groups) group.rate = end;
      }
      if (auto best = improved()) found.push_back(std::move(*best));
    }
    if (found.empty()) return std::nullopt;
    if (found.size() == 1) return with_rule(std::move(found.front()));
    // No limit ties two strata together.
    compared_ = found[0].compared;
    for (std::size_t i = 0; i < compared_.size(); ++i) {
      if (worth(found[1], compared_[i].values) > worth(found[0], compared_[i].values)) {
        compared_[i] = found[1].compared[i];
      }
    }
    return run();
  }

 private:
  struct Best {
    Criterion asked;
    std::vector<ComparedGroups> compared;
    std::vector<Reach> reach;
    double primal;
  };

  std::optional<Best> improved() {
    std::optional<Best> best;
    // A rule may miss what it is to reach by 1e-9 in each cell; this is more than a bound moves.
    constexpr double spare = 1e-8;
    for (int round = 0; round < rounds; ++round) {
      take_tangents(spare);
      Criterion asked;
      std::optional<std::vector<Reach>> reach;
      do {
        asked = required();
        reach = search_.programs.best_reach(asked);
        if (!reach) return best;
        take_rates(*reach);
      } while (state_exceeded());
      if (!holds()) continue;
      double primal = 0;
      for (const Reach& cell : *reach) primal += cell.benefit;
      const double gained = best ? primal - best->primal : plain_.magnitude;
      if (gained > 0) best = {std::move(asked), compared_, std::move(*reach), primal};
      if (gained <= 1e-8 * plain_.magnitude) break;
    }
    return best;
  }

  double worth(const Best& best, const std::vector<std::string>& stratum) const {
    double sum = 0;
    for (const StratumOutcome& outcome : plain_.strata) {
      if (outcome.values != stratum) continue;
      for (const CellCode c : outcome.compared) sum += best.reach[c].benefit;
    }
    return sum;
  }

  // The check that counts is that of the rule itself.
  std::optional<CertifiedByPairs> with_rule(Best best) {
    double spare = 0;
    for (int round = 0; round < 3; ++round) {
      Solution found = search_.programs.solve(best.asked);
      if (found.status != Status::optimal) return std::nullopt;
      const Audit audited = audit(search_.tally, plain_.criterion.roles, found.rule);
      take_rates(audited);
      const double missed = worst_miss();
      if (missed <= 0) return CertifiedByPairs{as_asked(std::move(found), audited), compared_};
      compared_ = best.compared;
      take_tangents(spare += 1.5 * missed);
      best.asked = required();
    }
    return std::nullopt;
  }

  // With the strata of the criterion, inside which groups lend outcomes to each other.
  Criterion required() const {
    Criterion out = requirements(limits());
    out.roles = plain_.criterion.roles;
    return out;
  }

  double bound_of(std::size_t n, double over, double under) const {
    return goal_.is_ratio ? bounds_.ratio(n, under, over) : bounds_.difference(n, over, under);
  }

  // At the rates at hand. The bound of a difference is concave in the rates, as the distance is
  // convex in all it depends on, so that it is nowhere above its tangent: what meets these limits
  // is certified.
  void take_tangents(double spare) {
    const auto slope = [](double x, const auto& f) {
      constexpr double step = 1e-5;
      const double low = std::max(0.0, x - step);
      const double high = std::min(1.0, x + step);
      return (f(high) - f(low)) / (high - low);
    };
    const double sign = goal_.is_ratio ? -1 : 1;
    limits_.clear();
    each_pair([&](std::size_t n, const ComparedGroups&, const ComparedGroup& over,
                  const ComparedGroup& under) {
      const double a = over.rate;
      const double b = under.rate;
      const double up = sign * slope(a, [&](double x) { return bound_of(n, x, b); });
      const double down = -sign * slope(b, [&](double x) { return bound_of(n, a, x); });
      const double room = sign * (goal_.value - bound_of(n, a, b)) - spare;
      const double unit = up > 1e-3 ? up : 1;
      limits_.push_back({up / unit, down / unit, (room + up * a - down * b) / unit});
    });
  }

  // States limits that the rates at hand exceed: for each group the one it exceeds most, above and
  // below the others. False if there are none.
  bool state_exceeded() {
    constexpr double rounding = 1e-9;
    using Side = std::tuple<const ComparedGroups*, const ComparedGroup*, bool>;
    std::map<Side, std::pair<double, std::size_t>> worst;
    each_pair([&](std::size_t n, const ComparedGroups& groups, const ComparedGroup& over,
                  const ComparedGroup& under) {
      const double excess = limits_[n].excess(over.rate, under.rate);
      if (stated_[n] || excess <= rounding) return;
      for (const Side& side : {Side(&groups, &over, true), Side(&groups, &under, false)}) {
        auto& [most, pair] = worst[side];
        if (excess > most) {
          most = excess;
          pair = n;
        }
      }
    });
    for (const auto& [side, found] : worst) stated_[found.second] = true;
    return !worst.empty();
  }

  double missed(std::size_t n, const ComparedGroup& over, const ComparedGroup& under) const {
    const double bound = bound_of(n, over.rate, under.rate);
    return goal_.is_ratio ? goal_.value - bound : bound - goal_.value;
  }

  template <class Visit>
  void each_pair(const Visit& visit) const {
    std::size_t n = 0;
    for (const ComparedGroups& groups : compared_) {
      groups.each_pair([&](const ComparedGroup& over, const ComparedGroup& under) {
        visit(n++, groups, over, under);
      });
    }
  }

  double worst_miss() const {
    double worst = -1;
    each_pair([&](std::size_t n, const ComparedGroups&, const ComparedGroup& over,
                  const ComparedGroup& under) { worst = std::max(worst, missed(n, over, under)); });
    return worst;
  }

  static std::string term(Rate rate, const ComparedGroup& group) {
    const char* const name = rate == Rate::selection       ? "rate"
                             : rate == Rate::true_positive ? "tpr"
                                                           : "fpr";
    return fmt::format("{}[{}]", name, group.group.name);
  }

  // As requirements; strata without a certificate keep the criterion itself.
  std::vector<std::string> limits() const {
    std::vector<std::string> out;
    each_pair([&](std::size_t n, const ComparedGroups& groups, const ComparedGroup& over,
                  const ComparedGroup& under) {
      if (!stated_[n]) return;
      const Limit& limit = limits_[n];
      out.push_back(fmt::format("{} * {} - {} * {} <= {}", shortest(limit.up),
                                term(groups.rate, over), shortest(limit.down),
                                term(groups.rate, under), shortest(limit.most)));
    });
    const Criterion& criterion = plain_.criterion;
    for (const ComparedGroups& groups : search_.everybody) {
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

  void take_rates(const Audit& audited) {
    for (ComparedGroups& groups : compared_) {
      for (ComparedGroup& group : groups.groups) {
        group.rate = rate_in(audited.cells[group.cell].figures, groups.rate).value();
      }
    }
  }

  // The solution in the words of the criterion; its constraints say what the certificate asked for.
  Solution as_asked(Solution found, const Audit& audited) const {
    found.criterion = plain_.criterion;
    found.strata = plain_.strata;
    for (StratumOutcome& stratum : found.strata) {
      stratum.lowest = 0;
      stratum.highest = 1;
    }
    for (CellCode c = 0; c < found.cells.size(); ++c) {
      found.cells[c].compared = plain_.cells[c].compared;
      found.cells[c].reason = plain_.cells[c].reason;
    }
    for (const ComparedGroups& groups : search_.everybody) {
      if (groups.rate != plain_.criterion.rates.front()) continue;
      for (const ComparedGroup& group : groups.groups) {
        found.cells[group.cell].rate =
            rate_in(audited.cells[group.cell].figures, groups.rate).value();
      }
    }
    say_whose_benefits(search_.problem, found);
    return found;
  }

  const PairSearch& search_;
  const Solution& plain_;
  const PairBounds& bounds_;
  const Goal& goal_;
  Population population_;
  std::vector<ComparedGroups> compared_;
  std::vector<Limit> limits_;  // of all pairs
  std::vector<bool> stated_;
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

std::optional<CertifiedByPairs> certify_by_pairs(const PairSearch& search, const Solution* start) {
  std::vector<ComparedGroups> compared(search.compared.begin(), search.compared.end());
  ByPairs by_pairs(search, compared);
  if (by_pairs.holds()) return CertifiedByPairs{search.plain, std::move(compared)};
  if (start) {
    for (ComparedGroups& groups : compared) {
      for (ComparedGroup& group : groups.groups) group.rate = start->cells[group.cell].rate;
    }
    return ByPairs(search, std::move(compared)).run();
  }
  Criterion equal = search.plain.criterion;
  equal.tolerance = 0;
  equal.ratio = 1;
  const auto reach = search.programs.best_reach(equal);
  if (!reach) return std::nullopt;
  by_pairs.take_rates(*reach);
  if (auto found = by_pairs.run()) return found;
  by_pairs.take_rates(*reach);
  return by_pairs.run_from_ends();
}

}  // namespace evenhand
