// A few people of one attribute, written down.
#pragma once

#include <evenhand/evenhand.h>

#include <string>
#include <vector>

namespace evenhand::testing {

struct Everybody {
  std::vector<double> score;
  std::vector<std::string> group;
  std::vector<double> weight;

  Tally tally(TallyOptions options = {}) const {
    if (!weight.empty()) options.weight = weight;
    return Tally::of(score, Cells::from({{"group", group}}), options);
  }
};

inline Criterion parity_of_groups(double tolerance = 0) {
  return statistical_parity({.sensitive = {"group"}, .tolerance = tolerance});
}

}  // namespace evenhand::testing
