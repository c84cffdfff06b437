// Logs of decisions, checked line by line.
#include <evenhand/decision_log.h>
#include <evenhand/text.h>

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace evenhand {

LogCheck::LogCheck(const Rule& rule, std::optional<Coin> coin)
    : log_(rule), coin_(std::move(coin)) {
  found_.coins_checked = coin_.has_value();
}

void LogCheck::see(const LogLine& line) {
  LoggedDecision read{.id = line.id,
                      .rule = line.rule,
                      .key = line.key,
                      .cell = line.cell,
                      .score = line.score.value_or(0),
                      .why = {.probability = line.probability.value_or(-1),
                              .threshold = line.threshold,
                              .coin = line.coin,
                              .decision = line.decision == 1.0,
                              .words = line.reason}};
  std::string trouble = !line.score ? "it has no score"
                        : line.decision != 0.0 && line.decision != 1.0
                            ? "its decision is neither 0 nor 1"
                            : log_.wrong_with(read, coin_ ? &*coin_ : nullptr);
  ++found_.lines;
  if (line.coin) ++found_.by_lot;
  if (trouble.empty()) return;
  ++found_.wrong;
  constexpr std::size_t most = 10;
  if (found_.first.size() < most) {
    found_.first.push_back({found_.lines, line.id, std::move(trouble)});
  }
}

std::string CheckedLog::to_text() const {
  std::string out;
  for (const Wrong& one : first) {
    out += fmt::format("  line {}, {}: {}\n", with_commas(one.line), shown(one.id),
                       printable(one.trouble));
  }
  if (wrong > first.size()) {
    out += fmt::format("  and {} more\n", with_commas(wrong - first.size()));
  }
  if (by_lot > 0 && !coins_checked) {
    out += fmt::format(
        "  the coins of {} were not checked: that needs the key, or the seed, of the decisions\n",
        counted(by_lot, "line"));
  }
  return out;
}

std::string CheckedLog::to_json() const {
  using Json = nlohmann::ordered_json;
  Json out;
  out["lines"] = lines;
  out["wrong"] = wrong;
  out["by_lot"] = by_lot;
  out["coins_checked"] = coins_checked;
  out["first_wrong"] = Json::array();
  for (const Wrong& one : first) {
    out["first_wrong"].push_back({{"line", one.line}, {"id", one.id}, {"trouble", one.trouble}});
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace evenhand
