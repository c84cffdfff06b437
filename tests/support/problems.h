// Random problems: small, tied, lopsided, with cells that cannot be compared.
#pragma once

#include <evenhand/evenhand.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace evenhand::testing {

// The rows of a problem, as a user would have them.
struct Rows {
  std::vector<double> score;
  std::vector<std::string> sex;
  std::vector<std::string> race;
  std::vector<std::uint8_t> label;
  std::vector<double> weight;
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;

  std::size_t size() const { return score.size(); }
  Cells cells() const { return Cells::from({{"sex", sex}, {"race", race}}); }
  Tally tally(Resolution resolution = Resolution::exact()) const;
};

struct ProblemOptions {
  int groups = 2;
  int strata = 1;
  int most_rows = 40;       // of a cell
  bool few_scores = false;  // many ties
  bool odd_cells = false;   // single rows, cells without one of the outcomes
  bool integer_weights = false;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int below(int end) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(end)); }
  double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  bool chance(double p) { return unit() < p; }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

Rows random_rows(Random& random, const ProblemOptions& options);

// The same rows in another order.
Rows shuffled(const Rows& rows, Random& random);

}  // namespace evenhand::testing
