// Criteria of soft groups beside exact parity: with tolerance, by ratio, given the outcome. The
// oracle is the linear program over all rows.
#include <evenhand/soft.h>
#include <evenhand/soft_audit.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/linear_program.h"
#include "support/problems.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::soft_criteria_test {
namespace {

using testing::expect_throw;
using testing::LinearAnswer;
using testing::LinearProgram;
using testing::Random;
using testing::trials;

struct People {
  std::vector<double> score, weight;
  std::vector<std::vector<double>> any, favorable, unfavorable;  // columns

  SoftRows rows() const {
    SoftRows out{score, {}};
    const auto add = [](const char* name, const auto& from, std::vector<SoftColumn>& to) {
      for (std::size_t j = 0; j < from.size(); ++j) {
        to.push_back({name + std::to_string(j), from[j]});
      }
    };
    add("g", any, out.columns);
    add("good", favorable, out.favorable);
    add("bad", unfavorable, out.unfavorable);
    return out;
  }
};

People make_people(Random& random, int rows, std::size_t columns, bool coarse, bool given) {
  People out;
  auto& first = given ? out.favorable : out.any;
  first.resize(columns);
  if (given) out.unfavorable.resize(columns);
  const auto value = [&] { return coarse ? random.below(4) / 3.0 : random.unit(); };
  for (int i = 0; i < rows; ++i) {
    const double g = value();
    out.score.push_back(0.05 + 0.9 * (0.4 * g + 0.6 * value()));
    out.weight.push_back(1 + random.below(3));
    for (std::size_t j = 0; j < columns; ++j) {
      first[j].push_back(j == 0 ? g : value());
      if (given) out.unfavorable[j].push_back(value());
    }
  }
  return out;
}

// The best objective of any probabilities at all.
LinearAnswer oracle(const People& people, const SoftOptions& options) {
  LinearProgram program;
  for (std::size_t i = 0; i < people.score.size(); ++i) {
    program.add_variable(people.weight[i] * benefit(people.score[i], options.costs), 0, 1);
  }
  const CriterionName& criterion = find_criterion(options.criterion);
  for (const Rate rate : criterion.rates) {
    const auto& given = rate == Rate::true_positive    ? people.favorable
                        : rate == Rate::false_positive ? people.unfavorable
                                                       : people.any;
    for (const std::vector<double>& g : given.empty() ? people.any : given) {
      const auto factor = [&](std::size_t i) {
        const double p = people.score[i];
        return people.weight[i] * (rate == Rate::selection       ? 1
                                   : rate == Rate::true_positive ? p
                                                                 : 1 - p);
      };
      double belong = 0;
      double others = 0;
      for (std::size_t i = 0; i < g.size(); ++i) {
        belong += factor(i) * g[i];
        others += factor(i) * (1 - g[i]);
      }
      if (!(belong > 0 && others > 0)) continue;
      // a * rate - b * others within these
      const auto add = [&](double a, double b, double low, double high) {
        std::vector<std::pair<int, double>> terms;
        for (std::size_t i = 0; i < g.size(); ++i) {
          terms.emplace_back(static_cast<int>(i),
                             factor(i) * (a * g[i] / belong - b * (1 - g[i]) / others));
        }
        program.add_row(low, high, std::move(terms));
      };
      if (criterion.takes_ratio()) {
        add(1, options.ratio, 0, std::numeric_limits<double>::infinity());
        add(options.ratio, 1, -std::numeric_limits<double>::infinity(), 0);
      } else {
        add(1, 1, -options.tolerance, options.tolerance);
      }
    }
  }
  return maximise(program);
}

void compare(Random& random, const std::string& criterion, bool given) {
  for (int trial = 0; trial < trials(200); ++trial) {
    const auto columns = static_cast<std::size_t>(1 + random.below(3));
    const People people =
        make_people(random, 4 + random.below(40), columns, random.chance(0.4), given);
    SoftOptions options{.weight = people.weight};
    options.criterion = criterion;
    const CriterionName& name = find_criterion(criterion);
    if (name.takes_ratio()) {
      options.ratio = 0.5 + random.below(6) / 10.0;
    } else {
      options.tolerance = random.below(4) * 0.05;
    }
    if (random.chance(0.3)) options.costs = {2, 1};
    const LinearAnswer best = oracle(people, options);
    ASSERT_TRUE(best.optimal);
    SoftSolution found;
    try {
      found = solve_soft(people.rows(), options);
    } catch (const std::invalid_argument& error) {
      ASSERT_NE(std::string(error.what()).find("nothing to compare"), std::string::npos);
      continue;
    }
    ASSERT_EQ(found.status, Status::optimal)
        << trial << ": gap " << found.gap << ", violation " << found.violation << ", tolerance "
        << options.tolerance << ", lots " << found.lottery_share << ", best " << best.objective
        << "\n"
        << found.to_json();
    EXPECT_NEAR(found.primal, best.objective, 1e-7 * (1 + std::abs(best.objective))) << trial;
    // What the rule does to the rows, by the audit.
    const std::vector<double> q = found.rule.probability(people.rows());
    const SoftAudit audit = audit_soft(people.rows(), q,
                                       {.weight = people.weight,
                                        .costs = options.costs,
                                        .rates = {name.rates.begin(), name.rates.end()}});
    if (name.takes_ratio()) {
      EXPECT_GE(audit.smallest_ratio().value_or(1), options.ratio - 1e-6);
    } else {
      EXPECT_LE(audit.largest_difference().value_or(0), options.tolerance + 1e-9);
    }
    const SoftRule read = SoftRule::from_json(found.to_json());
    EXPECT_EQ(read, found.rule);
    EXPECT_EQ(read.probability(people.rows()), q);
  }
}

struct OracleCase {
  const char* name;
  const char* criterion;
  std::uint64_t seed;
};

class SoftCriteriaOracle : public ::testing::TestWithParam<OracleCase> {};

TEST_P(SoftCriteriaOracle, IsTheBestOfAllProbabilities) {
  Random random(GetParam().seed);
  compare(random, GetParam().criterion, false);
}

INSTANTIATE_TEST_SUITE_P(
    AllCriteria, SoftCriteriaOracle,
    ::testing::Values(OracleCase{"ParityWithTolerance", "statistical-parity", 1},
                      OracleCase{"Opportunity", "equal-opportunity", 2},
                      OracleCase{"FalsePositives", "false-positive-parity", 3},
                      OracleCase{"Odds", "equalized-odds", 4},
                      OracleCase{"FourFifths", "four-fifths", 5}),
    [](const ::testing::TestParamInfo<OracleCase>& one) { return one.param.name; });

TEST(SoftCriteria, ColumnsGivenTheOutcomeServeTheRatesOfThatOutcome) {
  Random random(6);
  compare(random, "equalized-odds", true);
  compare(random, "equal-opportunity", true);
}

// Enough rows that most of them are fixed in the linear program, and only some are freed.
TEST(SoftCriteria, SiftingIsExactAtManyRows) {
  Random random(7);
  const People people = make_people(random, trials(300) * 1000, 4, false, false);
  for (const char* criterion : {"statistical-parity", "equalized-odds"}) {
    SoftOptions options{.weight = people.weight};
    options.criterion = criterion;
    options.tolerance = 0.02;
    const SoftSolution found = solve_soft(people.rows(), options);
    EXPECT_EQ(found.status, Status::optimal) << found.gap << ' ' << found.violation;
    EXPECT_LT(found.lottery_share, 1e-3);
    double last = found.primal;  // a larger tolerance never costs anything
    for (const double tolerance : {0.05, 0.2, 1.0}) {
      options.tolerance = tolerance;
      const SoftSolution looser = solve_soft(people.rows(), options);
      EXPECT_GE(looser.primal, last * (1 - 1e-12));
      last = looser.primal;
    }
    EXPECT_NEAR(last, found.base, 1e-9 * found.base);
  }
}

TEST(SoftCriteria, RefusesWhatDoesNotGoTogether) {
  Random random(8);
  const People people = make_people(random, 20, 1, false, false);
  const People given = make_people(random, 20, 2, false, true);
  const auto refused = [](const SoftRows& rows, SoftOptions options, const char* why) {
    expect_throw<std::invalid_argument>([&] { solve_soft(rows, options); }, why);
  };
  SoftOptions options;
  options.criterion = "equal-rates";
  refused(people.rows(), options, "soft attributes");
  options.criterion = "fairness";
  refused(people.rows(), options, "fairness");
  options = {};
  options.tolerance = 1.5;
  refused(people.rows(), options, "1.5");
  options.tolerance = std::nan("");
  refused(people.rows(), options, "tolerance");
  options.tolerance = 0.1;
  options.gamma = 0.1;
  refused(people.rows(), options, "gamma 0");
  options = {};
  options.criterion = "four-fifths";
  options.ratio = 0;
  refused(people.rows(), options, "ratio");
  options.ratio = 0.8;
  options.tolerance = 0.1;
  refused(people.rows(), options, "tolerance");
  refused(given.rows(), {}, "no outcome");
  SoftRows half = given.rows();
  half.unfavorable.clear();
  options = {};
  options.criterion = "equalized-odds";
  refused(half, options, "unfavourable");
  half = given.rows();
  half.unfavorable.pop_back();
  refused(half, options, "same groups");
  half = given.rows();
  half.columns = people.rows().columns;
  refused(half, options, "not both");
}

TEST(SoftCriteria, PricesInFilesAreChecked) {
  Random random(9);
  const People people = make_people(random, 30, 1, false, false);
  SoftOptions options;
  options.criterion = "equalized-odds";
  options.tolerance = 0.05;
  const std::string file = solve_soft(people.rows(), options).to_json();
  const auto with = [&](const std::string& instead) {
    std::string out = file;
    const std::string old = R"([["g0","favorable"],["g0","unfavorable"]])";
    out.replace(out.find(old), old.size(), instead);
    return out;
  };
  EXPECT_NO_THROW(SoftRule::from_json(file));
  for (const char* bad :
       {"[]", "7", R"([["g0","favorable"]])", R"([["g1","favorable"],["g0","favorable"]])",
        R"([["g0","sometimes"],["g0","favorable"]])", R"([["g0"],["g0","favorable"]])"}) {
    EXPECT_THROW(SoftRule::from_json(with(bad)), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace evenhand::soft_criteria_test
