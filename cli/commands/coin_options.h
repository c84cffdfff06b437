// Coins: an id with a key, or a seed.
#pragma once

#include <evenhand/coin.h>

#include <cstdint>
#include <string>

#include "command.h"

namespace evenhand::cli {

struct CoinOptions {
  std::string id;
  std::string key_file;
  std::string seed;

  std::uint64_t seed_number() const;  // throws UserError
  // Keyed if there is an id. Throws UserError for options that do not go together, and for a key
  // file that cannot be read.
  Coin coin() const;
};
void add_coin_options(Command& command, CoinOptions& options, const std::string& id_help);

}  // namespace evenhand::cli
