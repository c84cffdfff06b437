#include <evenhand/integers.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "support/row_blocks.h"

namespace evenhand {
namespace {

// From the lowest value on, so many.
struct Range {
  std::uint64_t lowest = 0, size = 0;

  template <class Integer>
  std::uint64_t place(Integer value) const noexcept {  // exact: it wraps
    return static_cast<std::uint64_t>(value) - lowest;
  }
};

constexpr std::uint64_t dense = std::uint64_t{1} << 16U;

// The range of every so many values.
template <class Integer>
Range range_of(std::span<const Integer> values, std::size_t stride) {
  Integer low = values.front();
  Integer high = low;
  for (std::size_t row = 0; row < values.size(); row += stride) {
    low = std::min(low, values[row]);
    high = std::max(high, values[row]);
  }
  const auto lowest = static_cast<std::uint64_t>(low);
  return {lowest, static_cast<std::uint64_t>(high) - lowest};
}

// Values by their place in the range, of which those that occur get a code. None if some are
// outside.
template <class Integer, class Text>
std::optional<CodedIntegers> code_dense(std::span<const Integer> values, const Range& range,
                                        const Text& text) {
  if (range.size >= dense) return std::nullopt;
  CodedIntegers out;
  out.codes.resize(values.size());
  std::vector<std::atomic<bool>> seen(range.size + 1);
  std::atomic<bool> outside = false;
  for_rows(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint64_t place = range.place(values[row]);
      if (place > range.size) {
        outside = true;
        return;
      }
      std::atomic<bool>& at = seen[place];
      if (!at.load(std::memory_order_relaxed)) at.store(true, std::memory_order_relaxed);
      out.codes[row] = static_cast<std::uint32_t>(place);
    }
  });
  if (outside) return std::nullopt;
  std::vector<std::uint32_t> found;
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i <= range.size; ++i) {
    if (!seen[i]) continue;
    found.push_back(i);
    texts.push_back(text(static_cast<Integer>(range.lowest + i)));
  }
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return texts[a] < texts[b]; });
  std::vector<std::uint32_t> code(range.size + 1);
  bool same = true;
  for (const std::size_t k : order) {
    code[found[k]] = static_cast<std::uint32_t>(out.dictionary.size());
    same = same && code[found[k]] == found[k];
    out.dictionary.push_back(texts[k]);
  }
  if (same) return out;
  for_rows(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) out.codes[row] = code[out.codes[row]];
  });
  return out;
}

template <class Integer, class Text>
CodedIntegers code_sparse(std::span<const Integer> values, const Text& text) {
  CodedIntegers out;
  out.codes.resize(values.size());
  std::unordered_map<Integer, std::uint32_t> known;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto [at, is_new] =
        known.try_emplace(values[row], static_cast<std::uint32_t>(out.dictionary.size()));
    if (is_new) out.dictionary.push_back(text(values[row]));
    out.codes[row] = at->second;
  }
  return out;
}

}  // namespace

template <class Integer>
CodedIntegers code_integers(std::span<const Integer> values,
                            const std::function<std::string(Integer)>& text) {
  if (values.empty()) return {};
  const auto named = [&](Integer value) { return text ? text(value) : std::to_string(value); };
  // Some values mostly say what all of them are like.
  const std::size_t stride = 1 + values.size() / 1024;
  if (auto coded = code_dense(values, range_of(values, stride), named)) return *std::move(coded);
  if (auto coded = code_dense(values, range_of(values, 1), named)) return *std::move(coded);
  return code_sparse(values, named);
}

#define EVENHAND_INTEGER(type)                                      \
  template CodedIntegers code_integers<type>(std::span<const type>, \
                                             const std::function<std::string(type)>&);
EVENHAND_INTEGER(std::int8_t)
EVENHAND_INTEGER(std::uint8_t)
EVENHAND_INTEGER(std::int16_t)
EVENHAND_INTEGER(std::uint16_t)
EVENHAND_INTEGER(std::int32_t)
EVENHAND_INTEGER(std::uint32_t)
EVENHAND_INTEGER(std::int64_t)
EVENHAND_INTEGER(std::uint64_t)
#undef EVENHAND_INTEGER

}  // namespace evenhand
