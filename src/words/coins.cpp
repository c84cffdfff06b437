#include <evenhand/fit_words.h>
#include <evenhand/lottery.h>
#include <evenhand/text.h>

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "words/everybody.h"

namespace evenhand {
namespace {

std::string strictness(const Criterion& criterion, double value) {
  return fmt::format("{} {}", criterion.relation == Relation::ratio ? "ratio" : "tolerance",
                     rounded(value, 4));
}

std::string price_in_words(const Tally& tally, const Solution& fit) {
  const std::optional<PriceOfNoCoins> price = price_of_no_coins(tally, fit);
  if (!price) return {};
  const bool by_accuracy = fit.options.costs == Costs{};
  const auto figure = [&](const Rule& rule) {
    const Figures figures = everybody(tally, rule, auditing_of(fit));
    return by_accuracy ? figures.accuracy : figures.cost;
  };
  const std::optional<double> with = figure(fit.rule);
  const std::optional<double> without = figure(price->rule);
  if (!with || !without) return {};
  const double change = *without - *with;
  std::string out =
      by_accuracy ? fmt::format("no coin: {} ({:.2f} points {})", percent(*without),
                                std::abs(change) * 100, change > 0 ? "more" : "less")
                  : fmt::format("no coin: cost of a decision {} ({} {})", rounded(*without, 5),
                                rounded(std::abs(change), 3), change > 0 ? "more" : "less");
  if (price->as_good) {
    out += fmt::format("; the same {} without a coin needs {}", by_accuracy ? "accuracy" : "cost",
                       strictness(fit.criterion, *price->as_good));
  }
  return out;
}

bool more_coins_would_help(const Solution& fit) {
  return fit.primal < fit.dual - 1e-9 * fit.magnitude;
}

// A small cell's rate moves in large steps, and hardly ever comes near the others: which one it is,
// if a step is larger than what the criterion allows.
std::string smallest_cell_in_words(const Tally& tally, const Solution& fit) {
  const Criterion& criterion = fit.criterion;
  double fewest = std::numeric_limits<double>::infinity();
  CellCode smallest = 0;
  Rate of = Rate::selection;
  for (CellCode c = 0; c < fit.cells.size(); ++c) {
    if (!fit.cells[c].compared) continue;
    const CellTotal& total = tally.total(c);
    for (const Rate rate : criterion.rates) {
      const double counted_in = rate == Rate::selection       ? total.n
                                : rate == Rate::true_positive ? total.n1
                                                              : total.n - total.n1;
      if (counted_in <= 0 || counted_in >= fewest) continue;
      fewest = counted_in;
      smallest = c;
      of = rate;
    }
  }
  const double allowed =
      criterion.relation == Relation::ratio ? 1 - criterion.ratio : criterion.tolerance;
  constexpr double few = 100;  // a larger one is not what stands in the way
  if (fewest > few || 1 / fewest <= allowed) return {};
  return fmt::format("{} has only {} {}, and its rate moves in steps of {}",
                     tally.cells().name(smallest), people(fewest),
                     of == Rate::selection       ? "people"
                     : of == Rate::true_positive ? "favourable outcomes"
                                                 : "unfavourable outcomes",
                     percent(1 / fewest));
}

}  // namespace

std::vector<std::string> coins_in_words(const Tally& tally, const Solution& fit, std::size_t most) {
  if (fit.options.gamma > 0 || fit.lottery_share == 0) return {};
  const double total = tally.total().n;
  std::vector<std::string> out = {fmt::format("coins decide {} of {} people ({})",
                                              people(fit.lottery_share * total), people(total),
                                              percent(fit.lottery_share))};
  const std::vector<CoinRange> ranges = coin_ranges(tally, fit.rule);
  for (std::size_t i = 0; i < ranges.size() && i < most; ++i) {
    const CoinRange& range = ranges[i];
    const std::string scores = range.lowest == range.highest
                                   ? fmt::format("a score of {}", rounded(range.lowest, 4))
                                   : fmt::format("scores from {} to {}", rounded(range.lowest, 4),
                                                 rounded(range.highest, 4));
    out.push_back(fmt::format("  {}: {} with {}", tally.cells().name(range.cell),
                              people(range.people), scores));
  }
  if (ranges.size() > most) {
    out.push_back(fmt::format("  and in {}", counted(ranges.size() - most, "further group")));
  }
  if (fit.options.max_lottery && more_coins_would_help(fit)) {
    const std::string cell = smallest_cell_in_words(tally, fit);
    if (!cell.empty()) out.push_back("few coins cost most where groups are small: " + cell);
  }
  if (const std::string price = price_in_words(tally, fit); !price.empty()) out.push_back(price);
  return out;
}

std::string constant_rule_in_words(const Tally& tally, const Solution& fit) {
  const bool none = fit.options.lottery == Lottery::none;
  if ((!none && !fit.options.max_lottery) || fit.status == Status::infeasible) return {};
  bool all = true;
  bool nobody = true;
  for (const Response& response : fit.rule.parts().responses) {
    all = all && response.points.empty() && response.start == 1;
    nobody = nobody && response.points.empty() && response.start == 0;
  }
  if (!all && !nobody) return {};
  if (!none && !more_coins_would_help(fit)) return {};
  std::string out = fmt::format("the best rule {} says {} to everybody",
                                none ? std::string("without coins")
                                     : fmt::format("with coins for at most {} of each group",
                                                   percent(*fit.options.max_lottery)),
                                all ? "yes" : "no");
  if (none) {
    const std::optional<PriceOfNoCoins> price = price_of_no_coins(tally, fit);
    if (price && price->useful) {
      out += fmt::format("; a better one needs {}", strictness(fit.criterion, *price->useful));
    }
  }
  if (const std::string cell = smallest_cell_in_words(tally, fit); !cell.empty()) {
    out += "; " + cell;
  }
  return out;
}

}  // namespace evenhand
