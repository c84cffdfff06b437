// Deciding about people, one by one and with their ids, beside SHA-256 by OpenSSL of the same ids.
// Exits with 1 when a figure misses its limit.
//
//   evenhand_people_bench
//   evenhand_people_bench --sha256 FILE    the seconds for the lines of a file, for other programs
#include <evenhand/evenhand.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/evp.h>

#include "timing.h"

namespace {

using namespace evenhand;
using namespace evenhand::bench;

// The fastest way that OpenSSL documents: one context, the algorithm looked up once.
std::uint64_t hash_all(const std::vector<std::string>& ids) {
  std::uint64_t sum = 0;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  for (const std::string& id : ids) {
    EVP_DigestInit_ex2(context, algorithm, nullptr);
    EVP_DigestUpdate(context, id.data(), id.size());
    EVP_DigestFinal_ex(context, digest.data(), nullptr);
    sum += digest[0];
  }
  EVP_MD_CTX_free(context);
  EVP_MD_free(algorithm);
  return sum;
}

double hashing(const std::vector<std::string>& ids) {
  std::vector<double> times;
  for (int round = 0; round < 5; ++round) {
    times.push_back(seconds([&] { require(hash_all(ids) > 0, "nothing was hashed"); }));
  }
  return median(times);
}

// A rule with coins between 0.25 and 0.75, for two groups.
Rule make_rule() {
  const Response response{.shape = Response::Shape::steps,
                          .start = 0,
                          .points = {{.score = 0.25, .q = 0.5}, {.score = 0.75, .q = 1}}};
  RuleParts parts;
  parts.cells = CellNames({"sex"}, {{"F"}, {"M"}});
  parts.responses = {response, response};
  return Rule(parts);
}

void bench_one_person() {
  const Rule rule = make_rule();
  std::mt19937_64 random(5);
  std::vector<double> scores(4096);
  for (double& score : scores) score = static_cast<double>(random() >> 11U) * 0x1p-53;
  const auto judge = [&](const char* what, double most, auto person) {
    constexpr int times = 1'000'000;
    std::vector<double> rounds;
    for (int round = 0; round < 5; ++round) {
      double sum = 0;
      const std::clock_t start = std::clock();  // of the processor: others may want it, too
      for (int i = 0; i < times; ++i) sum += person(scores[static_cast<std::size_t>(i) % 4096]);
      rounds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      require(sum > 0.4 * times && sum < 0.6 * times, "half of the people should be positive");
    }
    const double each = 1e9 * median(rounds) / times;
    missed = missed || each > most;
    std::printf("  %-58s %6.1f ns (at most %.0f)  %s\n", what, each, most,
                each > most ? "MISSED" : "ok");
  };
  std::printf("one person:\n");
  judge("probability, the cell by its code", 100,
        [&](double score) { return rule.probability(1, score); });
  judge("probability, the cell by its names", 100,
        [&](double score) { return rule.probability(rule.cells().code_of({"M"}), score); });
}

void bench_ids() {
  constexpr std::size_t rows = 1'000'000;
  const Rule rule = make_rule();
  const Coin coin = Coin::keyed("a key for the benchmark");
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < rows; ++i) ids.push_back("person-" + std::to_string(i));
  const double hashed = hashing(ids);
  const Cells cells{rule.cells(), std::vector<CellCode>(rows, 1)};
  const auto judge = [&](const char* what, double score, double most) {
    const std::vector<double> scores(rows, score);
    std::vector<double> times;
    for (int round = 0; round < 5; ++round) {
      std::vector<std::uint8_t> decided;
      times.push_back(seconds([&] { decided = rule.decide(cells, scores, ids, coin); }));
      for (std::size_t i = 0; i < rows; i += 9973) {
        require(decided[i] == (rule.decide(1, score, ids[i], coin) ? 1 : 0), "another decision");
      }
    }
    report(what, median(times) / hashed, most, median(times));
  };
  std::printf("1,000,000 people with ids, beside SHA-256 of these ids by OpenSSL (%.1f ms):\n",
              1e3 * hashed);
  judge("a coin for everybody", 0.5, 3);
  judge("a coin for nobody: nothing is hashed", 0.9, 0.2);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> given(arguments, arguments + count);
  if (count == 3 && given[1] == "--sha256") {
    std::vector<std::string> ids;
    std::ifstream file(arguments[2]);
    for (std::string line; std::getline(file, line);) ids.push_back(line);
    std::printf("%.6f\n", hashing(ids));
    return 0;
  }
  bench_one_person();
  bench_ids();
  if (missed) std::printf("at least one figure missed its limit\n");
  return missed ? 1 : 0;
}
