#include <evenhand/fit_words.h>
#include <evenhand/lottery.h>
#include <evenhand/text.h>

#include <cmath>

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
  if (const std::string price = price_in_words(tally, fit); !price.empty()) out.push_back(price);
  return out;
}

std::string constant_rule_in_words(const Tally& tally, const Solution& fit) {
  if (fit.options.lottery != Lottery::none) return {};
  bool all = true;
  bool nobody = true;
  for (const Response& response : fit.rule.parts().responses) {
    all = all && response.points.empty() && response.start == 1;
    nobody = nobody && response.points.empty() && response.start == 0;
  }
  if (!all && !nobody) return {};
  std::string out =
      fmt::format("the best rule without coins says {} to everybody", all ? "yes" : "no");
  const std::optional<PriceOfNoCoins> price = price_of_no_coins(tally, fit);
  if (price && price->useful) {
    out += fmt::format("; a better one needs {}", strictness(fit.criterion, *price->useful));
  }
  return out;
}

}  // namespace evenhand
