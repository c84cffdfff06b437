// explain: why somebody got a decision, and which score would have been needed, in words that a
// letter to that person could use.
#pragma once

#include <evenhand/rule.h>
#include <evenhand/soft_rule.h>

#include <optional>
#include <span>
#include <string>

namespace evenhand {

struct Explanation {
  std::string group;                // "sex=F"; "everyone" where the rule sees none
  bool unseen = false;              // the rule does not know that group: Unseen decided
  double score = 0;                 // these are in the caller's own scale
  double probability = 0;           // of a positive decision
  std::optional<double> coin = {};  // that was drawn, in [0, 1): positive if below the probability
  // none: only a coin can say, and none was given
  std::optional<bool> positive = {};
  Favorable favorable = Favorable::high;
  // False where a better score lowers the chance, which prices of rates given the outcome may do to
  // people with some columns (soft.h): no score is needed then.
  bool rises = true;
  bool whatever_the_score = false;  // every score gets a positive decision for certain
  // Decisions are positive from this score on (up to it, where low scores are favourable), for
  // certain, and with some chance at least; none: no score does that.
  std::optional<double> for_certain = {};
  std::optional<double> for_a_chance = {};

  // "negative: the score is 0.42; a positive decision needs 0.4515 or more. From 0.4402 on, a draw
  // decides."
  std::string in_words() const;
};

// About one person. The coin is one of a Coin for that person. Throws std::invalid_argument for a
// score that is not valid in the rule's scale, std::out_of_range for a cell that is not one of the
// rule's, unless told otherwise.
Explanation explain(const Rule& rule, CellCode cell, double score, std::optional<double> coin = {},
                    Unseen unseen = Unseen::error);

// The same where groups are known in probability only: the columns stay as they are, in the order
// of parts().columns; each is a number in [0, 1].
Explanation explain(const SoftRule& rule, CellCode stratum, double score,
                    std::span<const double> columns, std::optional<double> coin = {},
                    Unseen unseen = Unseen::error);

// What holds for everybody in a cell, whatever the score, in whole sentences: "A score of 0.4125 or
// more gets a positive decision. From 0.4115 up to 0.4125 a draw decides: 37 in 100 are accepted. A
// lower score gets a negative decision."
std::string letter(const Rule& rule, CellCode cell);

}  // namespace evenhand
