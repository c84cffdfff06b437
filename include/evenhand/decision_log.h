// A log of decisions: for each person, by which rule and key, in which cell, with what score,
// probability and coin, and why. It can be checked again, line by line, without the data.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/coin.h>
#include <evenhand/explain.h>
#include <evenhand/rule.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Of the key that a coin was made with, or "seed 7": 64 hexadecimal digits, the SHA-256 of
// Coin::prefix. From the prefix itself anybody could foretell coins.
std::string fingerprint(const Coin& coin);

struct DecisionReason {
  double probability = 0;
  std::optional<double> threshold = {};  // the score that decides for certain, if one does
  std::optional<double> coin = {};       // if it was thrown: a probability strictly between 0 and 1
  bool decision = false;
  std::string words = {};  // those of Explanation::in_words
};

// A line of the log.
struct LoggedDecision {
  std::string id;
  std::string rule;  // fingerprints
  std::string key;
  std::string cell;  // its name
  double score = 0;
  DecisionReason why;
};

class DecisionLog {
 public:
  explicit DecisionLog(const Rule& rule);

  const std::string& rule_fingerprint() const noexcept { return fingerprint_; }

  // The cell of these values, one for each attribute of the rule, or `unseen_cell`; and its name,
  // which unseen ones have as well. A missing value has no text.
  CellCode cell_of(std::span<const std::optional<std::string>> values) const;
  std::string name_of(std::span<const std::optional<std::string>> values) const;

  // What is decided and why. `coin` is asked only if one has to be thrown. Throws
  // std::out_of_range for an unseen cell unless told otherwise.
  template <class ThrowCoin>
  DecisionReason reason(CellCode cell, double score, Unseen unseen, const ThrowCoin& coin) const {
    const double q = probability(cell, score, unseen);
    std::optional<double> thrown;
    if (q > 0 && q < 1) thrown = coin();
    return explain(cell, score, unseen, q, thrown);
  }

  // What is wrong with a line, in words; empty if nothing is. Without a coin, that of the line is
  // believed.
  std::string wrong_with(const LoggedDecision& line, const Coin* coin) const;

 private:
  double probability(CellCode cell, double score, Unseen unseen) const;
  DecisionReason explain(CellCode cell, double score, Unseen unseen, double q,
                         std::optional<double> coin) const;

  const Rule& rule_;
  std::string fingerprint_;
  std::map<std::string, CellCode> by_name_;
  std::vector<Explanation> of_cell_;  // what holds for everybody in a cell
};

// A line as a file has it: texts that are missing are empty.
struct LogLine {
  std::string id;
  std::string rule;
  std::string key;
  std::string cell;
  std::string reason;
  std::optional<double> score;
  std::optional<double> threshold;
  std::optional<double> probability;
  std::optional<double> coin;
  std::optional<double> decision;
};

struct CheckedLog {
  struct Wrong {
    std::uint64_t line = 0;  // from 1
    std::string id;
    std::string trouble;
  };
  std::uint64_t lines = 0;
  std::uint64_t wrong = 0;
  std::uint64_t by_lot = 0;
  bool coins_checked = false;
  std::vector<Wrong> first = {};  // of those that are wrong, at most ten

  bool passed() const noexcept { return wrong == 0; }
  std::string to_text() const;  // a line for each that is wrong, and what was not checked
  std::string to_json() const;  // an object on one line
};

// Checks a log line by line. Without a coin those of the log are believed.
class LogCheck {
 public:
  LogCheck(const Rule& rule, std::optional<Coin> coin);

  void see(const LogLine& line);
  const CheckedLog& found() const noexcept { return found_; }

 private:
  DecisionLog log_;
  std::optional<Coin> coin_;
  CheckedLog found_;
};

}  // namespace evenhand
