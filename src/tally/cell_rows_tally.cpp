// The rows of all cells as one tally.
#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "support/parallel.h"
#include "tally/cell_rows_access.h"
#include "tally/scatter.h"

namespace evenhand {
namespace {

// Part of the rows of one cell and outcome: what one task puts into bins.
struct Portion {
  CellCode cell;
  std::size_t part;
  std::vector<std::span<const double>> blocks;
  std::vector<std::size_t> next;  // for each bin: where its next row goes
};

std::vector<Portion> portions_of(std::span<const CellRows> cells, std::size_t parts) {
  constexpr std::size_t worthwhile = std::size_t{1} << 18U;
  std::vector<Portion> out;
  for (CellCode c = 0; c < cells.size(); ++c) {
    for (std::size_t part = 0; part < parts; ++part) {
      std::size_t room = 0;  // in the last portion
      for (std::span<const double> rest : CellRowsAccess::scores(cells[c], part)) {
        while (!rest.empty()) {
          if (room == 0) {
            out.push_back({c, part, {}, {}});
            room = worthwhile;
          }
          const auto some = rest.first(std::min(rest.size(), room));
          out.back().blocks.push_back(some);
          room -= some.size();
          rest = rest.subspan(some.size());
        }
      }
    }
  }
  return out;
}

void choose_range(const std::vector<Portion>& portions, Binned& out) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Portion& portion : portions) {
    for (const std::span<const double> block : portion.blocks) {
      // Some of the rows will do: bins only have to be even enough.
      for (std::size_t i = 0; i < block.size(); i += 1 + block.size() / 32) {
        low = std::min(low, block[i]);
        high = std::max(high, block[i]);
      }
    }
  }
  if (!(low < high)) return;  // everything in one bin
  out.low = low;
  out.per_unit = static_cast<double>(out.bins) / (high - low);
  if (!std::isfinite(out.per_unit)) out.per_unit = 0;
}

Binned bin_lists(std::span<const CellRows> cells, bool labelled) {
  Binned out;
  out.parts = labelled ? 2 : 1;
  std::size_t rows = 0;
  for (const CellRows& cell : cells) rows += CellRowsAccess::listed(cell);
  out.bins = bins_for(rows, cells.size() * out.parts);
  std::vector<Portion> portions = portions_of(cells, out.parts);
  choose_range(portions, out);
  parallel(portions.size(), 0, [&](std::size_t task) {
    Portion& portion = portions[task];
    portion.next.assign(out.bins, 0);
    for (const std::span<const double> block : portion.blocks) {
      for (const double x : block) ++portion.next[out.bin_of(x)];
    }
  });
  // Rows of a slot lie together, portion after portion. Portions ascend by cell and part.
  out.start.reserve(cells.size() * out.bins * out.parts + 1);
  std::size_t total = 0;
  auto first = portions.begin();
  for (CellCode c = 0; c < cells.size(); ++c) {
    auto last = first;
    while (last != portions.end() && last->cell == c) ++last;
    for (std::size_t bin = 0; bin < out.bins; ++bin) {
      for (std::size_t part = 0; part < out.parts; ++part) {
        out.start.push_back(total);
        for (auto portion = first; portion != last; ++portion) {
          if (portion->part == part) total += std::exchange(portion->next[bin], total);
        }
      }
    }
    first = last;
  }
  out.start.push_back(total);
  Doubles score(total);
  parallel(portions.size(), 0, [&](std::size_t task) {
    Portion& portion = portions[task];
    for (const std::span<const double> block : portion.blocks) {
      for (const double x : block) put_into_slot(score, portion.next[out.bin_of(x)]++, x);
    }
  });
  out.set_score(std::move(score));
  return out;
}

Tally weighted_tally(const CellNames& names, std::span<const CellRows> cells,
                     const CellRowsOptions& options) {
  Doubles scores;
  std::vector<double> weights;
  std::vector<std::uint8_t> labels;
  std::vector<CellCode> codes;
  const bool low = options.reading.favorable == Favorable::low;
  for (CellCode c = 0; c < cells.size(); ++c) {
    for (const bool favourable : {false, true}) {
      for (const auto& block : CellRowsAccess::scores(cells[c], favourable)) {
        for (const double x : block) scores.push_back(options.reading.turn(x));  // and back
      }
      for (const auto& block : CellRowsAccess::weights(cells[c], favourable)) {
        weights.insert(weights.end(), block.begin(), block.end());
      }
    }
    codes.resize(scores.size(), c);
    const std::size_t favourable = CellRowsAccess::listed(cells[c], true);
    labels.resize(scores.size() - favourable, low ? 1 : 0);
    labels.resize(scores.size(), low ? 0 : 1);
  }
  TallyOptions tally_options{.weight = weights,
                             .scale = options.reading.scale,
                             .favorable = options.reading.favorable,
                             .resolution = options.resolution};
  if (options.labelled) tally_options.label = labels;
  return Tally::of(scores, names, codes, tally_options);
}

}  // namespace

Tally tally_of(const CellNames& names, std::span<CellRows> cells, const CellRowsOptions& options) {
  if (names.size() != cells.size()) {
    throw std::invalid_argument("there are as many names as cells");
  }
  std::size_t listed = 0;
  std::size_t rows = 0;
  for (CellRows& cell : cells) {
    CellRowsAccess::flush(cell);
    listed += CellRowsAccess::listed(cell);
    rows += cell.rows();
  }
  if (rows == 0) throw std::invalid_argument("there are no rows");
  if (options.weighted) return weighted_tally(names, cells, options);
  auto data = std::make_shared<Tally::Data>();
  data->names = names;
  data->reading = options.reading;
  data->resolution = options.resolution;
  data->labelled = options.labelled;
  if (listed > 0 && rows - listed <= listed) {
    for (CellRows& cell : cells) CellRowsAccess::list_counts(cell);
    data->binned = bin_lists(cells, options.labelled);
    data->totals = totals_of(*data->binned, names.size());
    return Tally(std::move(data));
  }
  for (const CellRows& cell : cells) {
    const auto level = CellRowsAccess::level(cell);
    if (level && (!data->level || *level < *data->level)) data->level = level;
  }
  parallel(cells.size(), 0,
           [&](std::size_t c) { CellRowsAccess::lower_to(cells[c], data->level); });
  Sorted counted = CellRowsAccess::counts_of(cells);
  if (listed == 0) return finish(std::move(data), std::move(counted));
  const Sorted others = sort_bins(bin_lists(cells, options.labelled), cells.size(), 0);
  std::vector<CellCode> same(cells.size());
  std::iota(same.begin(), same.end(), CellCode{0});
  const std::vector<const Sorted*> both = {&counted, &others};
  const std::vector<std::vector<CellCode>> to = {same, same};
  return finish(std::move(data), add_up(both, to, cells.size(), options.labelled));
}

}  // namespace evenhand
