#include "tally/place_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// A processor's own instructions are chosen when the program runs, unless the compiler may use
// them anyway or cannot compile for several.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX512F__)
#define EVENHAND_WIDE_VECTORS 1
#define EVENHAND_FOR(instructions) __attribute__((target(instructions)))
#else
#define EVENHAND_WIDE_VECTORS 0
#endif

namespace evenhand {
namespace {

template <class Score>
[[gnu::always_inline]] inline bool turn(const Places& places, std::span<const Score> scores,
                                        const CellCode* codes, double* x) {
  const std::size_t rows = scores.size();
  const Score* const from = scores.data();
  const double sign = places.sign;
  const double lowest = places.lowest;
  const double highest = places.highest;
  std::int64_t bad_scores = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double turned = static_cast<double>(from[i]) * sign + 0.0;
    x[i] = turned;
    bad_scores |= static_cast<std::int64_t>(!(turned >= lowest)) |
                  static_cast<std::int64_t>(!(turned <= highest));
  }
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < rows; ++i) largest = codes[i] > largest ? codes[i] : largest;
  return bad_scores == 0 && (rows == 0 || largest < places.cells);
}

template <class Slot>
[[gnu::always_inline]] inline void place(const Places& places, std::span<const double> x,
                                         const CellCode* codes, const std::uint8_t* labels,
                                         Slot* slot) {
  const std::size_t rows = x.size();
  const double* const from = x.data();
  const double low = places.low;
  const double per_unit = places.per_unit;
  const double last = places.last;
  const unsigned bin_bits = places.bin_bits;
  for (std::size_t i = 0; i < rows; ++i) {  // as Binned::bin_of
    double at = (from[i] - low) * per_unit;
    at = at > 0 ? at : 0;
    at = at < last ? at : last;
    slot[i] = static_cast<Slot>((codes[i] << bin_bits) +
                                static_cast<std::uint32_t>(static_cast<std::int32_t>(at)));
  }
  if (!labels) return;
  for (std::size_t i = 0; i < rows; ++i) slot[i] = static_cast<Slot>(2 * slot[i] + labels[i]);
}

template <class Score>
using Turn = bool (*)(const Places&, std::span<const Score>, const CellCode*, double*);
template <class Slot>
using Place = void (*)(const Places&, std::span<const double>, const CellCode*, const std::uint8_t*,
                       Slot*);

template <class Score>
bool turn_plain(const Places& places, std::span<const Score> scores, const CellCode* codes,
                double* x) {
  return turn(places, scores, codes, x);
}
template <class Slot>
void place_plain(const Places& places, std::span<const double> x, const CellCode* codes,
                 const std::uint8_t* labels, Slot* slot) {
  place(places, x, codes, labels, slot);
}

#if EVENHAND_WIDE_VECTORS
#define EVENHAND_AVX512 "avx512f,avx512vl,avx512dq,avx512bw"
template <class Score>
EVENHAND_FOR("avx2")
bool turn_avx2(const Places& places, std::span<const Score> scores, const CellCode* codes,
               double* x) {
  return turn(places, scores, codes, x);
}
template <class Slot>
EVENHAND_FOR("avx2")
void place_avx2(const Places& places, std::span<const double> x, const CellCode* codes,
                const std::uint8_t* labels, Slot* slot) {
  place(places, x, codes, labels, slot);
}
template <class Score>
EVENHAND_FOR(EVENHAND_AVX512)
bool turn_avx512(const Places& places, std::span<const Score> scores, const CellCode* codes,
                 double* x) {
  return turn(places, scores, codes, x);
}
template <class Slot>
EVENHAND_FOR(EVENHAND_AVX512)
void place_avx512(const Places& places, std::span<const double> x, const CellCode* codes,
                  const std::uint8_t* labels, Slot* slot) {
  place(places, x, codes, labels, slot);
}
#endif

}  // namespace

Vectors widest_vectors() noexcept {
#if EVENHAND_WIDE_VECTORS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    return Vectors::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return Vectors::avx2;
#endif
  return Vectors::plain;
}

void copy_past_caches(std::span<const double> from, double* to) noexcept {
#ifdef __SSE2__
  std::size_t i = 0;
  for (; i + 2 <= from.size(); i += 2) _mm_stream_pd(to + i, _mm_loadu_pd(from.data() + i));
  if (i < from.size()) to[i] = from[i];
  _mm_sfence();  // other threads see it before they hear that this one is done
#else
  std::copy(from.begin(), from.end(), to);
#endif
}

template <class Score>
bool turn_rows(const Places& places, std::span<const Score> scores, const CellCode* codes,
               double* x) {
#if EVENHAND_WIDE_VECTORS
  constexpr std::array<Turn<Score>, 3> kinds = {turn_plain, turn_avx2, turn_avx512};
  return kinds[static_cast<std::size_t>(places.vectors)](places, scores, codes, x);
#else
  return turn_plain(places, scores, codes, x);
#endif
}
template bool turn_rows(const Places&, std::span<const double>, const CellCode*, double*);
template bool turn_rows(const Places&, std::span<const float>, const CellCode*, double*);

template <class Slot>
void slots_of(const Places& places, std::span<const double> x, const CellCode* codes,
              const std::uint8_t* labels, Slot* slot) {
#if EVENHAND_WIDE_VECTORS
  constexpr std::array<Place<Slot>, 3> kinds = {place_plain, place_avx2, place_avx512};
  kinds[static_cast<std::size_t>(places.vectors)](places, x, codes, labels, slot);
#else
  place_plain(places, x, codes, labels, slot);
#endif
}
template void slots_of(const Places&, std::span<const double>, const CellCode*, const std::uint8_t*,
                       std::uint16_t*);
template void slots_of(const Places&, std::span<const double>, const CellCode*, const std::uint8_t*,
                       std::uint32_t*);

}  // namespace evenhand
