#include <evenhand/explain.h>
#include <evenhand/text.h>

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/chance.h"
#include "support/first_where.h"

namespace evenhand {
namespace {

void check_score(const Reading& reading, double score) {
  if (!reading.valid(reading.turn(score))) {
    throw std::invalid_argument(fmt::format("the score {} is not valid on the {} scale",
                                            shortest(score), to_string(reading.scale)));
  }
}

[[noreturn]] void throw_unseen_cell() {
  throw std::out_of_range(
      "the rule has never seen this group; refit with such people, or choose what to do with them: "
      "by score, or reject");
}

// `chance_at` gives the probability at a turned score; it never falls.
template <class ChanceAt>
Explanation explained(const Reading& reading, double score, std::optional<double> coin,
                      const ChanceAt& chance_at) {
  Explanation out;
  out.score = score;
  out.favorable = reading.favorable;
  const double q = out.probability = chance_at(reading.turn(score));
  if (q <= 0 || q >= 1) {
    out.positive = q >= 1;
  } else if (coin) {
    out.coin = coin;
    out.positive = *coin < q;
  }
  out.rises = chance_at(reading.lowest()) <= chance_at(reading.highest());
  out.whatever_the_score = out.rises && chance_at(reading.lowest()) >= 1;
  if (!out.rises) return out;
  const auto first = [&](auto holds) -> std::optional<double> {
    const double x = first_where(reading, [&](double at) { return holds(chance_at(at)); });
    if (std::isinf(x) && x > 0) return std::nullopt;
    return reading.turn(x);
  };
  out.for_certain = first([](double at) { return at >= 1; });
  out.for_a_chance = first([](double at) { return at > 0; });
  return out;
}

// As few digits as tell a score from the one that was needed, but at least four.
int digits_for(const Explanation& e) {
  for (int digits = 4; digits < 17; ++digits) {
    const std::string own = rounded(e.score, digits);
    const auto told = [&](const std::optional<double>& other) {
      return !other || *other == e.score || rounded(*other, digits) != own;
    };
    if (told(e.for_certain) && told(e.for_a_chance)) return digits;
  }
  return 17;
}

}  // namespace

std::string Explanation::in_words() const {
  const bool high = favorable == Favorable::high;
  const int digits = digits_for(*this);
  const std::string own = rounded(score, digits);
  const std::string better = high ? "or more" : "or less";
  const auto needs = [&](double needed) {
    return fmt::format("a positive decision needs a score of {} {}", rounded(needed, digits),
                       better);
  };
  // A draw decides where there is some chance, but no certainty.
  std::string draw;
  if (for_a_chance && for_a_chance != for_certain) {
    draw = for_certain ? fmt::format(" From {} to {} a draw decides.",
                                     rounded(*for_a_chance, digits), rounded(*for_certain, digits))
                       : fmt::format(" {} {} a draw decides.", high ? "From" : "Up to",
                                     rounded(*for_a_chance, digits));
  }
  if (!rises && (probability <= 0 || probability >= 1)) {
    return fmt::format("{}: the score is {}; for these columns a better score lowers the chance.",
                       probability >= 1 ? "positive" : "negative", own);
  }
  if (whatever_the_score) {
    return fmt::format(
        "positive: the score is {}; every score gets a positive decision in this group.", own);
  }
  if (probability >= 1) {
    return fmt::format("positive: the score is {}, and {} {} gets a positive decision.", own,
                       rounded(*for_certain, digits), better);
  }
  const std::string certain =
      for_certain ? needs(*for_certain)
                  : std::string("no score is certain of a positive decision in this group");
  if (probability <= 0) {
    if (!for_a_chance) {
      return fmt::format(
          "negative: the score is {}; no score gets a positive decision in this "
          "group.",
          own);
    }
    return fmt::format("negative: the score is {}; {}.{}", own, certain, draw);
  }
  const std::string odds = chance_in_words(probability);
  std::string out;
  if (positive) {
    out = fmt::format("{}: with a score of {} a draw decides, positively {}; it gave {}, {} {}.",
                      *positive ? "positive" : "negative", own, odds, rounded(*coin, 4),
                      *positive ? "below" : "not below", rounded(probability, 4));
  } else {
    out = fmt::format("a draw decides: with a score of {}, positively {}.", own, odds);
  }
  if (for_certain) {
    out += fmt::format(" {} {} a positive decision is certain.", high ? "From" : "Up to",
                       rounded(*for_certain, digits));
  }
  return out;
}

Explanation explain(const Rule& rule, CellCode cell, double score, std::optional<double> coin,
                    Unseen unseen) {
  const RuleParts& parts = rule.parts();
  check_score(parts.reading, score);
  if (cell < parts.cells.size()) {
    Explanation out = explained(parts.reading, score, coin, [&](double x) {
      return rule.probability(cell, parts.reading.turn(x));
    });
    out.group = parts.cells.name(cell);
    return out;
  }
  if (unseen == Unseen::error) throw_unseen_cell();
  Explanation out = explained(parts.reading, score, coin, [&](double x) {
    return unseen == Unseen::score && x >= parts.otherwise ? 1.0 : 0.0;
  });
  out.unseen = true;
  out.group = "a group that the rule does not know";
  return out;
}

Explanation explain(const SoftRule& rule, CellCode stratum, double score,
                    std::span<const double> columns, std::optional<double> coin, Unseen unseen) {
  const SoftRuleParts& parts = rule.parts();
  check_score(parts.reading, score);
  if (columns.size() != parts.columns.size()) {
    throw std::invalid_argument(fmt::format("the rule has {} columns, {} values were given",
                                            parts.columns.size(), columns.size()));
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!(columns[j] >= 0 && columns[j] <= 1)) {
      throw std::invalid_argument(fmt::format("{} is {}, not a number in [0, 1]",
                                              quoted_if_needed(parts.columns[j]),
                                              shortest(columns[j])));
    }
  }
  const auto worth = [&](double x) { return benefit(parts.reading.probability(x), parts.costs); };
  if (stratum < parts.of.size()) {
    Explanation out = explained(parts.reading, score, coin, [&](double x) {
      return rule.response(stratum, worth(x), columns);
    });
    out.group = parts.strata.name(stratum);
    return out;
  }
  if (unseen == Unseen::error) throw_unseen_cell();
  Explanation out = explained(parts.reading, score, coin, [&](double x) {
    return unseen == Unseen::score && worth(x) > 0 ? 1.0 : 0.0;
  });
  out.unseen = true;
  out.group = "a group that the rule does not know";
  return out;
}

}  // namespace evenhand
