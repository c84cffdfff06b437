// The bytes of a tally (docs/formats.md), as many of them as one wants.
#pragma once

#include <evenhand/tally.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tally/data.h"

namespace evenhand {

class TallyBytes {
 public:
  explicit TallyBytes(const Tally& tally);  // refers to it

  std::size_t size() const noexcept { return size_; }  // without the checksum
  // From `begin` on, until `to` is full; thread-safe.
  void copy(std::size_t begin, std::span<std::byte> to) const;

 private:
  // Some text, and then the entries of a cell.
  struct Stretch {
    std::size_t at;
    std::string text;
    std::size_t first;
  };

  const Sorted& sorted_;
  std::size_t entry_size_;
  std::vector<Stretch> stretches_;
  std::size_t size_ = 0;
};

}  // namespace evenhand
