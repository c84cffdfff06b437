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

// A cell of random rows, before they are drawn.
struct RandomCell {
  RandomCell(Random& random, int most_rows, bool odd);

  double skew;    // of its scores
  double luck;    // how often the label is 1
  int rows;       // if odd, there may be one or none
  int only = -1;  // the label of all its rows; -1: not the same for all
};
// One of `distinct` scores, or any if that is 0.
double random_score(Random& random, const RandomCell& cell, Scale scale, int distinct);
std::uint8_t random_label(Random& random, const RandomCell& cell, Scale scale, double score);

Rows random_rows(Random& random, const ProblemOptions& options);

// Scores without a scale, as a model gives them before calibration.
struct Margins {
  struct Row {
    double score;
    double p;  // of a label of 1
    const char* group;
  };

  // So many rows as `draw` makes them, given the number of the row.
  template <class Draw>
  static Margins drawn(std::uint64_t seed, std::size_t rows, Draw draw) {
    Random random(seed);
    Margins out;
    for (std::size_t i = 0; i < rows; ++i) {
      const Row row = draw(random, i);
      out.score.push_back(row.score);
      out.label.push_back(random.chance(row.p) ? 1 : 0);
      out.group.emplace_back(row.group);
    }
    return out;
  }
  Cells cells() const { return Cells::from({{"group", group}}); }
  Tally tally(Scale scale = Scale::raw) const {
    return Tally::of(score, cells(), {.label = label, .scale = scale});
  }
  Tally unlabelled() const { return Tally::of(score, cells(), {.scale = Scale::raw}); }

  std::vector<double> score;
  std::vector<std::uint8_t> label;
  std::vector<std::string> group;
};

// The same rows in another order.
Rows shuffled(const Rows& rows, Random& random);

}  // namespace evenhand::testing
