#include "record/sha256.h"

#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace evenhand::record {
namespace {

void must(bool worked) {
  if (!worked) throw std::runtime_error("libcrypto does not compute SHA-256");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  must(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::span<const std::byte> bytes) {
  must(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::array<std::byte, 32> Sha256::digest() {
  std::array<std::byte, 32> out{};
  must(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(out.data()), nullptr) ==
       1);
  return out;
}

std::string Sha256::digits() {
  std::string out;
  for (const std::byte byte : digest()) {
    out += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return out;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.digits();
}

}  // namespace evenhand::record
