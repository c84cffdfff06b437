#include "data/key_file.h"

#include <evenhand/advice.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {

Coin coin_of_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw UserError(shown(path) + " is a folder, not a key file");
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream key;
  key << stream.rdbuf();
  if (!stream) throw UserError(shown(path) + ": the key file cannot be read");
  if (key.str().empty()) throw UserError(shown(path) + ": the key file is empty");
  const auto open_to = std::filesystem::status(path).permissions();
  const bool readable_by_all =
      std::filesystem::is_regular_file(path) &&
      (open_to & std::filesystem::perms::others_read) != std::filesystem::perms::none;
  for (const std::string& odd : odd_key_in_words(shown(path), key.str(), readable_by_all))
    warn(odd);
  return Coin::keyed(key.str());
}

}  // namespace evenhand::cli
