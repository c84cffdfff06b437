#include "support/parallel.h"

#include <evenhand/threads.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace evenhand {

namespace {

std::atomic<unsigned> usual_threads{0};

}  // namespace

void use_threads(unsigned count) noexcept {
  usual_threads = count;
}

unsigned thread_count(unsigned asked) noexcept {
  if (asked == 0) asked = usual_threads;
  return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

unsigned threads_of_each(std::size_t tasks, unsigned threads) noexcept {
  const unsigned all = thread_count(threads);
  return tasks < all ? all / std::max(1U, static_cast<unsigned>(tasks)) : 1;
}

unsigned threads_for(std::size_t work, unsigned threads) noexcept {
  constexpr std::size_t little = 10'000;
  return work < little ? 1 : threads;
}

void parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task) {
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min<std::size_t>(thread_count(threads), count);
    for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace evenhand
