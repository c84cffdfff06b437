#pragma once

#include <evenhand/calibrate.h>

#include "support/outlook.h"

namespace evenhand {

// What a calibrator that somebody gave us says about the tally's cells. Throws
// std::invalid_argument if it is none, or of another reading.
Outlook outlook_by(const Calibrator& calibrator, const Tally& tally);

}  // namespace evenhand
