#include <evenhand/bad_row.h>
#include <evenhand/rule.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/settle.h"
#include "support/dyadic.h"
#include "support/infinity.h"

namespace evenhand {
namespace {}  // namespace

Rule::Rule(RuleParts parts) : parts_(std::move(parts)) {
  if (parts_.responses.size() != parts_.cells.size()) {
    throw std::invalid_argument(fmt::format("the rule has {} cells but {} responses",
                                            parts_.cells.size(), parts_.responses.size()));
  }
  if (parts_.level && (*parts_.level < coarsest_level || *parts_.level > finest_level)) {
    throw std::invalid_argument(fmt::format("the rule's level {} is not between {} and {}",
                                            *parts_.level, coarsest_level, finest_level));
  }
  if (!(parts_.otherwise > -infinity)) {
    throw std::invalid_argument("the rule's otherwise is neither a score nor infinity");
  }
  parts_.otherwise += 0.0;  // -0 would not survive a text
  if (parts_.calibrator) {
    if (parts_.calibrator->reading != parts_.reading) {
      throw std::invalid_argument("the rule and its calibrator read scores differently");
    }
    if (parts_.calibrator->by() == CalibrateBy::cell && parts_.calibrator->cells != parts_.cells) {
      throw std::invalid_argument("the rule and its calibrator have different cells");
    }
    parts_.calibrator->settle();
  }
  bool quick = !parts_.level;
  for (CellCode c = 0; c < parts_.responses.size(); ++c) {
    Response& response = parts_.responses[c];
    settle(response, "cell " + parts_.cells.name(c));
    quick = quick && response.shape == Response::Shape::steps && response.points.size() <= 3;
  }
  if (!quick) return;
  const auto lay_out = [&](const Response& response) {
    Quick row{{infinity, infinity, infinity}, {}};
    row.q.fill(response.start);
    for (std::size_t i = 0; i < response.points.size(); ++i) {
      row.from[i] = response.points[i].score;
      std::fill(row.q.begin() + static_cast<std::ptrdiff_t>(i) + 1, row.q.end(),
                response.points[i].q);
    }
    quick_.push_back(row);
  };
  for (const Response& response : parts_.responses) lay_out(response);
  // Two more: what unseen cells get under Unseen::score and under Unseen::reject.
  quick_.push_back({{parts_.otherwise, infinity, infinity}, {0, 1, 1, 1}});
  lay_out({});
}

double Rule::at(CellCode cell, double x) const noexcept {
  return parts_.responses[cell](parts_.level ? cut(x, *parts_.level, parts_.reading) : x);
}

double Rule::probability(CellCode cell, double score) const noexcept {
  if (cell >= parts_.responses.size() || std::isnan(score)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return at(cell, parts_.reading.turn(score));
}

void Rule::probability(std::span<const CellCode> cells, std::span<const double> scores,
                       std::span<double> out, Unseen unseen) const {
  if (cells.size() != scores.size() || out.size() != scores.size()) {
    throw std::invalid_argument(fmt::format("{} scores, {} cells and room for {} probabilities",
                                            scores.size(), cells.size(), out.size()));
  }
  const auto known = static_cast<CellCode>(parts_.responses.size());
  const CellCode instead = unseen == Unseen::reject ? known + 1 : known;
  const double sign = parts_.reading.favorable == Favorable::low ? -1 : 1;
  const double low = parts_.reading.lowest();
  const double high = parts_.reading.highest();
  bool invalid = false;
  bool missing = false;
  if (!quick_.empty()) {
    const Quick* const table = quick_.data();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double x = scores[i] * sign;
      const bool unknown = cells[i] >= known;
      missing |= unknown;
      invalid |= !(x >= low) | !(x <= high);
      const Quick& row = table[unknown ? instead : cells[i]];
      const std::size_t step = std::size_t{x >= row.from[0]} + std::size_t{x >= row.from[1]} +
                               std::size_t{x >= row.from[2]};
      out[i] = row.q[step];
    }
  } else {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double x = parts_.reading.turn(scores[i]);
      if (!parts_.reading.valid(x)) {
        invalid = true;
      } else if (cells[i] < known) {
        out[i] = at(cells[i], x);
      } else {
        missing = true;
        out[i] = unseen == Unseen::score && x >= parts_.otherwise ? 1 : 0;
      }
    }
  }
  if (invalid) {
    const auto bad = std::find_if(scores.begin(), scores.end(), [&](double score) {
      return !parts_.reading.valid(parts_.reading.turn(score));
    });
    throw BadRow(static_cast<std::size_t>(bad - scores.begin()),
                 fmt::format("the score {} is not valid on the {} scale", shortest(*bad),
                             to_string(parts_.reading.scale)));
  }
  if (missing && unseen == Unseen::error) {
    const auto is_unknown = [known](CellCode cell) { return cell >= known; };
    const auto first = std::find_if(cells.begin(), cells.end(), is_unknown);
    const auto count = std::count_if(first, cells.end(), is_unknown);
    const auto row = first - cells.begin();
    throw std::out_of_range(
        count == 1 ? fmt::format("row {} is in a cell that the rule has never seen", row)
                   : fmt::format("{} rows are in cells that the rule has never seen (the first is "
                                 "row {})",
                                 count, row));
  }
}

std::vector<double> Rule::probability(std::span<const CellCode> cells,
                                      std::span<const double> scores, Unseen unseen) const {
  std::vector<double> out(scores.size());
  probability(cells, scores, out, unseen);
  return out;
}

std::vector<CellCode> Rule::known(const Cells& cells, Unseen unseen) const {
  const std::vector<CellCode> ours = translate(cells.names, parts_.cells);
  std::vector<CellCode> codes;
  codes.reserve(cells.codes.size());
  for (const CellCode cell : cells.codes) {
    if (cell >= ours.size()) {
      throw std::out_of_range(
          fmt::format("row {}: there is no cell with code {}", codes.size(), cell));
    }
    codes.push_back(ours[cell]);
  }
  const auto missing = std::find(codes.begin(), codes.end(), unseen_cell);
  if (unseen == Unseen::error && missing != codes.end()) {
    const CellCode cell = cells.codes[static_cast<std::size_t>(missing - codes.begin())];
    const auto count = std::count(cells.codes.begin(), cells.codes.end(), cell);
    const auto first = missing - codes.begin();
    throw std::out_of_range(fmt::format(
        "the rule has never seen the cell {} ({}); refit with such rows, or choose what to do with "
        "them: by score, or reject",
        cells.names.name(cell),
        count == 1 ? fmt::format("row {}", first)
                   : fmt::format("{} rows, the first is row {}", count, first)));
  }
  return codes;
}

std::vector<double> Rule::probability(const Cells& cells, std::span<const double> scores,
                                      Unseen unseen) const {
  return probability(known(cells, unseen), scores, unseen);
}

void Rule::check_cell(CellCode cell) const {
  if (cell < parts_.responses.size()) return;
  throw std::out_of_range(fmt::format("the rule has no cell with code {}, only {} cells", cell,
                                      parts_.responses.size()));
}

bool Rule::decide(CellCode cell, double score, std::string_view id, const Coin& coin) const {
  check_cell(cell);
  if (id.empty()) throw std::invalid_argument("the id is missing");
  const double x = parts_.reading.turn(score);
  if (!parts_.reading.valid(x)) {
    throw std::invalid_argument(fmt::format("the score {} is not valid on the {} scale",
                                            shortest(score), to_string(parts_.reading.scale)));
  }
  const double q = at(cell, x);
  return q > 0 && q < 1 ? coin(id) < q : q == 1;
}

std::vector<std::uint8_t> Rule::decide(const Cells& cells, std::span<const double> scores,
                                       const Texts& ids, const Coin& coin, Unseen unseen) const {
  if (ids.size() != scores.size()) {
    throw std::invalid_argument(fmt::format("{} scores but {} ids", scores.size(), ids.size()));
  }
  const std::vector<double> q = probability(cells, scores, unseen);
  std::vector<std::uint8_t> out(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (ids[i].empty()) throw BadRow(i, "the id is missing");
    const bool fractional = q[i] > 0 && q[i] < 1;
    out[i] = fractional ? coin(ids[i]) < q[i] : q[i] == 1;
  }
  return out;
}

std::vector<std::uint8_t> Rule::decide(const Cells& cells, std::span<const double> scores,
                                       const Coin& coin, Unseen unseen) const {
  const std::vector<double> q = probability(cells, scores, unseen);
  std::vector<std::uint8_t> out(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    const bool fractional = q[i] > 0 && q[i] < 1;
    out[i] = fractional ? coin(std::uint64_t{i}) < q[i] : q[i] == 1;
  }
  return out;
}

}  // namespace evenhand
