// Coins that always fall the same way for the same person.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace evenhand {

// A coin is the first 52 bits of SHA-256(prefix || 0x1F || id) as a fraction in [0, 1); the
// decision is positive when the coin is below the probability. With the same key the same id gets
// the same coin from the library, the tool, Python and SQL. Use another key for another purpose.
class Coin {
 public:
  // The prefix is the lower-case hex SHA-256 of `key`, usually the bytes of a key file. Throws
  // std::invalid_argument if it is empty.
  static Coin keyed(std::string_view key);

  // For rows without ids: the prefix is the seed as decimal text, the id of a row its position.
  static Coin seeded(std::uint64_t seed);

  double operator()(std::string_view id) const noexcept;
  double operator()(std::uint64_t position) const noexcept;

  const std::string& prefix() const noexcept { return prefix_; }

 private:
  explicit Coin(std::string prefix);

  std::string prefix_;
  std::array<std::uint32_t, 28> started_{};  // the hash of prefix and separator, to be continued
};

}  // namespace evenhand
