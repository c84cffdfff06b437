#include "tally/large_array.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace evenhand {

// Advice: where there are none, pages are small.
void ask_for_huge_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
  (void)madvise(at, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
}

}  // namespace evenhand
