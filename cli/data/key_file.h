// The secret that makes coins stay with people.
#pragma once

#include <evenhand/coin.h>

#include <string>

namespace evenhand::cli {

// Throws UserError for a file that cannot be read, or is empty.
Coin coin_of_file(const std::string& path);

}  // namespace evenhand::cli
