#include "support/parallel.h"

#include <evenhand/threads.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace evenhand {

namespace {

std::atomic<unsigned> usual_threads{0};

}  // namespace

class Job {
 public:
  Job(std::size_t count, const std::function<void(std::size_t)>& task)
      : task_(task), errors_(count), around_(current) {}

  void work() {
    const Job* const before = std::exchange(current, this);
    for (std::size_t i = next_++; i < errors_.size(); i = next_++) {
      try {
        task_(i);
      } catch (...) {
        errors_[i] = std::current_exception();
      }
    }
    current = before;
  }
  void rethrow() const {
    for (const std::exception_ptr& error : errors_) {
      if (error) std::rethrow_exception(error);
    }
  }
  bool is_outermost() const { return !around_; }
  bool is_inside(const Job& other) const {
    return around_ == &other || (around_ && around_->is_inside(other));
  }

  // The team's, and guarded by its mutex.
  std::size_t wanted = 0;  // helpers that may still come
  std::size_t at_it = 0;   // helpers that have come, and are not done

 private:
  static thread_local const Job* current;  // of which this thread does a task

  const std::function<void(std::size_t)>& task_;
  std::vector<std::exception_ptr> errors_;
  const Job* around_;  // it is part of one of its tasks
  std::atomic<std::size_t> next_{0};
};
thread_local const Job* Job::current = nullptr;

// Whoever has a job does it too, so that nobody waits for helpers that do not come. At the end it
// waits only for those that work on it, and meanwhile helps with what is inside: none of that can
// wait for it, or want a lock that it holds.
class Team::Members {
 public:
  Members() = default;
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  ~Members() {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    news_.notify_all();
  }

  // `threads`: how many may be at work, the caller's among them, on this and on what is inside.
  void run(Job& job, std::size_t helpers, std::size_t threads) {
    std::unique_lock lock(mutex_);
    jobs_.push_front(&job);
    job.wanted = helpers;
    wanted_ += helpers;
    most_ = job.is_outermost() ? threads - 1 : std::max(most_, threads - 1);
    hire();
    call();
    done_.notify_all();
    lock.unlock();
    job.work();
    lock.lock();
    if (std::erase(jobs_, &job) > 0) wanted_ -= job.wanted;
    while (job.at_it > 0) {
      const auto inside =
          std::ranges::find_if(jobs_, [&](const Job* other) { return other->is_inside(job); });
      inside != jobs_.end() ? help_with(**inside, lock) : done_.wait(lock);
    }
  }

 private:
  // As far as those that are idle do not suffice.
  void hire() {
    try {
      for (; idle_ < wanted_ && threads_.size() < most_; ++idle_) {
        threads_.emplace_back([this] { live(); });
      }
    } catch (const std::exception&) {  // no more threads: slower, and the same
    }
  }
  // Each that comes calls two more, which takes less time than if one called all.
  void call() {
    for (std::size_t i = 0; i < std::min<std::size_t>(2, wanted_); ++i) news_.notify_one();
  }

  void help_with(Job& job, std::unique_lock<std::mutex>& lock) {
    if (--job.wanted == 0) std::erase(jobs_, &job);
    --wanted_;
    ++job.at_it;
    call();
    lock.unlock();
    job.work();
    lock.lock();
    if (--job.at_it == 0) done_.notify_all();
  }

  void live();

  std::mutex mutex_;
  std::condition_variable news_;  // of jobs, for those that are idle
  std::condition_variable done_;  // for those that wait: a job is over, or there is one inside
  std::deque<Job*> jobs_;         // that want helpers, the newest first
  std::size_t wanted_ = 0;        // by all of them
  std::size_t idle_ = 0;
  std::size_t most_ = 0;
  bool over_ = false;
  std::vector<std::jthread> threads_;  // last: they use all else until they are joined
};

namespace {

thread_local Team::Members* own_team = nullptr;

}  // namespace

void Team::Members::live() {
  own_team = this;
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [&] {
      const std::size_t at_work = threads_.size() - idle_;
      return over_ || (!jobs_.empty() && at_work < most_);
    });
    if (over_) return;
    --idle_;
    help_with(*jobs_.front(), lock);
    ++idle_;
  }
}

Team::Team() {
  if (own_team) return;
  members_ = std::make_unique<Members>();
  own_team = members_.get();
}

Team::~Team() {
  if (members_) own_team = nullptr;
}

void use_threads(unsigned count) noexcept {
  usual_threads = count;
}

unsigned thread_count(unsigned asked) noexcept {
  if (asked == 0) asked = usual_threads;
  return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

unsigned threads_for(std::size_t work, unsigned threads) noexcept {
  constexpr std::size_t little = 10'000;
  return work < little ? 1 : threads;
}

void parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task) {
  Job job(count, task);
  const std::size_t all = thread_count(threads);
  const std::size_t wanted = std::min(all, count);
  if (wanted > 1) {
    const Team team;
    own_team->run(job, wanted - 1, all);
  } else {
    job.work();
  }
  job.rethrow();
}

}  // namespace evenhand
