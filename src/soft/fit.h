#pragma once

#include <evenhand/soft_rule.h>

#include "soft/atoms.h"

namespace evenhand::soft {

// The best prices of a stratum's columns, and how its ties are decided.
SoftStratum fit_stratum(const Atoms& atoms, double gamma);

}  // namespace evenhand::soft
