#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace evenhand {

// 0 means as many as there are cores.
unsigned thread_count(unsigned asked) noexcept;

// One where there is so little `work`, in scores or rows looked at, that threads take longer to
// start.
unsigned threads_for(std::size_t work, unsigned threads) noexcept;

// Calls task(0) ... task(count - 1), on several threads; calls inside tasks share them, and may ask
// for as many. Rethrows the exception of the lowest task that threw, so that errors do not depend
// on timing.
void parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task);

// While one lives, all calls of parallel() on its thread share threads, not only those inside each
// other: these start when they are first needed, wait between calls, and end with it. One inside
// another does nothing. Stays on its thread.
class Team {
 public:
  Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  class Members;

 private:
  std::unique_ptr<Members> members_;
};

}  // namespace evenhand
