#pragma once

#include <evenhand/soft_rule.h>

#include "soft/priced.h"

namespace evenhand::soft {

// The best prices of a stratum, and how its ties are decided.
SoftStratum fit_stratum(const Priced& priced, double gamma);

}  // namespace evenhand::soft
