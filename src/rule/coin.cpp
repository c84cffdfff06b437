// The low-level interface of libcrypto continues a hash that was already started, which is three
// times as fast here as starting anew for each id.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <evenhand/coin.h>

#include <charconv>
#include <cstring>
#include <stdexcept>

#include <openssl/sha.h>

namespace evenhand {
namespace {

static_assert(sizeof(SHA256_CTX) == sizeof(std::array<std::uint32_t, 28>));

std::string hex(const unsigned char* bytes, std::size_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(2 * count, '0');
  for (std::size_t i = 0; i < count; ++i) {
    out[2 * i] = digits[bytes[i] >> 4U];
    out[2 * i + 1] = digits[bytes[i] & 15U];
  }
  return out;
}

}  // namespace

Coin::Coin(std::string prefix) : prefix_(std::move(prefix)) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, prefix_.data(), prefix_.size());
  SHA256_Update(&context, "\x1F", 1);
  std::memcpy(started_.data(), &context, sizeof context);
}

Coin Coin::keyed(std::string_view key) {
  if (key.empty()) throw std::invalid_argument("the key is empty: anybody could guess the coins");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, key.data(), key.size());
  SHA256_Final(digest.data(), &context);
  return Coin(hex(digest.data(), digest.size()));
}

Coin Coin::seeded(std::uint64_t seed) {
  return Coin(std::to_string(seed));
}

double Coin::operator()(std::string_view id) const noexcept {
  SHA256_CTX context;
  std::memcpy(&context, started_.data(), sizeof context);
  SHA256_Update(&context, id.data(), id.size());
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &context);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 7; ++i) bits = (bits << 8U) | digest[i];
  return static_cast<double>(bits >> 4U) * 0x1p-52;  // 52 bits are exact in a double
}

double Coin::operator()(std::uint64_t position) const noexcept {
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), position).ptr;
  return (*this)(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

}  // namespace evenhand
