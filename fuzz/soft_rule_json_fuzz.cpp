// Any bytes are either refused with std::invalid_argument or a soft rule that decides, describes
// itself and reads back the same.
#include <evenhand/soft_rule.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "check.h"

namespace {

using evenhand::CellCode;
using evenhand::SoftRule;
using evenhand::fuzz::check;

void check_stratum(const SoftRule& rule, CellCode stratum) {
  const evenhand::Reading& reading = rule.parts().reading;
  for (const double x : {reading.lowest(), -0.5, 0.0, 0.5, reading.highest()}) {
    if (!reading.valid(x)) continue;
    for (const double g : {0.0, 0.25, 1.0}) {
      const std::vector<double> columns(rule.parts().columns.size(), g);
      const double q = rule.probability(stratum, reading.turn(x), columns);
      check(q >= 0 && q <= 1, "probabilities are in [0, 1]");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto look = [](const SoftRule& rule, const std::string& written) {
    check(evenhand::is_soft_rule(written), "it is known for what it is");
    check(!rule.describe().empty(), "it has a description");
    for (CellCode c = 0; c < rule.parts().of.size(); ++c) check_stratum(rule, c);
  };
  return evenhand::fuzz::check_rule<SoftRule>(data, size, look);
}
