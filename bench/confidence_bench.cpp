#include <evenhand/evenhand.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "people.h"
#include "timing.h"

namespace evenhand::bench {
namespace {

// Two groups in three strata.
People people() {
  std::vector<std::vector<std::string>> cells;
  for (const char* group : {"A", "B"}) {
    for (const char* stratum : {"k", "l", "m"}) cells.push_back({group, stratum});
  }
  return million(15, {"group", "stratum"}, cells);
}

// A million distinct scores of four groups, of which three are small.
People lopsided() {
  std::mt19937_64 random(16);
  People out;
  out.names = CellNames({"group"}, {{"A"}, {"B"}, {"C"}, {"D"}});
  for (int i = 0; i < 1'000'000; ++i) {
    const double who = unit(random);
    out.code.push_back(who < 0.97 ? 0 : who < 0.985 ? 1 : who < 0.995 ? 2 : 3);
    out.score.push_back(unit(random) * (1 - 0.15 * out.code.back()));
  }
  return out;
}

// A certified fit beside a plain one.
void bench_certified(const std::string& what, const std::function<Tally()>& tally,
                     const Criterion& criterion) {
  std::vector<double> plain, certifying;
  for (int round = 0; round < 3; ++round) {
    plain.push_back(seconds([&] { solve(tally(), criterion); }));
    CertifiedFit certified;
    certifying.push_back(seconds([&] { certified = certify(tally(), criterion); }));
    require(!certified.too_few && certified.bound.value.has_value(), "nothing is certified");
  }
  // Linear programs for pairs of unequal groups take a few milliseconds, however few the rows: so
  // much as a part of sorting is allowed where a plain fit is quicker than that.
  std::vector<double> scores(1'000'000);
  std::mt19937_64 random(17);
  for (double& score : scores) score = unit(random);
  const double sorting = seconds([&] { std::sort(scores.begin(), scores.end()); });
  const double most = std::max(3.0, 0.2 * sorting / median(plain));
  report((what + ", certified").c_str(), median(certifying) / median(plain), most,
         median(certifying));
}

}  // namespace

// What is said about new people with every fit, and fits that hold for them.
void bench_confidence() {
  std::printf("new people, 1e6 distinct scores, 2 groups in 3 strata; relative to tally + fit:\n");
  const People rows = people();
  const ParityOptions near{.sensitive = {"group"}, .within = {"stratum"}, .tolerance = 0.03};
  struct Kind {
    std::string what;
    Criterion criterion;
  };
  for (const Kind& kind :
       {Kind{"parity", statistical_parity(near)}, Kind{"opportunity", equal_opportunity(near)},
        Kind{"odds", equalized_odds(near)},
        Kind{"four fifths", four_fifths({.sensitive = {"group"}, .within = {"stratum"}})}}) {
    std::vector<double> plain, bounding;
    for (int round = 0; round < 3; ++round) {
      Solution fit;
      plain.push_back(seconds([&] { fit = solve(rows.tally(), kind.criterion); }));
      const Tally tally = rows.tally();
      ConfidenceBound bound;
      bounding.push_back(seconds([&] { bound = confidence_bound(tally, fit); }));
      require(bound.value.has_value(), "there is no bound");
    }
    report((kind.what + ", the bound").c_str(), median(bounding) / median(plain), 0.1,
           median(bounding));
    bench_certified(
        kind.what, [&] { return rows.tally(); }, kind.criterion);
  }
  People few = lopsided();
  const auto parity_within = [&](Scale scale, double tolerance) {
    const std::string scores = scale == Scale::logit ? ", logits," : "";
    bench_certified(
        "4 unequal groups" + scores + " within " + shortest(tolerance),
        [&] { return Tally::of(few.score, few.names, few.code, {.scale = scale}); },
        statistical_parity({.sensitive = {"group"}, .tolerance = tolerance}));
  };
  for (const double tolerance : {0.01, 0.02, 0.05}) parity_within(Scale::probability, tolerance);
  for (double& score : few.score) score = std::log(score / (1 - score));
  for (const double tolerance : {0.01, 0.02, 0.05}) parity_within(Scale::logit, tolerance);
}

}  // namespace evenhand::bench
