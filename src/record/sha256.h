#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace evenhand::record {

// SHA-256 of everything that was added.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  // The last call is one of these.
  std::array<std::byte, 32> digest();
  std::string digits();  // 64 lower-case hexadecimal digits

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

std::string sha256(std::string_view text);

}  // namespace evenhand::record
