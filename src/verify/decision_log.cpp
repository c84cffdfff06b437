#include <evenhand/decision_log.h>
#include <evenhand/fit_record.h>
#include <evenhand/text.h>

#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "record/sha256.h"

namespace evenhand {
namespace {

bool same(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || *a == *b);
}

}  // namespace

std::string fingerprint(const Coin& coin) {
  // Keys leave 64 digits; a seed is no secret, and at most 20.
  constexpr std::size_t longest_seed = 20;
  if (coin.prefix().size() <= longest_seed) return "seed " + coin.prefix();
  return record::sha256(coin.prefix());
}

DecisionLog::DecisionLog(const Rule& rule) : rule_(rule), fingerprint_(fingerprint(rule)) {
  const Reading& reading = rule.parts().reading;
  for (CellCode c = 0; c < rule.cells().size(); ++c) {
    by_name_.emplace(rule.cells().name(c), c);
    of_cell_.push_back(evenhand::explain(rule, c, reading.turn(reading.lowest())));
  }
}

CellCode DecisionLog::cell_of(std::span<const std::optional<std::string>> values) const {
  std::vector<std::string_view> views;
  for (const auto& value : values) {
    if (!value) return unseen_cell;
    views.emplace_back(*value);
  }
  return rule_.cells().find(views).value_or(unseen_cell);
}

std::string DecisionLog::name_of(std::span<const std::optional<std::string>> values) const {
  const CellCode cell = cell_of(values);
  if (cell != unseen_cell) return rule_.cells().name(cell);
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}{}={}", i ? ", " : "", quoted_if_needed(rule_.cells().attributes()[i]),
                       values[i] ? quoted_if_needed(*values[i]) : "(missing)");
  }
  return out;
}

double DecisionLog::probability(CellCode cell, double score, Unseen unseen) const {
  const RuleParts& parts = rule_.parts();
  if (!parts.reading.valid(parts.reading.turn(score))) {
    throw std::invalid_argument(fmt::format("the score {} is not valid on the {} scale",
                                            shortest(score), to_string(parts.reading.scale)));
  }
  if (cell != unseen_cell) return rule_.probability(cell, score);
  if (unseen == Unseen::error) throw std::out_of_range("the rule does not know this group");
  return unseen == Unseen::score && parts.reading.turn(score) >= parts.otherwise ? 1 : 0;
}

DecisionReason DecisionLog::explain(CellCode cell, double score, Unseen unseen, double q,
                                    std::optional<double> coin) const {
  const bool known = cell != unseen_cell;
  Explanation about =
      known ? of_cell_[cell] : evenhand::explain(rule_, cell, score, std::nullopt, unseen);
  about.score = score;
  about.probability = q;
  about.coin = coin;
  about.positive = coin ? *coin < q : q >= 1;
  return {.probability = q,
          .threshold = about.whatever_the_score ? std::nullopt : about.for_certain,
          .coin = coin,
          .decision = *about.positive,
          .words = (known ? "" : "the rule does not know this group; ") + about.in_words()};
}

std::string DecisionLog::wrong_with(const LoggedDecision& line, const Coin* coin) const {
  if (line.rule != fingerprint_) return "it was decided by another rule";
  if (coin && line.key != fingerprint(*coin)) return "its coins are of another key";
  const auto known = by_name_.find(line.cell);
  const CellCode cell = known == by_name_.end() ? unseen_cell : known->second;
  const auto thrown = [&]() -> double {
    // The id of a row without one is its position, as text.
    return coin ? (*coin)(std::string_view(line.id)) : line.why.coin.value_or(2);
  };
  std::string trouble;
  // How unseen groups were decided shows in the words alone.
  for (const Unseen unseen : {Unseen::score, Unseen::reject}) {
    DecisionReason found;
    try {
      found = reason(cell, line.score, unseen, thrown);
    } catch (const std::logic_error& error) {
      return error.what();
    }
    if (found.coin && *found.coin >= 1) return "it lacks the coin that decided";
    trouble = found.probability != line.why.probability
                  ? fmt::format("its probability is {}, not {}", shortest(found.probability),
                                shortest(line.why.probability))
              : !same(found.coin, line.why.coin)
                  ? (found.coin ? fmt::format("its coin is {}", shortest(*found.coin))
                                : "no coin was to be thrown")
              : found.decision != line.why.decision
                  ? fmt::format("its decision is {}", found.decision ? 1 : 0)
              : !same(found.threshold, line.why.threshold) ? "its threshold is another"
              : found.words != line.why.words              ? "its reason is another"
                                                           : "";
    if (trouble.empty() || cell != unseen_cell) return trouble;
  }
  return trouble;
}

}  // namespace evenhand
