#pragma once

#include <cstddef>
#include <functional>

namespace evenhand {

// 0 means as many as there are cores.
unsigned thread_count(unsigned asked) noexcept;

// So many for each of `tasks` that run side by side.
unsigned threads_of_each(std::size_t tasks, unsigned threads) noexcept;

// One where there is so little `work`, in scores or rows looked at, that threads take longer to
// start.
unsigned threads_for(std::size_t work, unsigned threads) noexcept;

// Calls task(0) ... task(count - 1), on several threads. Rethrows the exception of the lowest task
// that threw, so that errors do not depend on timing.
void parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task);

}  // namespace evenhand
