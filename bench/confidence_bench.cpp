#include <evenhand/evenhand.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "timing.h"

namespace evenhand::bench {
namespace {

// A million distinct scores of two groups in three strata.
struct People {
  std::vector<double> score;
  std::vector<CellCode> code;
  std::vector<std::uint8_t> label;
  CellNames names;

  Tally tally() const { return Tally::of(score, names, code, {.label = label}); }
};

People people() {
  std::mt19937_64 random(15);
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  People out;
  std::vector<std::vector<std::string>> cells;
  for (const char* group : {"A", "B"}) {
    for (const char* stratum : {"k", "l", "m"}) cells.push_back({group, stratum});
  }
  out.names = CellNames({"group", "stratum"}, cells);
  for (int i = 0; i < 1'000'000; ++i) {
    out.code.push_back(static_cast<CellCode>(random() % cells.size()));
    out.score.push_back(std::pow(unit(), 0.8 + out.code.back() / 8.0));
    out.label.push_back(unit() < out.score.back() ? 1 : 0);
  }
  return out;
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
    std::vector<double> plain, bounding, certifying;
    for (int round = 0; round < 3; ++round) {
      Solution fit;
      plain.push_back(seconds([&] { fit = solve(rows.tally(), kind.criterion); }));
      const Tally tally = rows.tally();
      ConfidenceBound bound;
      bounding.push_back(seconds([&] { bound = confidence_bound(tally, fit); }));
      require(bound.value.has_value(), "there is no bound");
      CertifiedFit certified;
      certifying.push_back(seconds([&] { certified = certify(rows.tally(), kind.criterion); }));
      require(!certified.too_few && certified.bound.value.has_value(), "nothing is certified");
    }
    report((kind.what + ", the bound").c_str(), median(bounding) / median(plain), 0.1,
           median(bounding));
    report((kind.what + ", certified").c_str(), median(certifying) / median(plain), 3,
           median(certifying));
  }
}

}  // namespace evenhand::bench
