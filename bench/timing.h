// What the benchmarks share: times, checks, and whether a figure missed its limit.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace evenhand::bench {

inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("WRONG ANSWER: %s\n", what);
  std::exit(1);
}

inline bool missed = false;

inline void report(const char* what, double ratio, double most, double time) {
  const bool ok = ratio <= most;
  missed = missed || !ok;
  std::printf("  %-58s %6.3f  (at most %.2f)  %8.2f ms  %s\n", what, ratio, most, 1e3 * time,
              ok ? "ok" : "MISSED");
}

void bench_blind();           // blind_bench.cpp
void bench_confidence();      // confidence_bench.cpp
void bench_groups();          // groups_bench.cpp
void bench_frontier();        // lottery_bench.cpp
void bench_lottery();         // lottery_bench.cpp
void bench_soft_tolerance();  // lottery_bench.cpp

}  // namespace evenhand::bench
