#include "tally/large_array.h"

#include <array>
#include <atomic>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace evenhand {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21U;
constexpr std::size_t huge_worthwhile = 16 * huge_page;

// A piece begins with its size, so that whoever takes it knows how much it can hold.
struct Header {
  std::size_t room;
};
constexpr std::size_t header = 64;  // keeps what follows aligned
static_assert(sizeof(Header) <= header);

class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    for (std::atomic<Header*>& place : places_) release(place.exchange(nullptr));
  }

  // One that is large enough, but not wastefully so.
  Header* take(std::size_t bytes) noexcept {
    for (std::atomic<Header*>& place : places_) {
      Header* const piece = place.exchange(nullptr);
      if (!piece) continue;
      if (piece->room >= bytes && piece->room <= 2 * bytes) return piece;
      put(piece);
    }
    return nullptr;
  }
  // In an empty place, or instead of the one that has been there longest.
  void put(Header* piece) noexcept {
    for (std::atomic<Header*>& place : places_) {
      Header* none = nullptr;
      if (place.compare_exchange_strong(none, piece)) return;
    }
    release(places_[next_++ % places_.size()].exchange(piece));
  }
  static void release(Header* piece) noexcept {
    if (piece) ::operator delete (piece, std::align_val_t{header});
  }

 private:
  std::array<std::atomic<Header*>, 2> places_{};
  std::atomic<unsigned> next_ = 0;
};

Kept& kept() {
  static Kept pieces;
  return pieces;
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes >= huge_worthwhile) {
    void* const at = ::operator new (bytes, std::align_val_t{huge_page});
    ask_for_huge_pages(at, bytes);
    return at;
  }
  Header* piece = kept().take(bytes);
  if (!piece) {
    piece = static_cast<Header*>(::operator new (header + bytes, std::align_val_t{header}));
    piece->room = bytes;
  }
  return reinterpret_cast<std::byte*>(piece) + header;
}

void ask_for_huge_pages(void* at, std::size_t bytes) noexcept {
  std::size_t room = bytes;
  void* first = at;
  if (!std::align(huge_page, huge_page, first, room)) return;
#ifdef __linux__
  (void)madvise(first, room / huge_page * huge_page, MADV_HUGEPAGE);  // where there are none: small
#endif
}

void deallocate_large(void* at, std::size_t bytes) noexcept {
  if (bytes >= huge_worthwhile) return ::operator delete (at, std::align_val_t{huge_page});
  kept().put(reinterpret_cast<Header*>(static_cast<std::byte*>(at) - header));
}

}  // namespace evenhand
