// Blind rules without coins: against all thresholds there are.
#include <evenhand/evenhand.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/borrowed.h"
#include "support/problems.h"
#include "support/trials.h"

namespace evenhand::blind_none_test {
namespace {

using testing::Random;
using testing::trials;

struct People {
  std::vector<double> score;
  std::vector<std::string> group, stratum;
  std::vector<double> label, weight;

  Cells cells() const { return Cells::from({{"group", group}, {"stratum", stratum}}); }
  Tally tally() const { return Tally::of(score, cells(), {.label = label, .weight = weight}); }
};

People make_people(Random& random, int rows, int strata) {
  People out;
  for (int i = 0; i < rows; ++i) {
    out.group.push_back(std::string(1, static_cast<char>('a' + (i < 3 ? i : random.below(3)))));
    out.stratum.push_back(std::to_string(i < 6 ? i / 3 % strata : random.below(strata)));
    out.score.push_back(random.below(20) / 20.0 + 0.02);
    out.label.push_back(i % 2 == 0 ? 1 : random.chance(out.score.back()) ? 1 : 0);
    out.weight.push_back(1 + random.below(3));
  }
  return out;
}

struct Atom {
  double x = 0, n = 0, n1 = 0, nh = 0;
};

struct Atoms {
  std::vector<std::vector<Atom>> cells;
  std::vector<std::string> stratum;  // of each cell
};

Atoms atoms_of(const People& people, const Criterion& criterion, const Costs& costs) {
  std::map<std::pair<std::string, std::string>, std::map<double, Atom>> cells;
  for (std::size_t i = 0; i < people.score.size(); ++i) {
    Atom& atom = cells[{people.stratum[i], people.group[i]}][people.score[i]];
    const double p = criterion.uses_labels() ? people.label[i] : people.score[i];
    atom.x = people.score[i];
    atom.n += people.weight[i];
    atom.n1 += people.weight[i] * people.label[i];
    atom.nh += people.weight[i] * benefit(p, costs);
  }
  Atoms out;
  for (const auto& [key, scores] : cells) {
    out.stratum.push_back(key.first);
    out.cells.emplace_back();
    for (const auto& [x, atom] : scores) out.cells.back().push_back(atom);
  }
  testing::NeededOutcomes needed;
  for (const Rate rate : criterion.rates) {
    needed.good = needed.good || rate == Rate::true_positive;
    needed.bad = needed.bad || rate == Rate::false_positive;
  }
  testing::borrow(out.cells, out.stratum, needed, costs);
  return out;
}

// The best objective of any thresholds, one for each stratum, that meet the criterion; minus
// infinity if none do. Plain sums over rows.
double best_by_trying(const People& people, const Criterion& criterion, const Costs& costs,
                      int strata) {
  const int steps = 23;  // scores are 0.02, 0.07 ... 0.97
  double best = -std::numeric_limits<double>::infinity();
  std::vector<double> total(static_cast<std::size_t>(strata), 0);
  const Atoms atoms = atoms_of(people, criterion, costs);
  for (int s = 0; s < strata; ++s) {
    double most = -std::numeric_limits<double>::infinity();
    for (int step = 0; step < steps; ++step) {
      const double from = step / 20.0;
      double value = 0;
      for (std::size_t c = 0; c < atoms.cells.size(); ++c) {
        if (atoms.stratum[c] != std::to_string(s)) continue;
        for (const Atom& atom : atoms.cells[c]) value += atom.x > from ? atom.nh : 0;
      }
      struct Sums {
        double n = 0, selected = 0;
      };
      std::vector<std::vector<Sums>> rates(criterion.rates.size(), std::vector<Sums>(3));
      for (std::size_t i = 0; i < people.score.size(); ++i) {
        if (people.stratum[i] != std::to_string(s)) continue;
        const bool yes = people.score[i] > from;
        for (std::size_t r = 0; r < rates.size(); ++r) {
          const Rate rate = criterion.rates[r];
          if (rate == Rate::true_positive && people.label[i] == 0) continue;
          if (rate == Rate::false_positive && people.label[i] == 1) continue;
          Sums& sums = rates[r][static_cast<std::size_t>(people.group[i][0] - 'a')];
          sums.n += people.weight[i];
          sums.selected += yes ? people.weight[i] : 0;
        }
      }
      bool fair = true;
      for (const auto& groups : rates) {
        double low = 1;
        double high = 0;
        for (const Sums& sums : groups) {
          if (sums.n == 0) continue;
          low = std::min(low, sums.selected / sums.n);
          high = std::max(high, sums.selected / sums.n);
        }
        if (high < low) continue;
        fair = fair &&
               (criterion.relation == Relation::ratio ? low >= criterion.ratio * high - 1e-11
                                                      : high - low <= criterion.tolerance + 1e-11);
      }
      if (fair) most = std::max(most, value);
    }
    total[static_cast<std::size_t>(s)] = most;
  }
  best = 0;
  for (const double one : total) best += one;
  return best;
}

TEST(BlindWithoutCoins, IsTheBestOfAllThresholds) {
  Random random(11);
  for (int trial = 0; trial < trials(600); ++trial) {
    const int strata = 1 + trial % 2;
    const People people = make_people(random, 12 + random.below(40), strata);
    const ParityOptions near{
        .sensitive = {"group"}, .within = {"stratum"}, .tolerance = random.below(5) * 0.07};
    const std::vector<Criterion> all = {
        statistical_parity(near), equal_opportunity(near), equalized_odds(near),
        four_fifths(
            {.sensitive = {"group"}, .within = {"stratum"}, .ratio = 0.5 + random.below(5) * 0.1})};
    const Criterion& criterion = all[static_cast<std::size_t>(trial / 2) % all.size()];
    SolveOptions options{.lottery = Lottery::none};
    options.blind = true;
    if (random.chance(0.3)) options.costs = {2, 1};
    Solution found;
    try {
      found = solve(people.tally(), criterion, options);
    } catch (const std::invalid_argument&) {
      continue;  // nothing to compare
    }
    const double best = best_by_trying(people, criterion, options.costs, strata);
    ASSERT_EQ(found.status, Status::optimal) << trial;
    EXPECT_EQ(found.lottery_share, 0);
    EXPECT_NEAR(found.primal, best, 1e-9 * (1 + std::abs(best))) << trial << ' ' << criterion.name;
    EXPECT_GE(found.dual, found.primal - 1e-9 * found.magnitude);  // that with coins
    for (const Response& response : found.rule.parts().responses) {
      for (const Point& point : response.points) EXPECT_TRUE(point.q == 0 || point.q == 1);
    }
  }
}

}  // namespace
}  // namespace evenhand::blind_none_test
