// Rows in blocks that fit into a cache, on several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "support/parallel.h"

namespace evenhand {

constexpr std::size_t rows_in_block = 4096;

// Calls run(begin, end) for all blocks.
inline void for_rows(std::size_t rows,
                     const std::function<void(std::size_t begin, std::size_t end)>& run) {
  constexpr std::size_t worthwhile = std::size_t{1} << 17U;
  const std::size_t tasks = std::clamp<std::size_t>(rows / worthwhile, 1, thread_count(0));
  parallel(tasks, 0, [&](std::size_t task) {
    const std::size_t end = rows * (task + 1) / tasks;
    for (std::size_t row = rows * task / tasks; row < end; row += rows_in_block) {
      run(row, std::min(end, row + rows_in_block));
    }
  });
}

}  // namespace evenhand
