#pragma once

#include <evenhand/calibrate.h>

namespace evenhand {

// A calibrator that somebody gave us, under the codes of the tally's cells. Throws
// std::invalid_argument if it is none, or of another reading.
Calibrator matched(const Calibrator& calibrator, const Tally& tally);

}  // namespace evenhand
