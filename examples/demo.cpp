// What `make demo` runs: 20,000 made-up applicants are hired by the score of a model. The rule that
// evenhand finds hires women and men of each race at the same rate, and no such rule hires better.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace evenhand;

namespace {

// SplitMix64 and plain arithmetic: the same people on every machine.
class Random {
 public:
  double unit() {  // in [0, 1)
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }
  bool chance(double p) { return unit() < p; }

 private:
  std::uint64_t state_ = 2026;
};

struct People {
  std::vector<std::string> sex;
  std::vector<std::string> race;
  std::vector<double> score;        // the model's probability that the applicant does well
  std::vector<std::uint8_t> label;  // whether they did
};

// The scores are calibrated, and yet the groups differ: so do the lives that the model learnt from.
People make_people(std::size_t count) {
  struct Race {
    const char* name;
    double women, men;  // how much their scores are shifted
  };
  constexpr std::array<Race, 3> races = {{
      {"Asian", -0.03, 0.05},
      {"Black", -0.12, -0.04},
      {"White", -0.10, 0.06},
  }};
  Random random;
  People people;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = random.unit();
    const Race& race = races[u < 0.15 ? 0 : u < 0.40 ? 1 : 2];
    const bool woman = random.chance(0.45);
    const double talent = (random.unit() + random.unit() + random.unit()) / 3;
    const double p = std::clamp(talent + (woman ? race.women : race.men), 0.01, 0.99);
    people.sex.emplace_back(woman ? "F" : "M");
    people.race.emplace_back(race.name);
    people.score.push_back(static_cast<int>(1000 * p) / 1000.0);
    people.label.push_back(random.chance(people.score.back()) ? 1 : 0);
  }
  return people;
}

double largest_difference(const Audit& audit) {
  double largest = 0;
  for (const Comparison& stratum : audit.strata) {
    if (stratum.selection_rate) largest = std::max(largest, stratum.selection_rate->difference);
  }
  return largest;
}

void print_cells(const CellNames& names, const Audit& before, const Audit& after) {
  std::printf("                            hired, of all         hired, of those who do well\n");
  std::printf("  race    sex   people     before    after            before    after\n");
  for (const AuditedCell& cell : before.cells) {
    const Figures& old_figures = cell.figures;
    const Figures& new_figures = after.cells[cell.cell].figures;
    const auto values = names.values(cell.cell);
    std::printf("  %-6s  %-3s  %7.0f    %6.1f %%  %6.1f %%          %6.1f %%  %6.1f %%\n",
                values[0].c_str(), values[1].c_str(), old_figures.weight,
                100 * old_figures.selection_rate.value_or(0),
                100 * new_figures.selection_rate.value_or(0),
                100 * old_figures.true_positive_rate.value_or(0),
                100 * new_figures.true_positive_rate.value_or(0));
  }
}

}  // namespace

int main() {
  const People people = make_people(20'000);

  // Rows -> tally -> criterion -> solve.
  const Cells cells = Cells::from({{"race", people.race}, {"sex", people.sex}});
  const Tally tally = Tally::of(people.score, cells, {.label = people.label});
  const Criterion fair = statistical_parity({.sensitive = {"sex"}, .within = {"race"}});
  const Solution fit = solve(tally, fair);

  const Audit before = audit(tally, fair.roles);
  const Audit after = audit(tally, fair.roles, fit.rule);

  std::printf("20,000 made-up applicants, to be hired by the score of a model.\n");
  std::printf(
      "Before: everybody with a score above 1/2. After: the most accurate rule that hires\n");
  std::printf("women and men of each race at the same rate.\n\n");
  print_cells(tally.cells(), before, after);

  std::printf("\n                                     before       after\n");
  std::printf("  accuracy                         %6.2f %%    %6.2f %%\n",
              100 * before.overall.figures.accuracy.value_or(0),
              100 * after.overall.figures.accuracy.value_or(0));
  std::printf("  largest difference, sexes        %6.2f %%    %6.2f %%\n",
              100 * largest_difference(before), 100 * largest_difference(after));

  std::printf("\n  status         %s\n", std::string(to_string(fit.status)).c_str());
  std::printf("  gap            %-9.1e how much better another rule as fair could be, at most\n",
              fit.gap);
  std::printf("  violation      %-9.1e how far the criterion is missed on these people\n",
              fit.violation);
  std::printf(
      "  lottery share  %4.2f %%    of people get a coin, which falls the same every time\n",
      100 * fit.lottery_share);

  std::printf("\nThe rule:\n");
  for (CellCode c = 0; c < fit.rule.cells().size(); ++c) {
    std::printf("  %s\n", fit.rule.describe(c).c_str());
  }

  std::printf(
      "\nTry next: in examples/demo.cpp, add .tolerance = 0.05 to the criterion, or ask for\n");
  std::printf(
      "equal_opportunity instead; then run make demo again. docs/guide.md explains each step.\n");
  return fit.status == Status::optimal ? 0 : 1;
}
