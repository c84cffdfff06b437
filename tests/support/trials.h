// How many random problems an oracle test tries: all of them where EVENHAND_FULL_ORACLES=1, a tenth
// elsewhere.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace evenhand::testing {

inline int trials(int full) {
  static const bool all = [] {
    const char* text = std::getenv("EVENHAND_FULL_ORACLES");
    return text != nullptr && std::string_view(text) == "1";
  }();
  return all ? full : std::max(1, full / 10);
}

}  // namespace evenhand::testing
