// theory impossibility: Theorem 2, on data.
#pragma once

#include "command.h"

namespace evenhand::cli {

void add_impossibility(Command& command, int& status);

}  // namespace evenhand::cli
