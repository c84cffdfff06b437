// Speed and memory of the tool on a generated file of ten million rows, as ratios to what DuckDB
// takes to read the same columns or to copy the same file: processor time of whole processes,
// medians of five, interleaved, with the answers checked. Exits with 1 when a ratio misses its
// limit.
//
//   evenhand_tool_bench TOOL FOLDER
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <duckdb.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

// Runs SQL in this process; the first value of the result as a number.
double query(const std::string& sql) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  duckdb_result result{};
  if (duckdb_open(nullptr, &database) == DuckDBError ||
      duckdb_connect(database, &connection) == DuckDBError) {
    throw std::runtime_error("DuckDB does not start");
  }
  if (duckdb_query(connection, sql.c_str(), &result) == DuckDBError) {
    throw std::runtime_error(duckdb_result_error(&result));
  }
  const double value = duckdb_value_double(&result, 0, 0);
  duckdb_destroy_result(&result);
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return value;
}

struct Cost {
  double cpu = 0;   // seconds, of all threads
  double wall = 0;  // seconds
  double peak = 0;  // megabytes
};

// A process of its own, so that start-up and memory count too.
Cost cost_of(const std::vector<std::string>& command) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (status != 0) throw std::runtime_error(fmt::format("{} failed", command[1]));
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

Cost median(std::vector<Cost> costs) {
  Cost out;
  for (double Cost::*member : {&Cost::cpu, &Cost::wall, &Cost::peak}) {
    std::sort(costs.begin(), costs.end(),
              [&](const Cost& a, const Cost& b) { return a.*member < b.*member; });
    out.*member = costs[costs.size() / 2].*member;
  }
  return out;
}

class Bench {
 public:
  Bench(std::string self, std::string tool, fs::path folder)
      : self_(std::move(self)), tool_(std::move(tool)), folder_(std::move(folder)) {}

  int run() {
    fs::create_directories(folder_);
    const std::string distinct = generate("distinct", "(hash(i * 13 + 4) >> 11)::DOUBLE / 2**53");
    const std::string few = generate("few", "(hash(i * 13 + 4) % 10000)::DOUBLE / 10000");
    std::printf("%-46s %8s %8s %8s %8s %9s\n", "", "cpu", "wall", "ratio", "limit", "peak");
    fit("fit, 1e7 rows, all scores distinct", distinct, 4);
    fit("fit, 1e7 rows, 10,000 distinct scores", few, 2);
    apply("apply with ids, 1e7 rows", few, 1.3, {"--id", "id", "--key-file", at("key")});
    apply("apply by position, 1e7 rows", few, 1.3, {"--seed", "7"});
    cores("apply by position: wall, 2 threads to 1", few, 0.7);
    memory(distinct);
    return missed_ ? 1 : 0;
  }

 private:
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  std::string generate(const std::string& name, const std::string& score) const {
    const std::string file = at(name + ".parquet");
    if (!fs::exists(file)) {
      query(fmt::format(
          "COPY (SELECT i AS id, CASE WHEN hash(i * 3 + 1) % 100 < 45 THEN 'F' ELSE 'M' END AS "
          "sex, "
          "['Asian', 'Black', 'White'][(1 + hash(i * 7 + 2) % 3)::INTEGER] AS race, {} AS score, "
          "(hash(i * 17 + 5) % 2)::INTEGER AS y FROM range(10000000) t(i)) TO '{}'",
          score, file + ".new.parquet"));
      fs::rename(file + ".new.parquet", file);
    }
    return file;
  }

  void compare(const char* name, const std::vector<std::string>& command,
               const std::string& yardstick, double limit) {
    std::vector<Cost> ours;
    std::vector<Cost> theirs;
    for (int round = 0; round < 5; ++round) {
      theirs.push_back(cost_of({self_, "--query", yardstick}));
      ours.push_back(cost_of(command));
    }
    const Cost mine = median(ours);
    const Cost other = median(theirs);
    const double ratio = mine.cpu / other.cpu;
    std::printf("%-46s %6.2f s %6.2f s %8.2f %8.2f %6.0f MB%s\n", name, mine.cpu, mine.wall, ratio,
                limit, mine.peak, ratio > limit ? "  MISSED" : "");
    std::printf("%-46s %6.2f s %6.2f s %26.0f MB\n", "  DuckDB alone", other.cpu, other.wall,
                other.peak);
    missed_ = missed_ || ratio > limit;
  }

  std::vector<std::string> fit_command(const std::string& data,
                                       const std::string& resolution) const {
    return {tool_,
            "fit",
            data,
            "--score",
            "score",
            "--label",
            "y",
            "--sensitive",
            "sex",
            "--within",
            "race",
            "--criterion",
            "statistical-parity",
            "--resolution",
            resolution,
            "-o",
            at("rule.json")};
  }

  // The largest difference between the sexes of a race, on the rows themselves.
  void check(const std::string& decided) const {
    const double difference =
        query(fmt::format("SELECT max(d) FROM (SELECT max(r) - min(r) AS d FROM (SELECT sex, race, "
                          "avg(probability) AS "
                          "r FROM '{}' GROUP BY ALL) GROUP BY race)",
                          decided));
    if (!(difference < 1e-9)) {
      std::printf("WRONG ANSWER: rates differ by %g\n", difference);
      std::exit(1);
    }
  }

  void fit(const char* name, const std::string& data, double limit) {
    compare(
        name, fit_command(data, "exact"),
        fmt::format("SELECT sum(score) + sum(y) + max(strlen(sex)) + max(strlen(race)) FROM '{}'",
                    data),
        limit);
    cost_of({tool_, "apply", data, "--rule", at("rule.json"), "-o", at("decided.parquet")});
    check(at("decided.parquet"));
  }

  std::vector<std::string> apply_command(const std::string& data,
                                         const std::vector<std::string>& coins) const {
    std::vector<std::string> out = {
        tool_, "apply", data, "--rule", at("rule.json"), "-o", at("decided.parquet")};
    out.insert(out.end(), coins.begin(), coins.end());
    return out;
  }

  void apply(const char* name, const std::string& data, double limit,
             const std::vector<std::string>& coins) {
    std::ofstream(at("key")) << "a key for the benchmark";
    compare(name, apply_command(data, coins),
            fmt::format("COPY (SELECT * FROM '{}') TO '{}'", data, at("copy.parquet")), limit);
    check(at("decided.parquet"));
  }

  // Coins by position must not make threads wait for each other.
  void cores(const char* name, const std::string& data, double limit) {
    std::vector<Cost> one;
    std::vector<Cost> two;
    for (int round = 0; round < 5; ++round) {
      one.push_back(cost_of(apply_command(data, {"--seed", "7", "--threads", "1"})));
      two.push_back(cost_of(apply_command(data, {"--seed", "7", "--threads", "2"})));
    }
    const Cost both = median(two);
    const double ratio = both.wall / median(one).wall;
    std::printf("%-46s %6.2f s %6.2f s %8.2f %8.2f %6.0f MB%s\n", name, both.cpu, both.wall, ratio,
                limit, both.peak, ratio > limit ? "  MISSED" : "");
    missed_ = missed_ || ratio > limit;
  }

  // Ten names for one file are 1e8 rows.
  void memory(const std::string& data) {
    fs::remove_all(folder_ / "ten");
    fs::create_directories(folder_ / "ten");
    for (int i = 0; i < 10; ++i) {
      fs::create_hard_link(data, folder_ / "ten" / fmt::format("{}.parquet", i));
    }
    const Cost once = cost_of(fit_command(data, "16"));
    const Cost ten = cost_of(fit_command(at("ten/*.parquet"), "16"));
    const double limit = 1.5;
    const double ratio = ten.peak / once.peak;
    std::printf("%-46s %6.2f s %6.2f s %26.0f MB\n", "fit --resolution 16, 1e7 rows", once.cpu,
                once.wall, once.peak);
    std::printf("%-46s %6.2f s %6.2f s %8.2f %8.2f %6.0f MB%s\n",
                "fit --resolution 16, 1e8 rows: memory", ten.cpu, ten.wall, ratio, limit, ten.peak,
                ratio > limit ? "  MISSED" : "");
    missed_ = missed_ || ratio > limit;
  }

  std::string self_;
  std::string tool_;
  fs::path folder_;
  bool missed_ = false;
};

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::vector<std::string> given(arguments, arguments + count);
    if (count == 3 && given[1] == "--query") {
      query(given[2]);
      return 0;
    }
    if (count != 3) throw std::runtime_error("usage: evenhand_tool_bench TOOL FOLDER");
    return Bench("/proc/self/exe", given[1], given[2]).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "evenhand_tool_bench: {}\n", error.what());
    return 1;
  }
}
