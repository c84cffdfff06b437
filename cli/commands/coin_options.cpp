#include "commands/coin_options.h"

#include "data/key_file.h"
#include "error.h"
#include "options.h"

namespace evenhand::cli {

std::uint64_t CoinOptions::seed_number() const {
  return seed.empty() ? 0 : whole_number_from(seed, "--seed");
}

Coin CoinOptions::coin() const {
  if (id.empty()) {
    if (!key_file.empty()) throw UserError("--key-file needs --id, the column with ids");
    return Coin::seeded(seed_number());
  }
  if (!seed.empty()) throw UserError("give either --id with --key-file, or --seed, not both");
  if (key_file.empty()) {
    throw UserError(
        "--id needs --key-file: a file with some secret bytes; head -c 32 /dev/urandom > key");
  }
  return coin_of_file(key_file);
}

void add_coin_options(Command& command, CoinOptions& options, const std::string& id_help) {
  command.add_option("--id", options.id, "COLUMN", id_help);
  command.add_option("--key-file", options.key_file, "FILE",
                     "A file of secret bytes, needed with --id");
  command.add_option("--seed", options.seed, "N", "Seed of the coins, without --id (default: 0)");
}

}  // namespace evenhand::cli
