// Soft columns against the true groups: what is calibrated passes, what is not shows.
#include <evenhand/soft_check.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::soft_check_test {
namespace {

struct People {
  std::vector<double> score, female, q;
  std::vector<std::string> sex;
  SoftRows rows() const { return {score, {{"p_female", female}}, nullptr}; }
};

// Women have lower scores; `knows`: the column takes that into account.
People people(bool knows) {
  Random random(5);
  People out;
  for (int i = 0; i < 20000; ++i) {
    const double score = random.unit();
    const double share = 0.9 - 0.8 * score;
    out.score.push_back(score);
    out.sex.emplace_back(random.chance(share) ? "Female" : "Male");
    out.female.push_back(knows ? share : 0.5);
    out.q.push_back(score > 0.5 ? 1 : 0);
  }
  return out;
}

TEST(SoftCheck, ACalibratedColumnPasses) {
  const People all = people(true);
  const SoftCheck check = check_soft(all.rows(), all.sex, all.q);
  EXPECT_TRUE(check.calibrated()) << check.columns.at(0).worst;
  EXPECT_EQ(check.columns.at(0).value, "Female");
  EXPECT_EQ(check.columns.at(0).off.size(), 10U);
  EXPECT_EQ(check.rows, 20000);
}

// Right on the whole, wrong at every score: parity by it is parity of nobody.
TEST(SoftCheck, AColumnThatIgnoresTheScoreShows) {
  const People all = people(false);
  const SoftCheck check = check_soft(all.rows(), all.sex, all.q);
  EXPECT_FALSE(check.calibrated());
  EXPECT_NEAR(check.columns.at(0).worst, 0.36, 0.03);  // 0.9 - 0.8 * 0.05 - 0.5
  // Half of all are selected: 3 in 10 women, 7 in 10 men.
  EXPECT_NEAR(check.largest_difference().value_or(0), 0.4, 0.03);
}

TEST(SoftCheck, PeopleOfUnknownGroupsAreLeftOut) {
  People all = people(true);
  for (std::size_t i = 0; i < all.sex.size(); i += 2) all.sex[i].clear();
  EXPECT_EQ(check_soft(all.rows(), all.sex, all.q).rows, 10000);
}

TEST(SoftCheck, RefusesWhatCannotBeChecked) {
  People all = people(true);
  expect_throw<std::invalid_argument>(
      [&] { check_soft(all.rows(), std::vector<std::string>{"Female"}, all.q); },
      "differ in number");
  std::vector<std::string> other(all.sex.size(), "F");
  expect_throw<std::invalid_argument>([&] { check_soft(all.rows(), other, all.q); },
                                      "its name must end with one of F");
  std::vector<std::string> nobody(all.sex.size());
  expect_throw<std::invalid_argument>([&] { check_soft(all.rows(), nobody, all.q); },
                                      "nobody's true group is known");
}

}  // namespace
}  // namespace evenhand::testing::soft_check_test
