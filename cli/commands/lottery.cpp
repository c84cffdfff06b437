#include "commands/lottery.h"

#include <evenhand/audit.h>
#include <evenhand/lottery.h>
#include <evenhand/names.h>
#include <evenhand/text.h>

#include <cmath>

#include <fmt/format.h>

#include "error.h"
#include "options.h"
#include "output/figures.h"
#include "output/reliability.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

std::string strictness(const Criterion& criterion, double value) {
  return fmt::format("{} {}", criterion.relation == Relation::ratio ? "ratio" : "tolerance",
                     rounded(value, 4));
}

std::string price_in_words(const Tally& tally, const Solution& fit) {
  const std::optional<PriceOfNoCoins> price = price_of_no_coins(tally, fit);
  if (!price) return {};
  const AuditOptions auditing{.costs = fit.options.costs,
                              .base_threshold = fit.options.base_threshold,
                              .calibrator = fit.rule.parts().calibrator};
  const bool by_accuracy = fit.options.costs == Costs{};
  const auto figure = [&](const Rule& rule) {
    const Figures figures =
        audit(tally, {.sensitive = tally.cells().attributes()}, rule, auditing).overall.figures;
    return by_accuracy ? figures.accuracy : figures.cost;
  };
  const std::optional<double> with = figure(fit.rule);
  const std::optional<double> without = figure(price->rule);
  if (!with || !without) return {};
  const double change = *without - *with;
  std::string out =
      by_accuracy
          ? fmt::format("  no coin: {} ({} points {})", percent(*without),
                        fmt::format("{:.2f}", std::abs(change) * 100), change > 0 ? "more" : "less")
          : fmt::format("  no coin: cost of a decision {} ({} {})", rounded(*without, 5),
                        rounded(std::abs(change), 3), change > 0 ? "more" : "less");
  if (price->as_good) {
    out += fmt::format("; the same {} without a coin needs {}", by_accuracy ? "accuracy" : "cost",
                       strictness(fit.criterion, *price->as_good));
  }
  return out + "\n";
}

}  // namespace

void LotteryOptions::check(const std::string& other) const {
  if (!other.empty() && most) throw UserError("--max-lottery cannot be combined with " + other);
  if (!other.empty() && !lottery.empty()) {
    throw UserError("--lottery cannot be combined with " + other);
  }
  const Lottery kind = lottery.empty() ? Lottery::fewest : lottery_from(lottery);
  if (most && !(*most >= 0 && *most <= 1)) {
    throw UserError(fmt::format("--max-lottery is a share of each group, from 0 to 1, not {}",
                                shortest(*most)));
  }
  if (most && kind != Lottery::fewest) {
    throw UserError(fmt::format("--max-lottery cannot be combined with --lottery {}", lottery));
  }
}

void LotteryOptions::put_into(SolveOptions& options) const {
  if (!lottery.empty()) options.lottery = lottery_from(lottery);
  options.max_lottery = most;
}

void add_lottery_options(Command& command, LotteryOptions& options) {
  command
      .add_option(
          "--lottery", options.lottery,
          "Who is decided by a coin: " + choices_of("lottery").text() + " (default: fewest)")
      ->type_name("KIND");
  add_number(
      command, "--max-lottery", options.most,
      "Largest share of each group decided by a coin (one score is always allowed); the rule "
      "may be less accurate");
}

std::string coins_in_words(const Tally& tally, const Solution& fit) {
  if (fit.options.gamma > 0 || fit.lottery_share == 0) return {};
  const double total = tally.total().n;
  std::string out =
      fmt::format("\n  coins decide {} of {} people ({})\n", people(fit.lottery_share * total),
                  people(total), percent(fit.lottery_share));
  const std::vector<CoinRange> ranges = coin_ranges(tally, fit.rule);
  constexpr std::size_t most_lines = 10;
  for (std::size_t i = 0; i < ranges.size() && i < most_lines; ++i) {
    const CoinRange& range = ranges[i];
    out += fmt::format("    {}: {} with ", cell_shown(tally.cells(), range.cell),
                       people(range.people));
    out += range.lowest == range.highest
               ? fmt::format("a score of {}\n", rounded(range.lowest, 4))
               : fmt::format("scores from {} to {}\n", rounded(range.lowest, 4),
                             rounded(range.highest, 4));
  }
  if (ranges.size() > most_lines) {
    out += fmt::format("    and in {}\n", counted(ranges.size() - most_lines, "further group"));
  }
  return out + price_in_words(tally, fit);
}

std::string warning_of_constant_rule(const Tally& tally, const Solution& fit) {
  if (fit.options.lottery != Lottery::none) return {};
  bool all = true;
  bool nobody = true;
  for (const Response& response : fit.rule.parts().responses) {
    all = all && response.points.empty() && response.start == 1;
    nobody = nobody && response.points.empty() && response.start == 0;
  }
  if (!all && !nobody) return {};
  std::string out =
      fmt::format("evenhand: the best rule without coins says {} to everybody", all ? "yes" : "no");
  const std::optional<PriceOfNoCoins> price = price_of_no_coins(tally, fit);
  if (price && price->useful) {
    out += fmt::format("; a better one needs {}", strictness(fit.criterion, *price->useful));
  }
  return out;
}

}  // namespace evenhand::cli
