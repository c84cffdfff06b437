// Rules with few coins or none, compared with all rules of their kind, one by one.
#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "support/many_check.h"
#include "support/trials.h"
#include "support/verified.h"

namespace evenhand::testing::many::lottery_oracle_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double close = 1e-9;

std::vector<Family> families() {
  using enum Across;
  std::vector<Family> out = all_families();
  for (const bool tolerance : {false, true}) {
    const std::string end = tolerance ? "Tolerance" : "Exact";
    for (const bool within : {false, true}) {
      const std::string all = end + (within ? "Strata" : "");
      const int columns = within ? 1 : 2;
      out.push_back(
          {"Parity" + all, "statistical-parity", intersection, columns, within, tolerance});
      out.push_back(
          {"Opportunity" + all, "equal-opportunity", intersection, columns, within, tolerance});
      out.push_back({"FalsePositives" + all, "false-positive-parity", intersection, columns, within,
                     tolerance});
    }
    out.push_back({"EqualRates" + end, "equal-rates", intersection, 1, true, tolerance});
  }
  out.push_back({"FourFifths", "four-fifths", intersection, 1, true, false});
  return out;
}

// All choices of a threshold for each cell.
class Enumeration {
 public:
  explicit Enumeration(const Model& model) : model_(model), q_(model.cells.size()) {
    for (std::size_t c = 0; c < q_.size(); ++c) q_[c].assign(model.cells[c].size(), 0);
  }

  static double size(const Model& model) {
    double product = 1;
    for (const auto& cell : model.cells) product *= static_cast<double>(cell.size() + 1);
    return product;
  }

  // The largest objective of a choice that meets everything; minus infinity if there is none.
  double best() {
    std::vector<const PerAtom*> lists;
    for (const Compared& compared : model_.compared) {
      for (const PerAtom& rate : compared.rates) lists.push_back(&rate);
    }
    for (const Side& side : model_.demanded) lists.push_back(&side.left);
    quantities_ = lists;
    visit(0, 0, std::vector<double>(lists.size(), 0));
    return best_;
  }

 private:
  void visit(std::size_t c, double objective, std::vector<double> sums) {
    if (c == q_.size()) {
      if (objective > best_ && meets(sums)) best_ = objective;
      return;
    }
    visit(c + 1, objective, sums);
    for (std::size_t i = model_.cells[c].size(); i-- > 0;) {
      objective += model_.cells[c][i].nh;
      for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += (*quantities_[s])[c][i];
      visit(c + 1, objective, sums);
    }
  }

  bool meets(const std::vector<double>& sums) const {
    constexpr double rounding = 1e-11;
    std::size_t at = 0;
    for (const Compared& compared : model_.compared) {
      double lowest = infinity;
      double highest = -infinity;
      for (std::size_t i = 0; i < compared.rates.size(); ++i, ++at) {
        lowest = std::min(lowest, sums[at]);
        highest = std::max(highest, sums[at]);
      }
      const double over =
          model_.relation == Relation::difference ? highest - lowest - model_.tolerance
          : model_.relation == Relation::ratio
              ? model_.ratio * highest - lowest
              : std::max(highest - model_.rho, model_.rho - lowest) - model_.tolerance;
      if (over > rounding) return false;
    }
    for (std::size_t i = 0; i < model_.demands.size(); ++i) {
      const Side& side = model_.demanded[i];
      const double over = (sums[at++] - side.bound) / side.unit;
      const Sense sense = model_.demands[i].sense;
      if (sense != Sense::at_least && over > rounding) return false;
      if (sense != Sense::at_most && over < -rounding) return false;
    }
    return true;
  }

  const Model& model_;
  PerAtom q_;
  std::vector<const PerAtom*> quantities_;
  double best_ = -infinity;
};

class LotteryOracle : public ::testing::TestWithParam<Family> {};

TEST_P(LotteryOracle, NoRuleWithoutCoinsIsBetter) {
  Draws draws(GetParam(), 9000, trials(200), 100 * trials(200));
  while (draws.more()) {
    Problem problem = draws.problem();
    const Model model = model_of(problem);
    if (Enumeration::size(model) > 20'000 || !comparable(model, problem.criterion)) continue;
    SCOPED_TRACE(outline(problem, draws.trial()));
    const Tally tally = problem.people.tally();
    problem.options.lottery = Lottery::none;
    const Solution solution = solve(tally, problem.criterion, problem.options);
    const double best = Enumeration(model).best();
    draws.count();
    if (best == -infinity) {
      EXPECT_EQ(solution.status, Status::infeasible);
      continue;
    }
    ASSERT_EQ(to_string(solution.status), "optimal") << solution.gap << ' ' << solution.violation;
    EXPECT_EQ(solution.lottery_share, 0);
    EXPECT_NEAR(solution.primal, best, close * model.scale());
    EXPECT_NEAR(solution.bound, best, close * model.scale());
    EXPECT_LE(solution.primal, solution.dual + close * model.scale());
    const Applied applied = apply(model, solution.rule, problem.people.favorable);
    EXPECT_LE(applied.violation, close);
    EXPECT_NEAR(solution.primal, applied.objective, close * model.scale());
    for (const auto& cell : applied.q) {
      for (const double q : cell) EXPECT_TRUE(q == 0 || q == 1) << q;
    }
    expect_verified(tally, solution);
  }
}

// Whether a mixture of thresholds a ... b reaches (x, y): at x, segments between two of them reach
// from below it to above it.
bool reaches(const std::vector<double>& n, const std::vector<double>& height, std::size_t a,
             std::size_t b, double x, double y) {
  const double rounding = 1e-12 * n.back();
  double lowest = infinity;
  double highest = -infinity;
  for (std::size_t i = a; i <= b; ++i) {
    for (std::size_t k = i; k <= b; ++k) {
      if (x < n[i] - rounding || x > n[k] + rounding) continue;
      const double share = i == k ? 0 : (x - n[i]) / (n[k] - n[i]);
      const double at = height[i] + share * (height[k] - height[i]);
      lowest = std::min(lowest, at);
      highest = std::max(highest, at);
    }
  }
  return lowest <= y + rounding && highest >= y - rounding;
}

TEST_P(LotteryOracle, NoWindowOfFewerPeopleReachesTheSameRates) {
  Draws draws(GetParam(), 9500, trials(200), 100 * trials(200));
  while (draws.more()) {
    const Problem problem = draws.problem();
    const Model model = model_of(problem);
    const auto small = [](const auto& cell) { return cell.size() <= 14; };
    if (!std::all_of(model.cells.begin(), model.cells.end(), small) ||
        !comparable(model, problem.criterion) || !best_objective(model)) {
      continue;
    }
    SCOPED_TRACE(outline(problem, draws.trial()));
    const Solution solution = solve(problem.people.tally(), problem.criterion, problem.options);
    ASSERT_EQ(to_string(solution.status), "optimal");
    draws.count();
    const Applied applied = apply(model, solution.rule, problem.people.favorable);
    for (std::size_t c = 0; c < model.cells.size(); ++c) {
      std::vector<double> n = {0};
      std::vector<double> y = {0};
      double x_at = 0;
      double y_at = 0;
      double coins = 0;
      for (std::size_t i = model.cells[c].size(); i-- > 0;) {
        const Atom& atom = model.cells[c][i];
        const double height = model.from_labels ? atom.n1 : atom.nh;
        n.push_back(n.back() + atom.n);
        y.push_back(y.back() + height);
        const double q = applied.q[c][i];
        x_at += q * atom.n;
        y_at += q * height;
        if (q > 0 && q < 1) coins += atom.n;
      }
      for (std::size_t a = 0; a < n.size(); ++a) {
        for (std::size_t b = a; b < n.size() && n[b] - n[a] < coins - 1e-9 * n.back(); ++b) {
          EXPECT_FALSE(reaches(n, y, a, b, x_at, y_at))
              << "cell " << c << ": " << n[b] - n[a] << " instead of " << coins;
        }
      }
    }
  }
}

// The best rule whose coins concern one window of thresholds in each cell: a linear program for
// each choice of windows.
double best_with_windows(const Model& model, double share) {
  struct Span {
    std::size_t first, last;  // number of best scores selected
  };
  std::vector<std::vector<Span>> windows;
  for (const auto& cell : model.cells) {
    std::vector<double> n = {0};
    for (std::size_t i = cell.size(); i-- > 0;) n.push_back(n.back() + cell[i].n);
    std::vector<Span>& list = windows.emplace_back();
    for (std::size_t a = 0; a < n.size(); ++a) {
      std::size_t b = std::min(a + 1, n.size() - 1);
      while (b + 1 < n.size() && n[b + 1] - n[a] <= share * n.back() * (1 + 1e-12)) ++b;
      if (list.empty() || b > list.back().last) list.push_back({a, b});
    }
  }
  double best = -infinity;
  std::vector<std::size_t> at(windows.size(), 0);
  for (bool more = true; more;) {
    LinearProgram lp;
    std::vector<std::vector<std::pair<int, std::size_t>>> weights(windows.size());
    for (std::size_t c = 0; c < windows.size(); ++c) {
      const Span& span = windows[c][at[c]];
      std::vector<std::pair<int, double>> sum;
      for (std::size_t k = span.first; k <= span.last; ++k) {
        double value = 0;
        const std::size_t size = model.cells[c].size();
        for (std::size_t i = size - k; i < size; ++i) value += model.cells[c][i].nh;
        weights[c].emplace_back(lp.add_variable(value / model.scale(), 0, 1), k);
        sum.emplace_back(weights[c].back().first, 1);
      }
      lp.add_row(1, 1, sum);
    }
    const auto terms = [&](const PerAtom& factors) {
      std::vector<std::pair<int, double>> out;
      for (std::size_t c = 0; c < windows.size(); ++c) {
        const std::size_t size = model.cells[c].size();
        for (const auto& [variable, k] : weights[c]) {
          double value = 0;
          for (std::size_t i = size - k; i < size; ++i) value += factors[c][i];
          out.emplace_back(variable, value);
        }
      }
      return out;
    };
    for (const Compared& compared : model.compared) {
      const int lowest = lp.add_variable(0, 0, 1);
      for (const PerAtom& rate : compared.rates) {
        auto row = terms(rate);
        row.emplace_back(lowest, -1);
        lp.add_row(0, model.tolerance, row);
      }
    }
    const LinearAnswer answer = maximise(lp);
    if (answer.optimal) best = std::max(best, answer.objective * model.scale());
    more = false;
    for (std::size_t c = 0; c < at.size() && !more; ++c) {
      more = ++at[c] < windows[c].size();
      if (!more) at[c] = 0;
    }
  }
  return best;
}

TEST(Lottery, NoRuleWithSoFewCoinsIsBetter) {
  for (const char* name : {"OddsTolerance", "OddsExact", "OpportunityTolerance"}) {
    const auto list = families();
    const auto family =
        std::find_if(list.begin(), list.end(), [&](const Family& f) { return f.name == name; });
    ASSERT_NE(family, list.end());
    Draws draws(*family, 9900, trials(200), 200 * trials(200));
    while (draws.more()) {
      Problem problem = draws.problem();
      const Model model = model_of(problem);
      if (Enumeration::size(model) > 300 || !comparable(model, problem.criterion)) continue;
      SCOPED_TRACE(outline(problem, draws.trial()));
      draws.count();
      problem.options.max_lottery = draws.random().chance(0.3) ? 0 : 0.6 * draws.random().unit();
      const Solution solution = solve(problem.people.tally(), problem.criterion, problem.options);
      const double best = best_with_windows(model, *problem.options.max_lottery);
      ASSERT_EQ(to_string(solution.status), "optimal") << solution.gap;
      EXPECT_NEAR(solution.primal, best, close * model.scale());
      expect_verified(problem.people.tally(), solution);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, LotteryOracle, ::testing::ValuesIn(families()),
                         name_of_family);

}  // namespace
}  // namespace evenhand::testing::many::lottery_oracle_test
