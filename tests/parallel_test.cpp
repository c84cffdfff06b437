// What work is made of when several threads do it: calls inside tasks share the threads of the call
// around them, and what is found in stretches is what is found in one go.
#include "support/parallel.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lottery/fewest.h"
#include "support/problems.h"

namespace evenhand::testing::parallel_test {
namespace {

// Which threads do something.
class Seen {
 public:
  void note() {
    const std::scoped_lock lock(mutex_);
    threads_.insert(std::this_thread::get_id());
  }
  std::size_t count() const { return threads_.size(); }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

// As many tasks as there are threads: each waits for all others.
class Meeting {
 public:
  explicit Meeting(unsigned all) : all_(all) {}
  bool all_came() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    ++here_;
    while (here_ < all_ && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return here_ >= all_;
  }

 private:
  unsigned all_;
  std::atomic<unsigned> here_ = 0;
};

TEST(Parallel, DoesEachTaskOnce) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<std::atomic<int>> done(count);
      parallel(count, threads, [&](std::size_t i) { ++done[i]; });
      for (const auto& times : done) ASSERT_EQ(times, 1);
    }
  }
}

TEST(Parallel, CallsInsideTasksShareTheirThreads) {
  for (const unsigned threads : {1U, 3U, 8U}) {
    Seen seen;
    std::vector<std::atomic<int>> done(20 * 30 * 4);
    parallel(20, threads, [&](std::size_t i) {
      parallel(30, threads, [&](std::size_t j) {
        parallel(4, threads, [&](std::size_t k) {
          seen.note();
          ++done[(30 * i + j) * 4 + k];
        });
      });
    });
    for (const auto& times : done) ASSERT_EQ(times, 1);
    EXPECT_LE(seen.count(), threads);
  }
}

TEST(Parallel, CallsOfATeamShareItsThreads) {
  const Team team;
  Seen seen;
  for (int call = 0; call < 50; ++call) {
    const Team same;  // one inside another does nothing
    parallel(8, 4, [&](std::size_t) { seen.note(); });
  }
  EXPECT_LE(seen.count(), 4U);
}

TEST(Parallel, MoreThreadsMayComeLater) {
  const Team team;
  for (const unsigned threads : {2U, 6U}) {
    Meeting meeting(threads);
    parallel(threads, threads, [&](std::size_t) { EXPECT_TRUE(meeting.all_came()); });
  }
}

TEST(Parallel, LaterCallsOfATeamKeepToFewerThreads) {
  const Team team;
  Meeting meeting(8);
  parallel(8, 8, [&](std::size_t) { EXPECT_TRUE(meeting.all_came()); });
  std::atomic<int> at_work = 0;
  std::atomic<int> most = 0;
  parallel(2, 2, [&](std::size_t) {
    parallel(2, 2, [&](std::size_t) {
      parallel(8, 2, [&](std::size_t) {
        const int now = ++at_work;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --at_work;
      });
    });
  });
  EXPECT_LE(most, 2);
}

TEST(Parallel, WhoeverWaitsHelpsWithWhatIsInside) {
  const auto caller = std::this_thread::get_id();
  Meeting outside(2);
  Meeting inside(2);
  parallel(2, 2, [&](std::size_t) {
    ASSERT_TRUE(outside.all_came());
    if (std::this_thread::get_id() == caller) return;
    parallel(2, 2, [&](std::size_t) { EXPECT_TRUE(inside.all_came()); });
  });
}

TEST(Parallel, RethrowsTheLowestTasksError) {
  const auto fails = [](std::size_t i) {
    if (i % 3 == 2) throw std::runtime_error(std::to_string(i));
  };
  const Team team;
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::vector<std::string> said;
    const auto hear = [&](const auto& call) {
      try {
        call();
      } catch (const std::runtime_error& error) {
        said.emplace_back(error.what());
      }
    };
    hear([&] { parallel(100, threads, fails); });
    hear([&] {
      parallel(4, threads, [&](std::size_t i) {
        if (i > 0) parallel(9 * i, threads, [&](std::size_t j) { fails(100 * i + j); });
      });
    });
    EXPECT_EQ(said, (std::vector<std::string>{"2", "101"}));
  }
}

// A concave curve with some noise; a point so far below it that only half of the thresholds reach
// around it, in far more stretches than one.
TEST(Parallel, FewestCoinsAreTheSameInStretches) {
  Random random(3);
  for (int trial = 0; trial < 12; ++trial) {
    constexpr std::size_t size = 120'000;
    const double bend = 0.3 + 0.4 * random.unit();
    Points points;
    for (std::size_t k = 0; k <= size; ++k) {
      const double x = static_cast<double>(k) / size;
      points.n.push_back(static_cast<double>(k));
      points.y.push_back(std::floor(size * (x + bend * x * (1 - x)) + 20 * random.unit()));
    }
    points.whole = {points.n.back(), points.y.back()};
    const double n = std::floor(size * (0.3 + 0.4 * random.unit())) + (trial % 2 == 0 ? 0 : 0.5);
    const double width = 0.5;  // of a chord that is so far below
    const double y = points.y[static_cast<std::size_t>(n)] - size * bend * width * width / 4;
    const At at = settled(points, {n, y});
    const auto alone = least_window(points, at, 0, 1);
    ASSERT_TRUE(alone);
    EXPECT_NEAR(static_cast<double>(alone->b - alone->a), width * size, 0.1 * size);
    const auto mixture = mixture_in(points, at, *alone, 1);
    ASSERT_TRUE(mixture);
    At reached;
    for (const Share& share : *mixture) {
      reached.n += share.weight * points.n[share.k];
      reached.y += share.weight * points.y[share.k];
    }
    EXPECT_NEAR(reached.n, at.n, 1e-6);
    EXPECT_NEAR(reached.y, at.y, 1e-6);
    for (const unsigned threads : {2U, 8U}) {
      const auto window = least_window(points, at, 0, threads);
      ASSERT_TRUE(window);
      EXPECT_EQ(window->a, alone->a);
      EXPECT_EQ(window->b, alone->b);
      const auto same = mixture_in(points, at, *window, threads);
      ASSERT_TRUE(same);
      ASSERT_EQ(same->size(), mixture->size());
      for (std::size_t i = 0; i < same->size(); ++i) {
        EXPECT_EQ((*same)[i].k, (*mixture)[i].k);
        EXPECT_EQ((*same)[i].weight, (*mixture)[i].weight);
      }
    }
  }
}

}  // namespace
}  // namespace evenhand::testing::parallel_test
