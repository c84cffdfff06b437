#include <evenhand/decision_log.h>
#include <evenhand/fit_record.h>
#include <evenhand/text.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "record/sha256.h"

namespace evenhand {
namespace {

// Turned scores at which things change in a cell; none: they never do.
struct Marks {
  std::optional<double> chance;   // above 0 from here on, or beyond it on a ramp
  std::optional<double> certain;  // 1 from here on
  double lowest_q = 0;            // of the lowest scores
};

Marks marks_of(const Response& response) {
  const bool ramp = response.shape == Response::Shape::ramp;
  Marks out;
  out.lowest_q = !ramp ? response.start : response.points.empty() ? 0 : response.points.front().q;
  for (std::size_t i = 0; i < response.points.size(); ++i) {
    const Point& point = response.points[i];
    if (!out.chance && point.q > 0 && !(out.lowest_q > 0)) {
      out.chance = ramp ? response.points[i - 1].score : point.score;
    }
    if (!out.certain && point.q >= 1 && out.lowest_q < 1) out.certain = point.score;
  }
  return out;
}

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
  for (CellCode c = 0; c < rule.cells().size(); ++c) by_name_.emplace(rule.cells().name(c), c);
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
  const RuleParts& parts = rule_.parts();
  const bool low = parts.reading.favorable == Favorable::low;
  const auto shown = [&](double x) { return shortest(parts.reading.turn(x)); };
  const std::string at_least = low ? "at most" : "at least";
  const std::string below = low ? "above" : "below";
  DecisionReason out{.probability = q, .threshold = {}, .coin = coin, .decision = q >= 1};
  if (cell == unseen_cell) {
    out.words = "the rule does not know this group: ";
    if (unseen == Unseen::reject) {
      out.words += "rejected";
    } else {
      if (std::isfinite(parts.otherwise)) out.threshold = parts.reading.turn(parts.otherwise);
      out.words += fmt::format("by the score alone, {} is {} {}", shortest(score),
                               out.decision ? at_least : below, shown(parts.otherwise));
    }
    return out;
  }
  const Marks marks = marks_of(parts.responses[cell]);
  if (marks.certain) out.threshold = parts.reading.turn(*marks.certain);
  if (coin) {
    out.decision = *coin < q;
    out.words = fmt::format("by lot: the coin {} is {} the probability {}", shortest(*coin),
                            out.decision ? "below" : "not below", shortest(q));
    if (!marks.chance && !marks.certain) {
      out.words += ", that of everybody in this group";
    } else {
      out.words += fmt::format(" of the score {}", shortest(score));
    }
  } else if (out.decision) {
    out.words = marks.certain ? fmt::format("the score {} is {} the threshold {}", shortest(score),
                                            at_least, shown(*marks.certain))
                              : "everybody in this group is selected";
  } else if (!marks.chance) {
    out.words = "nobody in this group is selected";
  } else if (marks.certain == marks.chance) {
    out.words = fmt::format("the score {} is {} the threshold {}", shortest(score), below,
                            shown(*marks.chance));
  } else {
    out.words = fmt::format("the score {} gives no chance: that begins at {}", shortest(score),
                            shown(*marks.chance));
  }
  return out;
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
