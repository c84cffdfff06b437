// evenhand_scaling [ROWS]: the library on 1, 2, 4, ... cores of this machine, as a Markdown table.
// What reading the same columns takes is printed beside, since nothing can be faster than that.
#include <evenhand/evenhand.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "people.h"
#include "timing.h"

namespace evenhand::bench {
namespace {

People make_columns(std::size_t rows) {
  People out;
  out.names = CellNames({"group"}, {{"A"}, {"B"}, {"C"}, {"D"}});
  out.score.resize(rows);
  out.code.resize(rows);
  out.label.resize(rows);
  const std::size_t parts = 64;  // the same rows on any machine
  std::vector<std::jthread> workers;
  for (std::size_t part = 0; part < parts; ++part) {
    workers.emplace_back([&out, part, rows] {
      std::mt19937_64 random(part);
      for (std::size_t i = rows * part / parts; i < rows * (part + 1) / parts; ++i) {
        out.code[i] = static_cast<CellCode>(random() & 3U);
        out.score[i] = unit(random) * (1 - 0.05 * out.code[i]);
        out.label[i] = unit(random) < out.score[i] ? 1 : 0;
      }
    });
  }
  return out;
}

struct Fitted {
  double time = 0;
  double objective = 0;
};

template <class Make>
Fitted best_of(int runs, const Make& make) {
  std::vector<double> times;
  Fitted out;
  for (int i = 0; i < runs; ++i) times.push_back(seconds([&] { out.objective = make(); }));
  out.time = median(times);
  return out;
}

void print_row(const char* what, unsigned threads, std::size_t rows, double time, double alone) {
  std::printf("| %s | %u | %.2f | %.1f |\n", what, threads, 1e9 * time / static_cast<double>(rows),
              alone / time);
  std::fflush(stdout);
}

int run(std::size_t rows) {
  const People columns = make_columns(rows);
  const unsigned cores = std::thread::hardware_concurrency();
  std::printf("%zu rows, 4 groups, %u cores\n\n", rows, cores);
  std::printf("| what | cores | ns a row | times one core |\n|---|---|---|---|\n");
  const ParityOptions groups{.sensitive = {"group"}};
  Fitted one_read, one_parity, one_borrowed, one_odds;
  for (unsigned threads = 1; threads <= cores; threads *= 2) {
    const Fitted read =
        best_of(3, [&] { return read_time(columns, true, threads) > 0 ? 1.0 : 0.0; });
    const auto fit_parity = [&](bool borrow) {
      const Tally tally = Tally::of(columns.score, columns.names, columns.code,
                                    {.threads = threads, .borrow_scores = borrow});
      return solve(tally, statistical_parity(groups), {.threads = threads}).primal;
    };
    const Fitted parity = best_of(3, [&] { return fit_parity(false); });
    const Fitted borrowed = best_of(3, [&] { return fit_parity(true); });
    const Fitted odds = best_of(1, [&] {
      const Tally tally = Tally::of(columns.score, columns.names, columns.code,
                                    {.label = columns.label, .threads = threads});
      return solve(tally, equalized_odds(groups), {.threads = threads}).primal;
    });
    if (threads == 1) {
      one_read = read;
      one_parity = parity;
      one_borrowed = borrowed;
      one_odds = odds;
    }
    require(parity.objective == one_parity.objective &&
                borrowed.objective == one_parity.objective && odds.objective == one_odds.objective,
            "the answer depends on the number of cores");
    print_row("read the columns", threads, rows, read.time, one_read.time);
    print_row("tally and fit, parity", threads, rows, parity.time, one_parity.time);
    print_row("tally and fit, parity, scores not copied", threads, rows, borrowed.time,
              one_borrowed.time);
    print_row("tally and fit, odds", threads, rows, odds.time, one_odds.time);
  }
  return 0;
}

}  // namespace
}  // namespace evenhand::bench

int main(int argc, char** argv) {
  return evenhand::bench::run(argc > 1 ? std::stoull(argv[1]) : 10'000'000);
}
