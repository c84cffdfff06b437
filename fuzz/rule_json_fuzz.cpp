// Any bytes are either refused with std::invalid_argument or a rule that decides, describes itself
// and reads back the same.
#include <evenhand/rule.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "check.h"

namespace {

using evenhand::CellCode;
using evenhand::Rule;
using evenhand::fuzz::check;

// Turned scores, ascending: the ends of the scale, some between, and the points with what is next
// to them.
std::vector<double> scores_for(const Rule& rule, CellCode cell) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const evenhand::Reading& reading = rule.parts().reading;
  std::vector<double> out{reading.lowest(), reading.highest(), -1, -0.5, 0, 0.25, 0.5, 0.75, 1};
  for (const evenhand::Point& point : rule.parts().responses[cell].points) {
    out.push_back(std::nextafter(point.score, -infinity));
    out.push_back(point.score);
    out.push_back(std::nextafter(point.score, infinity));
  }
  std::erase_if(out, [&](double x) { return !reading.valid(x); });
  std::sort(out.begin(), out.end());
  return out;
}

void check_cell(const Rule& rule, CellCode cell) {
  const std::vector<double> turned = scores_for(rule, cell);
  const std::vector<CellCode> cells(turned.size(), cell);
  std::vector<double> scores;
  for (const double x : turned) scores.push_back(rule.parts().reading.turn(x));
  const std::vector<double> together = rule.probability(cells, scores);
  double last = 0;
  double last_p = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double q = rule.probability(cell, scores[i]);
    check(q >= last && q <= 1, "probabilities are in [0, 1] and do not descend");
    check(q == together[i], "one person has the same probability as in a crowd");
    last = q;
    if (const auto& calibrator = rule.parts().calibrator) {
      const double p = calibrator->probability(cell, scores[i]);
      check(p >= last_p - 0x1p-50 && p >= 0 && p <= 1,
            "calibrated probabilities are in [0, 1] and, but for rounding, do not descend");
      last_p = p;
    }
  }
  check(!rule.describe(cell).empty(), "every cell has a description");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto look = [](const Rule& rule, const std::string& written) {
    const Rule again = Rule::from_json(written);
    // Not the first text: a -0 in it is read as the integer 0.
    const std::string settled = again.to_json(evenhand::fit_record(written));
    check(Rule::from_json(settled).to_json(evenhand::fit_record(settled)) == settled,
          "it writes the same again");
    (void)rule.describe();
    for (CellCode cell = 0; cell < rule.cells().size(); ++cell) check_cell(rule, cell);
  };
  return evenhand::fuzz::check_rule<Rule>(data, size, look);
}
