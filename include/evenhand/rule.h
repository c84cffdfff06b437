// A rule: for every cell, the probability of a positive decision as a nondecreasing function of the
// score. It is all that is needed to decide, and needs none of what found it.
#pragma once

#include <evenhand/calibrator.h>
#include <evenhand/cells.h>
#include <evenhand/coin.h>
#include <evenhand/response.h>
#include <evenhand/scale.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// What to do with people in a cell that the rule does not know.
enum class Unseen {
  error,   // throw std::out_of_range that names the cell
  score,   // decide by the score's benefit alone (Rule::otherwise)
  reject,  // a negative decision
};
std::string_view to_string(Unseen unseen) noexcept;
Unseen unseen_from(std::string_view name);  // throws std::invalid_argument

// What a rule consists of; Rule checks it.
struct RuleParts {
  CellNames cells;
  // For each cell the probability of a positive decision.
  std::vector<Response> responses;
  Reading reading;
  // Cut scores to the intervals [k, k + 1) / 2^level, and take their midpoint (k itself from
  // |k| = 2^52 on), clipped to the scale, before reading a response: for ramps that were fitted on
  // a tally of that resolution.
  std::optional<int> level;
  // Unseen::score decides positively from this turned score on; infinity: never.
  double otherwise = 0.5;
  // Where the benefits came from, if not from the scale. It takes no part in deciding: responses
  // and `otherwise` are in the scores' own scale. Of the same reading and, by cell, the same cells.
  std::optional<Calibrator> calibrator = {};
  bool operator==(const RuleParts&) const = default;
};

class Rule {
 public:
  Rule() = default;                // no cells: everybody is unseen
  explicit Rule(RuleParts parts);  // throws std::invalid_argument that says what is wrong

  const CellNames& cells() const noexcept { return parts_.cells; }
  const RuleParts& parts() const noexcept { return parts_; }

  // For one person; the score is in the caller's own scale. NaN if the cell is not one of the
  // rule's or the score is NaN.
  double probability(CellCode cell, double score) const noexcept;

  // For many. Throws std::invalid_argument for a score that is not valid in the rule's scale (with
  // its row), std::out_of_range for unseen cells unless told otherwise.
  std::vector<double> probability(const Cells& cells, std::span<const double> scores,
                                  Unseen unseen = Unseen::error) const;
  std::vector<double> probability(std::span<const CellCode> cells, std::span<const double> scores,
                                  Unseen unseen = Unseen::error) const;
  void probability(std::span<const CellCode> cells, std::span<const double> scores,
                   std::span<double> out, Unseen unseen = Unseen::error) const;

  // The decision about one person; an empty id throws std::invalid_argument, a cell that is not one
  // of the rule's std::out_of_range.
  bool decide(CellCode cell, double score, std::string_view id, const Coin& coin) const;

  // Decisions, 1 or 0. The same person (id) always gets the same one with the same keyed coin;
  // without ids, the same position with the same seeded coin. An empty id is an error.
  std::vector<std::uint8_t> decide(const Cells& cells, std::span<const double> scores,
                                   const Texts& ids, const Coin& coin,
                                   Unseen unseen = Unseen::error) const;
  std::vector<std::uint8_t> decide(const Cells& cells, std::span<const double> scores,
                                   const Coin& coin, Unseen unseen = Unseen::error) const;

  // In plain words, a line for each cell, scores in the caller's scale.
  std::string describe(CellCode cell) const;
  std::string describe() const;

  // The JSON of docs/formats.md. `fit` is a JSON object that records how the rule was found; it
  // takes no part in deciding.
  std::string to_json(std::string_view fit = {}) const;
  // Throws std::invalid_argument for anything but a well-formed rule of a version it knows.
  static Rule from_json(std::string_view json);

  bool operator==(const Rule& other) const { return parts_ == other.parts_; }

 private:
  // Responses of at most three steps, laid out for arrays of rows: q[number of froms <= x].
  struct Quick {
    std::array<double, 3> from;
    std::array<double, 4> q;
  };

  double at(CellCode cell, double x) const noexcept;
  void check_cell(CellCode cell) const;
  std::vector<CellCode> known(const Cells& cells, Unseen unseen) const;

  RuleParts parts_;
  std::vector<Quick> quick_;  // empty unless every response fits
};

// The `fit` member of a rule's JSON, "{}" if it has none.
std::string fit_record(std::string_view json);

}  // namespace evenhand
