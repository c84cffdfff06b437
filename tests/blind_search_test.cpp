// Blind rules without coins, or with coins for few people, compared with all rules of their kind:
// every choice of a threshold for each stratum, and a linear program for every choice of windows.
#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "support/many_check.h"
#include "support/trials.h"

namespace evenhand::testing::many::blind_search_test {
namespace {

constexpr double none_meets = -std::numeric_limits<double>::infinity();

// Factors summed over whom threshold k of a stratum selects: its k best distinct scores, whoever
// has them.
class Steps {
 public:
  explicit Steps(const Model& model) : model_(model) {
    for (const std::vector<CellCode>& cells : model.alike) {
      std::vector<double>& list = scores_.emplace_back();
      for (const CellCode c : cells) {
        for (const Atom& atom : model.cells[c]) list.push_back(atom.x);
      }
      std::sort(list.rbegin(), list.rend());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  std::size_t strata() const { return scores_.size(); }
  std::size_t count(std::size_t f) const { return scores_[f].size(); }

  template <class Factor>
  double sum(std::size_t f, std::size_t k, Factor factor) const {
    double out = 0;
    for (const CellCode c : model_.alike[f]) {
      for (std::size_t i = 0; i < model_.cells[c].size(); ++i) {
        if (k > 0 && model_.cells[c][i].x >= scores_[f][k - 1]) out += factor(c, i);
      }
    }
    return out;
  }
  double sum(std::size_t f, std::size_t k, const PerAtom& factors) const {
    return sum(f, k, [&](std::size_t c, std::size_t i) { return factors[c][i]; });
  }
  double benefit(std::size_t f, std::size_t k) const {
    return sum(f, k, [&](std::size_t c, std::size_t i) { return model_.cells[c][i].nh; });
  }
  // Whether coins between these thresholds concern at most that share of every cell.
  bool few(std::size_t f, std::size_t a, std::size_t b, double share) const {
    for (const CellCode cell : model_.alike[f]) {
      const auto people = [&](std::size_t c, std::size_t i) {
        return c == cell ? model_.cells[c][i].n : 0;
      };
      const double most = share * sum(f, count(f), people) * (1 + 1e-12);
      if (sum(f, b, people) - sum(f, a, people) > most) return false;
    }
    return true;
  }

 private:
  const Model& model_;
  std::vector<std::vector<double>> scores_;  // of each stratum, falling
};

struct Span {
  std::size_t first, last;
};

// Windows of each stratum; without a share, single thresholds.
std::vector<std::vector<Span>> windows_of(const Steps& steps, const std::optional<double>& share) {
  std::vector<std::vector<Span>> out(steps.strata());
  for (std::size_t f = 0; f < steps.strata(); ++f) {
    for (std::size_t a = 0; a <= steps.count(f); ++a) {
      std::size_t b = share ? std::min(a + 1, steps.count(f)) : a;
      while (share && b < steps.count(f) && steps.few(f, a, b + 1, *share)) ++b;
      if (out[f].empty() || b > out[f].back().last) out[f].push_back({a, b});
    }
  }
  return out;
}

double choices_of(const std::vector<std::vector<Span>>& windows) {
  double out = 1;
  for (const auto& list : windows) out *= static_cast<double>(list.size());
  return out;
}

// The best mixture of the thresholds in these windows, by a linear program.
double best_in(const Model& model, const Steps& steps, const std::vector<Span>& windows) {
  LinearProgram lp;
  struct Variable {
    int number;
    std::size_t f, k;
  };
  std::vector<Variable> weights;
  for (std::size_t f = 0; f < windows.size(); ++f) {
    std::vector<std::pair<int, double>> whole;
    for (std::size_t k = windows[f].first; k <= windows[f].last; ++k) {
      weights.push_back({lp.add_variable(steps.benefit(f, k) / model.scale(), 0, 1), f, k});
      whole.emplace_back(weights.back().number, 1);
    }
    lp.add_row(1, 1, whole);
  }
  const auto terms = [&](const PerAtom& factors, double unit) {
    std::vector<std::pair<int, double>> out;
    for (const Variable& one : weights) {
      out.emplace_back(one.number, steps.sum(one.f, one.k, factors) / unit);
    }
    return out;
  };
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const Compared& compared : model.compared) {
    const int common = lp.add_variable(0, 0, 1);
    for (const PerAtom& rate : compared.rates) {
      auto row = terms(rate, 1);
      if (model.relation == Relation::target) {
        lp.add_row(model.rho - model.tolerance, model.rho + model.tolerance, row);
        continue;
      }
      row.emplace_back(common, -1);
      if (model.relation == Relation::difference) {
        lp.add_row(0, model.tolerance, row);
        continue;
      }
      lp.add_row(-infinite, 0, row);  // the common one is the largest
      row.back().second = -model.ratio;
      lp.add_row(0, infinite, row);
    }
  }
  for (std::size_t i = 0; i < model.demands.size(); ++i) {
    const Side& side = model.demanded[i];
    const Sense sense = model.demands[i].sense;
    const double bound = side.bound / side.unit;
    lp.add_row(sense == Sense::at_most ? -infinite : bound,
               sense == Sense::at_least ? infinite : bound, terms(side.left, side.unit));
  }
  const LinearAnswer answer = maximise(lp);
  return answer.optimal ? answer.objective * model.scale() : none_meets;
}

double best_of_all(const Model& model, const Steps& steps,
                   const std::vector<std::vector<Span>>& windows) {
  double best = none_meets;
  std::vector<std::size_t> at(windows.size(), 0);
  for (bool more = true; more;) {
    std::vector<Span> chosen;
    for (std::size_t f = 0; f < at.size(); ++f) chosen.push_back(windows[f][at[f]]);
    best = std::max(best, best_in(model, steps, chosen));
    more = false;
    for (std::size_t f = 0; f < at.size() && !more; ++f) {
      more = ++at[f] < windows[f].size();
      if (!more) at[f] = 0;
    }
  }
  return best;
}

class BlindSearchOracle : public ::testing::TestWithParam<Family> {};

TEST_P(BlindSearchOracle, NoRuleOfItsKindIsBetter) {
  Draws draws(GetParam(), 9700, trials(200), 300 * trials(200));
  while (draws.more()) {
    Problem problem = draws.problem();
    problem.options.blind = true;
    problem.options.lottery = Lottery::fewest;
    const Model model = model_of(problem);
    std::optional<double> share;
    if (draws.random().chance(0.5)) {
      share = draws.random().chance(0.2) ? 0 : 0.5 * draws.random().unit();
    }
    const Steps steps(model);
    const auto windows = windows_of(steps, share);
    if (choices_of(windows) > 150 || !comparable(model, problem.criterion)) continue;
    SCOPED_TRACE(outline(problem, draws.trial()) +
                 (share ? ", share " + std::to_string(*share) : ""));
    draws.count();
    if (share) {
      problem.options.max_lottery = share;
    } else {
      problem.options.lottery = Lottery::none;
    }
    const Tally tally = problem.people.tally();
    const Solution solution = solve(tally, problem.criterion, problem.options);
    const double best = best_of_all(model, steps, windows);
    if (best == none_meets) {
      EXPECT_EQ(solution.status, Status::infeasible);
      continue;
    }
    constexpr double close = 1e-9;
    ASSERT_EQ(to_string(solution.status), "optimal") << solution.gap << ' ' << solution.violation;
    EXPECT_NEAR(solution.primal, best, close * model.scale());
    EXPECT_NEAR(solution.bound, best, close * model.scale());
    EXPECT_LE(solution.primal, solution.dual + close * model.scale());  // that with coins
    const Applied applied = apply(model, solution.rule, problem.people.favorable);
    EXPECT_LE(applied.violation, close);
    EXPECT_NEAR(solution.primal, applied.objective, close * model.scale());
    if (!share) {
      EXPECT_EQ(solution.lottery_share, 0);
    }
    for (std::size_t f = 0; share && f < steps.strata(); ++f) {
      std::vector<double> tossed;  // scores decided by a coin
      for (const CellCode c : model.alike[f]) {
        for (std::size_t i = 0; i < model.cells[c].size(); ++i) {
          const double q = applied.q[c][i];
          if (q > 0 && q < 1) tossed.push_back(model.cells[c][i].x);
        }
      }
      std::sort(tossed.begin(), tossed.end());
      tossed.erase(std::unique(tossed.begin(), tossed.end()), tossed.end());
      if (tossed.size() < 2) continue;  // one score is always allowed
      for (const CellCode c : model.alike[f]) {
        EXPECT_LE(solution.cells[c].lottery_share, *share * (1 + 1e-9));
      }
    }
    expect_verified(tally, solution);
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, BlindSearchOracle, ::testing::ValuesIn(all_families()),
                         name_of_family);

}  // namespace
}  // namespace evenhand::testing::many::blind_search_test
