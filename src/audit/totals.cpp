#include "audit/totals.h"

#include <evenhand/text.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/tabulate.h"
#include "rule/plain_responses.h"
#include "support/dyadic.h"

namespace evenhand {
namespace {

// The cells with the most people first: "the rule has never seen sex=X (3 rows); ...".
[[noreturn]] void refuse_unseen(const Tally& tally, std::vector<CellCode> cells) {
  constexpr std::size_t named = 3;
  std::stable_sort(cells.begin(), cells.end(),
                   [&](CellCode a, CellCode b) { return tally.total(a).n > tally.total(b).n; });
  std::string found;
  for (std::size_t i = 0; i < cells.size() && i < named; ++i) {
    const double n = tally.total(cells[i]).n;
    found += fmt::format("{}{} ", i > 0 ? "; " : "", tally.cells().name(cells[i]));
    found += tally.unit_weights()
                 ? fmt::format("({} row{})", with_commas(std::size_t(n)), n == 1 ? "" : "s")
                 : fmt::format("(weight {})", rounded(n, 6));
  }
  if (cells.size() > named) found += fmt::format("; and {} more cells", cells.size() - named);
  throw std::out_of_range("the rule has never seen " + found);
}

}  // namespace

double Decider::operator()(CellCode cell, double x, const Reading& reading) const {
  return responses[cell](level ? cut(x, *level, reading) : x);
}

Decider decider_from(const Tally& tally, double from) {
  return {std::vector<Response>(tally.cells().size(), from_score(from))};
}

Decider decider_by(const Tally& tally, const Rule& rule, Unseen unseen) {
  const RuleParts& parts = rule.parts();
  if (parts.reading != tally.reading()) {
    throw std::invalid_argument("the rule and the tally read scores differently");
  }
  Decider out{{}, parts.level};
  const std::vector<CellCode> codes = translate(tally.cells(), rule.cells());
  for (CellCode c = 0; c < codes.size(); ++c) {
    if (codes[c] != unseen_cell) {
      out.responses.push_back(parts.responses[codes[c]]);
      continue;
    }
    out.unseen.push_back(c);
    out.responses.push_back(unseen == Unseen::score ? from_score(parts.otherwise) : always(0));
  }
  if (!out.unseen.empty() && unseen == Unseen::error) refuse_unseen(tally, out.unseen);
  return out;
}

std::vector<Totals> totals_under(const Tally& tally, const Decider& decider, const Outlook& outlook,
                                 bool by_labels) {
  const Tally::Data& data = tally.data();
  const std::vector<Response>& responses = decider.responses;
  std::vector<Totals> totals(responses.size());
  const auto add = [&](CellCode c, double q, double n, double positives) {
    totals[c] += {n, positives, q * n, q * positives, q > 0 && q < 1 ? n : 0};
  };
  const bool steps = std::all_of(responses.begin(), responses.end(), [](const Response& r) {
    return r.shape == Response::Shape::steps;
  });
  if (!steps || decider.level) {
    const Sorted& sorted = data.sorted();
    for (CellCode c = 0; c < totals.size(); ++c) {
      for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
        const double x = sorted.score[i];
        add(c, decider(c, x, data.reading), sorted.n(i),
            by_labels ? sorted.n1[i] : sorted.n(i) * outlook.probability(c, x));
      }
    }
    return totals;
  }
  std::vector<std::vector<double>> cuts(totals.size());
  for (CellCode c = 0; c < totals.size(); ++c) {
    for (const Point& point : responses[c].points) cuts[c].push_back(point.score);
  }
  const bool expects = !by_labels && outlook.known();
  const auto sums = tabulate(data, cuts, expects ? &outlook : nullptr, 0);
  for (CellCode c = 0; c < totals.size(); ++c) {
    for (std::size_t i = 0; i < sums[c].size(); ++i) {
      const double q = i == 0 ? responses[c].start : responses[c].points[i - 1].q;
      add(c, q, sums[c][i].n, by_labels ? sums[c][i].n1 : sums[c][i].p);
    }
  }
  return totals;
}

}  // namespace evenhand
