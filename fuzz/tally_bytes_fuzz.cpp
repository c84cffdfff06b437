// Any bytes, as they are and with a right checksum, are either refused with std::invalid_argument
// or a tally that reads back the same.
#include <evenhand/tally.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "check.h"

namespace {

using evenhand::CellCode;
using evenhand::Tally;
using evenhand::fuzz::check;

void check_cell(const Tally& tally, CellCode cell) {
  const std::vector<evenhand::Entry> entries = tally.entries(cell);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    check(tally.reading().valid(entries[i].score), "scores are in their scale");
    check(i == 0 || entries[i - 1].score < entries[i].score, "scores ascend");
    check(entries[i].n > 0 && entries[i].n1 >= 0 && entries[i].n1 <= entries[i].n,
          "positives are among the counted");
  }
}

std::optional<Tally> read(std::span<const std::byte> bytes) {
  try {
    return Tally::from_bytes(bytes);
  } catch (const std::invalid_argument& error) {
    evenhand::fuzz::check_message(error.what());
    return std::nullopt;
  }
}

void try_bytes(std::span<const std::byte> bytes) {
  const std::optional<Tally> tally = read(bytes);
  if (!tally) return;
  for (CellCode cell = 0; cell < tally->cells().size(); ++cell) check_cell(*tally, cell);
  check(tally->total().n > 0, "somebody is counted");
  const std::vector<std::byte> written = tally->to_bytes();
  const Tally again = Tally::from_bytes(written);
  check(again == *tally, "it reads back the same");
  check(again.to_bytes() == written, "it writes the same again");
}

void put_checksum(std::span<std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::byte byte : bytes.first(bytes.size() - 8)) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[bytes.size() - 8 + i] = static_cast<std::byte>((hash >> (8 * i)) & 0xFFU);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  try_bytes(bytes);
  if (size < 8) return 0;
  put_checksum(bytes);
  try_bytes(bytes);
  return 0;
}
