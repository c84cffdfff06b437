// evenhand_scaling [ROWS]: the library on 1, 2, 4, ... cores of this machine, as a Markdown table.
// What reading the same columns takes is printed beside, since nothing can be faster than that.
#include <evenhand/evenhand.h>
#include <evenhand/tally_file.h>
#include <evenhand/text.h>
#include <evenhand/threads.h>

#include <cstdint>
#include <functional>
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

// One line of the table: what is timed, and what comes of it, which no number of cores may change.
struct Line {
  const char* what;
  std::function<std::string(unsigned threads)> run;
  std::string answer = {};
  std::vector<double> times = {};

  void time(unsigned threads, int runs) {
    std::vector<double> all;
    for (int i = 0; i < runs; ++i) {
      std::string found;
      all.push_back(seconds([&] { found = run(threads); }));
      if (answer.empty()) answer = found;
      require(found == answer, "the answer depends on the number of cores");
    }
    times.push_back(median(all));
  }
};

std::vector<Line> lines_of(const People& columns) {
  const Roles roles{.sensitive = {"group"}};
  const auto tally = [&columns](unsigned threads, bool labels, bool borrow) {
    TallyOptions options{.threads = threads, .borrow_scores = borrow};
    if (labels) options.label = columns.label;
    return Tally::of(columns.score, columns.names, columns.code, options);
  };
  const auto fit = [=](const Criterion& criterion, bool borrow) {
    return [=](unsigned threads) {
      const Solution found =
          solve(tally(threads, criterion.uses_labels(), borrow), criterion, {.threads = threads});
      return found.rule.to_json();
    };
  };
  const ParityOptions groups{.sensitive = roles.sensitive};
  const Criterion parity = statistical_parity(groups);
  const Rule rule = solve(tally(0, false, true), parity).rule;
  return {
      {"read the columns once",
       [&columns](unsigned threads) {
         (void)read_time(columns, true, threads);
         return std::string("read");
       }},
      {"tally and fit, statistical parity", fit(parity, false)},
      {"the same, scores not copied", fit(parity, true)},
      {"tally and fit, equal opportunity", fit(equal_opportunity(groups), false)},
      {"tally and fit, equalized odds", fit(equalized_odds(groups), false)},
      {"tally, and audit of a rule by labels",
       [=](unsigned threads) {
         return shortest(
             audit(tally(threads, true, false), roles, rule).overall.figures.accuracy.value());
       }},
      {"tally, sort all scores, hash and sum them",
       [=](unsigned threads) { return fingerprint(tally(threads, false, false)); }},
  };
}

int run(std::size_t rows) {
  const People columns = make_columns(rows);
  std::vector<Line> lines = lines_of(columns);
  const unsigned cores = std::thread::hardware_concurrency();
  std::printf("%zu rows, 4 groups: nanoseconds a row\n\n| cores |", rows);
  std::string rule = "|---|";
  for (unsigned threads = 1; threads <= cores; threads *= 2) {
    use_threads(threads);                  // for whatever is not told
    const int runs = threads > 2 ? 7 : 3;  // more where they are short
    for (Line& line : lines) line.time(threads, runs);
    std::printf(" %u |", threads);
    std::fflush(stdout);
    rule += "---|";
  }
  std::printf(" times faster |\n%s---|\n", rule.c_str());
  for (const Line& line : lines) {
    std::printf("| %s |", line.what);
    for (const double time : line.times) {
      std::printf(" %.2f |", 1e9 * time / static_cast<double>(rows));
    }
    std::printf(" %.1f |\n", line.times.front() / line.times.back());
  }
  return 0;
}

}  // namespace
}  // namespace evenhand::bench

int main(int argc, char** argv) {
  return evenhand::bench::run(argc > 1 ? std::stoull(argv[1]) : 10'000'000);
}
