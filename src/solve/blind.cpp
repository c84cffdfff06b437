#include "solve/blind.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "rule/grouping.h"
#include "rule/plain_responses.h"
#include "solve/blind_search.h"
#include "solve/constraints.h"
#include "solve/evaluate.h"
#include "solve/parts.h"
#include "solve/pooled_scores.h"
#include "solve/proof.h"
#include "solve/realise.h"
#include "solve/required.h"
#include "solve/thresholds.h"
#include "support/boundary.h"

namespace evenhand {
namespace {

void check(const Problem& problem) {
  if (problem.options.gamma > 0) {
    throw std::invalid_argument("a blind rule has no width of randomization: gamma must be 0");
  }
  const auto& calibrator = problem.outlook.calibrator;
  if (calibrator && calibrator->by() == CalibrateBy::cell) {
    throw std::invalid_argument(
        "a blind rule cannot tell groups apart, so that their scores cannot be calibrated group by "
        "group: calibrate by all");
  }
}

class Blind {
 public:
  explicit Blind(const Problem& problem)
      : problem_(problem),
        data_(problem.tally.data()),
        system_(compile(problem)),
        families_(group_cells(data_.names, problem.criterion.roles.within)) {
    family_of_.resize(data_.names.size());
    for (std::size_t f = 0; f < families_.size(); ++f) {
      pools_.emplace_back(problem, families_[f].cells);
      for (const CellCode c : families_[f].cells) family_of_[c] = f;
    }
  }

  Solution run() {
    Solution solution = begun(problem_, system_);
    solution.names = data_.names;
    const std::vector<CellPrice> free(data_.names.size());
    std::vector<Mixed> mixtures;
    for (const PooledScores& pool : pools_) {
      solution.magnitude += pool.magnitude();
      mixtures.push_back({{pool.best(1, free).column.tag, 1}});
    }
    const std::vector<Part> parts = parts_of(system_, alike());
    for (const Part& part : parts) solve_part(part, mixtures, solution);
    if (few_coins() && !solution.infeasibility) {
      for (const Part& part : parts) search_part(part, mixtures, solution);
    }
    if (solution.infeasibility) {
      solution.infeasibility->alike = alike();
      solution.status = Status::infeasible;
      return solution;
    }
    solution = with_rule(solution, mixtures, few_coins() ? 0 : 1e-9);
    if (few_coins()) conclude_search(solution, searched_.value, searched_.bound);
    return solution;
  }

  std::optional<PriceOfNoCoins> price_without_coins(const Solution& solution) {
    PriceOfNoCoins out;
    const std::vector<CellPrice> free(data_.names.size());
    std::vector<Mixed> mixtures;
    double everybody = 0;
    for (const PooledScores& pool : pools_) {
      const Blocks::Best best = pool.best(1, free);
      mixtures.push_back({{best.column.tag, 1}});
      out.objective += best.column.benefit;
      everybody += pool.column(pool.count()).benefit;
    }
    out.constant = std::max(0.0, everybody);
    std::vector<NeededBy> needs;
    double unbound = out.objective;  // of strata that nothing constrains
    for (const Part& part : parts_of(system_, alike())) {
      const InPart in(*this, part);
      if (in.families.size() > 1) return std::nullopt;
      const std::size_t f = in.families.front();
      const BlindChoice found = choose_blind(part.system, {&pools_[f]}, {});
      if (found.mixtures.empty()) return std::nullopt;
      const double alone = pools_[f].column(mixtures[f].front().first).benefit;
      out.objective += found.value - alone;
      unbound -= alone;
      mixtures[f] = found.mixtures.front();
      add_needs(part, pools_[f], f, needs);
    }
    out.rule = rule_of(mixtures);
    if (!system_.requirements.empty()) return out;
    std::sort(needs.begin(), needs.end(),
              [](const NeededBy& a, const NeededBy& b) { return a.apart < b.apart; });
    const Criterion& criterion = problem_.criterion;
    const bool by_ratio = criterion.relation == Relation::ratio;
    const double strict = by_ratio ? 1 - criterion.ratio : criterion.tolerance;
    const double rounding = 1e-12 * std::max(1.0, solution.magnitude);
    const auto looseness_for = [&](const auto& enough) -> std::optional<double> {
      std::map<std::size_t, double> best;
      for (std::size_t i = 0; i < needs.size(); ++i) {
        const auto [place, is_new] = best.try_emplace(needs[i].family, needs[i].value);
        if (!is_new) place->second = std::max(place->second, needs[i].value);
        const bool last = i + 1 == needs.size() || needs[i + 1].apart > needs[i].apart;
        if (!last || (i + 1 < needs.size() && needs[i + 1].apart <= strict)) continue;
        double sum = unbound;
        for (const auto& [family, value] : best) sum += value;
        if (!enough(sum)) continue;
        const double apart = std::max(strict, needs[i].apart);
        return by_ratio ? 1 - apart : apart;
      }
      return std::nullopt;
    };
    out.useful = looseness_for([&](double sum) { return sum > out.constant + rounding; });
    out.as_good = looseness_for([&](double sum) { return sum >= solution.dual - rounding; });
    return out;
  }

 private:
  using Mixed = MixedThresholds;

  // A threshold of a stratum, by how loose the criterion must be for it.
  struct NeededBy {
    double apart;
    double value;
    std::size_t family;
  };

  static void add_needs(const Part& part, const PooledScores& pool, std::size_t family,
                        std::vector<NeededBy>& out) {
    std::vector<Reach> reach(part.system.population.cells.size());
    pool.scan([&](std::size_t, const Column& column) {
      for (const auto& [cell, sums] : column.reach) reach[cell] = {sums.n, sums.n1, 0};
      double most = 0;
      for (const Compared& compared : part.system.comparisons) {
        std::vector<double> rates;
        for (const PooledRate& member : compared.members) {
          rates.push_back(evenhand::rate_of(member, part.system.population, reach));
        }
        most = std::max(most, apart(rates, compared));
      }
      out.push_back({most, column.benefit, family});
    });
  }

  std::vector<std::vector<CellCode>> alike() const {
    std::vector<std::vector<CellCode>> out;
    for (const CellGroup& family : families_) out.push_back(family.cells);
    return out;
  }

  bool few_coins() const {
    return problem_.options.lottery == Lottery::none || problem_.options.max_lottery;
  }

  // The strata of a part, called by its codes while this lives.
  struct InPart {
    InPart(Blind& whole, const Part& part) : all(whole) {
      std::vector<std::vector<CellCode>> codes;  // in the part, of their cells
      std::map<std::size_t, std::size_t> place;
      for (CellCode i = 0; i < part.cells.size(); ++i) {
        const std::size_t f = all.family_of_[part.cells[i]];
        const auto [found, is_new] = place.try_emplace(f, families.size());
        if (is_new) {
          families.push_back(f);
          codes.emplace_back();
          magnitude += all.pools_[f].magnitude();
        }
        codes[found->second].push_back(i);
      }
      for (std::size_t i = 0; i < families.size(); ++i) {
        all.pools_[families[i]].call_cells(std::move(codes[i]));
      }
    }
    ~InPart() {
      for (const std::size_t f : families) all.pools_[f].call_cells(all.families_[f].cells);
    }
    InPart(const InPart&) = delete;
    InPart& operator=(const InPart&) = delete;

    Blind& all;
    std::vector<std::size_t> families;
    double magnitude = 0;
  };

  // The best rule of the part with few coins or none, in place of that with coins.
  void search_part(const Part& part, std::vector<Mixed>& mixtures, Solution& solution) {
    const InPart in(*this, part);
    const SolveOptions& options = problem_.options;
    const auto whole = [](double number) { return number == std::floor(number); };
    std::vector<const PooledScores*> strata;
    for (const std::size_t f : in.families) strata.push_back(&pools_[f]);
    const BlindChoice found = choose_blind(
        part.system, strata,
        {.share = options.lottery == Lottery::none ? std::nullopt : options.max_lottery,
         .integral = problem_.from_labels && data_.integer_weights &&
                     whole(options.costs.false_positive) && whole(options.costs.false_negative),
         .magnitude = in.magnitude});
    if (found.mixtures.empty()) {
      if (!solution.infeasibility) solution.infeasibility.emplace().searched = true;
      solution.infeasibility->for_lack_of_coins = true;
      solution.infeasibility->searched &= found.bound == -std::numeric_limits<double>::infinity();
      solution.infeasibility->clash = problem_.criterion.require;
      return;
    }
    searched_.value += found.value;
    searched_.bound += found.bound;
    for (std::size_t i = 0; i < strata.size(); ++i) mixtures[in.families[i]] = found.mixtures[i];
  }

  void solve_part(const Part& part, std::vector<Mixed>& mixtures, Solution& solution) {
    const InPart in(*this, part);
    Generated found = generate(part.system, blocks_of(in.families), in.magnitude);
    if (found.infeasibility) {
      add_infeasibility(part, std::move(*found.infeasibility), solution.infeasibility);
      return;
    }
    add_constraints(part, std::move(found.constraints), solution.constraints);
    for (std::size_t i = 0; i < in.families.size(); ++i) {
      mixtures[in.families[i]] = std::move(found.mixture[i]);
    }
  }

  Blocks blocks_of(const std::vector<std::size_t>& families) const {
    Blocks out;
    out.count = families.size();
    out.start = [&](std::size_t i) {
      const PooledScores& pool = pools_[families[i]];
      return std::vector{pool.column(0), pool.column(pool.count())};
    };
    out.best = [&](std::size_t i, double weight, const std::vector<CellPrice>& price) {
      return pools_[families[i]].best(weight, price);
    };
    return out;
  }

  // With its rule and proof. Weights up to `snap` are dropped as rounding, or coins would decide
  // people whose chance is nil; should that cost the proof, not so.
  Solution with_rule(const Solution& found, const std::vector<Mixed>& mixtures, double snap) const {
    Solution out = found;
    out.rule = rule_of(mixtures, snap);
    prove(out);
    return out.status == Status::optimal || snap == 0 ? out : with_rule(found, mixtures, 0);
  }

  // q of a score is the weight of all thresholds that select it.
  Response response_of(std::size_t f, Mixed mixture, double snap) const {
    const PooledScores& pool = pools_[f];
    std::erase_if(mixture, [&](const auto& part) { return part.second <= snap; });
    // Those that select most come first: their weight counts from the lowest scores on.
    std::sort(mixture.rbegin(), mixture.rend());
    double whole = 0;
    for (const auto& [k, weight] : mixture) whole += weight;
    Response out;
    double sum = 0;
    for (const auto& [k, weight] : mixture) {
      if (k == 0) break;
      sum += weight / whole;
      const double q = sum > 1 - 1e-11 ? 1 : sum;  // the rest is rounding
      if (k == pool.count()) {
        out.start = q;
        continue;
      }
      const double from = boundary_between(pool.score(k), pool.score(k - 1), data_.level);
      if (!out.points.empty() && out.points.back().score == from) out.points.pop_back();
      if (q > (out.points.empty() ? out.start : out.points.back().q))
        out.points.push_back({from, q});
    }
    return out;
  }

  Rule rule_of(const std::vector<Mixed>& mixture, double snap = 0) const {
    RuleParts parts;
    std::vector<std::vector<std::string>> values;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      values.push_back(families_[f].values);
      parts.responses.push_back(pools_[f].count() > 0 ? response_of(f, mixture[f], snap)
                                                      : from_score(problem_.base_from));
    }
    parts.cells = CellNames(problem_.criterion.roles.within, values);
    parts.reading = data_.reading;
    parts.otherwise = problem_.base_from;
    if (problem_.outlook.calibrator) parts.calibrator = *problem_.outlook.calibrator;
    return Rule(std::move(parts));
  }

  // All of it from the tally and the rule: sums over the intervals between the rule's steps.
  void prove(Solution& solution) const {
    const Costs& costs = problem_.options.costs;
    std::vector<std::vector<double>> cuts(data_.names.size());
    std::vector<const Response*> responses(cuts.size());
    for (std::size_t f = 0; f < families_.size(); ++f) {
      const Response& response = solution.rule.parts().responses[f];
      for (const CellCode c : families_[f].cells) {
        responses[c] = &response;
        for (const Point& point : response.points) cuts[c].push_back(point.score);
        cuts[c].push_back(problem_.base_from);
        std::sort(cuts[c].begin(), cuts[c].end());
        cuts[c].erase(std::unique(cuts[c].begin(), cuts[c].end()), cuts[c].end());
      }
    }
    const auto sums = tabulate(problem_, cuts);
    std::vector<Reach> reach(cuts.size());
    double by_lot = 0;
    for (CellCode c = 0; c < cuts.size(); ++c) {
      double lottery = 0;
      for (std::size_t i = 0; i < sums[c].size(); ++i) {
        const double from = i == 0 ? -std::numeric_limits<double>::infinity() : cuts[c][i - 1];
        const Sums& sum = sums[c][i];
        const double good = problem_.from_labels ? sum.n1 : sum.p;
        const double nh = costs.false_negative * good - costs.false_positive * (sum.n - good);
        const double q = (*responses[c])(from);
        reach[c].n += q * sum.n;
        reach[c].n1 += q * good;
        reach[c].benefit += q * nh;
        if (q > 0 && q < 1) lottery += sum.n;
        if (from >= problem_.base_from) solution.base += nh;
      }
      solution.primal += reach[c].benefit;
      by_lot += lottery;
      const double n = problem_.tally.total(c).n;
      solution.cells[c].lottery_share = n > 0 ? lottery / n : 0;
      const auto& rates = problem_.criterion.rates;
      const Rate rate =
          solution.cells[c].compared && !rates.empty() ? rates.front() : Rate::selection;
      solution.cells[c].rate =
          rate_of(problem_.rate_in(c, rate), reach[c], problem_.tally.total(c));
    }
    solution.lottery_share = by_lot / problem_.tally.total().n;
    // At any prices no mixture of thresholds is worth more than the best of them.
    const std::vector<CellPrice> price = prices(solution.constraints, system_.population);
    std::vector<Worth> worth(cuts.size());  // of a family, at its first cell
    for (std::size_t f = 0; f < families_.size(); ++f) {
      Worth& family = worth[families_[f].cells.front()];
      family = {.dual = pools_[f].best(1, price).value, .magnitude = pools_[f].magnitude()};
      for (const CellCode c : families_[f].cells) {
        family.primal += reach[c].benefit;
        family.weight += problem_.tally.total(c).n;
      }
      solution.dual += family.dual;
    }
    for (Constraint& constraint : solution.constraints) {
      for (Term& term : constraint.terms) {
        term.value = measured(term.of, system_.population, reach);
        constraint.value += term.factor * term.value;
      }
      solution.dual += constraint.multiplier * row_of(constraint, system_.population).bound;
    }
    for (std::string& note : vacuous(solution.constraints)) {
      solution.notes.push_back(std::move(note));
    }
    solution.violation = violation(system_, reach);
    conclude(solution, worth_of_parts(system_, alike(), solution.constraints, worth));
  }

  const Problem& problem_;
  const Tally::Data& data_;
  System system_;
  std::vector<CellGroup> families_;
  std::vector<PooledScores> pools_;
  std::vector<std::size_t> family_of_;  // of each cell
  BlindChoice searched_;                // values and bounds of all parts
};

}  // namespace

Solution solve_blind(const Problem& problem) {
  check(problem);
  return Blind(problem).run();
}

std::optional<PriceOfNoCoins> blind_price_of_no_coins(const Problem& problem,
                                                      const Solution& solution) {
  return Blind(problem).price_without_coins(solution);
}

}  // namespace evenhand
