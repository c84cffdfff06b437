#include "support/problems.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace evenhand::testing {
namespace {

constexpr std::array<const char*, 5> sexes = {"F", "M", "X", "Y", "Z"};
constexpr std::array<const char*, 5> races = {"Black", "White", "Asian", "Other", "Two or more"};

}  // namespace

RandomCell::RandomCell(Random& random, int most_rows, bool odd)
    : skew(std::exp(2 * random.unit() - 1)),
      luck(random.unit()),
      rows(1 + random.below(most_rows)) {
  if (!odd) return;
  if (random.chance(0.2)) rows = random.below(3);
  if (random.chance(0.2)) only = random.below(2);
}

double random_score(Random& random, const RandomCell& cell, Scale scale, int distinct) {
  const bool few = distinct > 0;
  const double u =
      few ? random.below(distinct) / (distinct - 1.0) : std::pow(random.unit(), cell.skew);
  if (scale == Scale::signed_) return 2 * u - 1;
  if (scale == Scale::logit) return few ? random.below(distinct + 1) - distinct / 2 : 6 * u - 3;
  return u;
}

std::uint8_t random_label(Random& random, const RandomCell& cell, Scale scale, double score) {
  if (cell.only >= 0) return static_cast<std::uint8_t>(cell.only);
  const double p = (cell.luck + Reading{scale, Favorable::high}.probability(score)) / 2;
  return random.chance(p) ? 1 : 0;
}

Tally Rows::tally(Resolution resolution) const {
  TallyOptions options{
      .label = label, .scale = scale, .favorable = favorable, .resolution = resolution};
  if (!weight.empty()) options.weight = weight;
  return Tally::of(score, cells(), options);
}

Rows random_rows(Random& random, const ProblemOptions& options) {
  Rows rows;
  rows.scale = std::array{Scale::probability, Scale::signed_,
                          Scale::logit}[static_cast<std::size_t>(random.below(3))];
  rows.favorable = random.chance(0.3) ? Favorable::low : Favorable::high;
  for (int k = 0; k < options.strata; ++k) {
    for (int s = 0; s < options.groups; ++s) {
      const RandomCell cell(random, options.most_rows, options.odd_cells);
      for (int i = 0; i < cell.rows; ++i) {
        const double score = random_score(random, cell, rows.scale, options.few_scores ? 8 : 0);
        rows.score.push_back(score);
        rows.sex.emplace_back(sexes[static_cast<std::size_t>(s)]);
        rows.race.emplace_back(races[static_cast<std::size_t>(k)]);
        rows.label.push_back(random_label(random, cell, rows.scale, score));
        if (options.integer_weights) rows.weight.push_back(random.below(5));
      }
    }
  }
  if (rows.size() == 0) return random_rows(random, options);
  if (!rows.weight.empty()) rows.weight.front() = 1;  // not all may be zero
  return rows;
}

Rows shuffled(const Rows& rows, Random& random) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random.engine());
  Rows out;
  out.scale = rows.scale;
  out.favorable = rows.favorable;
  for (const std::size_t i : order) {
    out.score.push_back(rows.score[i]);
    out.sex.push_back(rows.sex[i]);
    out.race.push_back(rows.race[i]);
    out.label.push_back(rows.label[i]);
    if (!rows.weight.empty()) out.weight.push_back(rows.weight[i]);
  }
  return out;
}

}  // namespace evenhand::testing
