#include <evenhand/bad_row.h>
#include <evenhand/tally.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "support/parallel.h"
#include "tally/data.h"

namespace evenhand {
namespace {

constexpr double exact_sums_below = 0x1p53;

void check_length(std::size_t rows, std::size_t other, std::string_view what) {
  if (rows != other) {
    throw std::invalid_argument(
        fmt::format("there are {} scores but {} {}: columns differ in length", rows, other, what));
  }
}

template <class Visit>
void for_each(const Numbers& column, Visit visit) {
  std::visit(
      [&](const auto& values) {
        for (std::size_t row = 0; row < values.size(); ++row) {
          visit(row, static_cast<double>(values[row]));
        }
      },
      column.view());
}

struct Weights {
  std::vector<double> values;
  bool integers = true;  // and their sum is exact
};

// Products of three weights still have their digits between these two.
constexpr double smallest_weight = 1e-100;
constexpr double largest_sum = 1e100;

Weights read_weights(const Numbers& column, std::string_view what) {
  Weights out{std::vector<double>(column.size())};
  double sum = 0;
  double too_small = 0;
  for_each(column, [&](std::size_t row, double weight) {
    if (!(weight >= 0) || std::isinf(weight)) {
      throw BadRow(row, fmt::format("the {} {} is {}", what, shortest(weight),
                                    std::isnan(weight) ? "not a number"
                                    : weight < 0       ? "negative"
                                                       : "infinite"));
    }
    if (weight > 0 && weight < smallest_weight) too_small = weight;
    out.values[row] = weight;
    out.integers = out.integers && weight == std::floor(weight);
    sum += weight;
  });
  if (!(sum > 0)) throw std::invalid_argument(fmt::format("every {} is zero", what));
  if (std::isinf(sum)) throw std::invalid_argument(fmt::format("the sum of {}s is infinite", what));
  if (too_small > 0 || sum > largest_sum) {
    throw std::invalid_argument(fmt::format(
        "{}s as {} as {} cannot be computed with: multiply all of them by one number", what,
        too_small > 0 ? "small" : "large", shortest(too_small > 0 ? too_small : sum)));
  }
  out.integers = out.integers && sum < exact_sums_below;
  return out;
}

void check_rows(std::size_t rows, std::span<const CellCode> codes) {
  if (rows == 0) throw std::invalid_argument("there are no rows");
  check_length(rows, codes.size(), "cell codes");
}

std::shared_ptr<Tally::Data> settings_of(const Tally::Data& from) {
  auto data = std::make_shared<Tally::Data>();
  data->names = from.names;
  data->reading = from.reading;
  data->resolution = from.resolution;
  data->level = from.level;
  data->labelled = from.labelled;
  data->unit_weights = from.unit_weights;
  data->integer_weights = from.integer_weights;
  return data;
}

CellNames union_of(const CellNames& a, const CellNames& b) {
  std::vector<std::vector<std::string>> cells;
  for (const CellNames* names : {&a, &b}) {
    for (CellCode c = 0; c < names->size(); ++c) {
      cells.emplace_back(names->values(c).begin(), names->values(c).end());
    }
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return {a.attributes(), cells};
}

}  // namespace

CellTotal total_of(const Binned& binned, CellCode cell, std::size_t bin) {
  CellTotal out;
  const double* const weight = binned.weight.empty() ? nullptr : binned.weight.data();
  for (std::size_t part = 0; part < binned.parts; ++part) {
    const std::size_t slot = binned.slot(cell, bin) + part;
    const double n =
        weight ? std::accumulate(weight + binned.start[slot], weight + binned.start[slot + 1], 0.0)
               : static_cast<double>(binned.start[slot + 1] - binned.start[slot]);
    out.n += n;
    if (part == 1) out.n1 += n;
  }
  return out;
}

std::vector<CellTotal> totals_of(const Binned& binned, std::size_t cells) {
  std::vector<CellTotal> totals(cells);
  for (CellCode c = 0; c < cells; ++c) {
    for (std::size_t bin = 0; bin < binned.bins; ++bin) {
      const CellTotal in_bin = total_of(binned, c, bin);
      totals[c].n += in_bin.n;
      totals[c].n1 += in_bin.n1;
    }
  }
  return totals;
}

Tally finish(std::shared_ptr<Tally::Data> data, Sorted sorted) {
  if (const auto cap = data->resolution.cap()) {
    if (const auto level = level_for(sorted, *cap, data->reading)) {
      sorted = coarsen(sorted, *level, data->reading);
      data->level = level;
    }
  }
  data->totals = totals_of(sorted);
  data->binned.reset();
  data->set_sorted(std::move(sorted));
  return Tally(std::move(data));
}

Tally Tally::of(const Numbers& score, const Cells& cells, const TallyOptions& options) {
  return of(score, cells.names, cells.codes, options);
}

Tally Tally::of(const Numbers& score, const CellNames& names, std::span<const CellCode> codes,
                const TallyOptions& options) {
  const Team team;
  check_rows(score.size(), codes);
  auto data = std::make_shared<Data>();
  data->names = names;
  data->reading = {options.scale, options.favorable};
  data->resolution = options.resolution;
  data->level = options.resolution.fixed_level();
  if (options.label.given()) {
    check_length(score.size(), options.label.size(), "labels");
    data->labelled = true;
  }
  Weights weights;
  if (options.weight.given()) {
    check_length(score.size(), options.weight.size(), "weights");
    weights = read_weights(options.weight, "weight");
    data->unit_weights = false;
    data->integer_weights = weights.integers;
  }
  // Bins stay unsorted where that cannot be told from outside: while every score is kept, and sums
  // do not depend on their order.
  const bool stay = data->resolution == Resolution::exact() && data->integer_weights;
  BinnedRows rows = bin_rows({score, codes, options.label, weights.values, options.borrow_scores},
                             names.size(), data->reading, data->level, options.threads, !stay);
  if (stay) {
    data->totals = totals_of(rows.binned, names.size());
    data->set_binned(std::move(rows));
    return Tally(std::move(data));
  }
  Sorted sorted = sort_bins(rows.binned, names.size(), options.threads);
  return finish(std::move(data), std::move(sorted));
}

Tally Tally::counted(const Numbers& score, const Numbers& count, const Cells& cells,
                     const CountedOptions& options) {
  check_rows(score.size(), cells.codes);
  check_length(score.size(), count.size(), "counts");
  if (options.level && !options.resolution.cap()) {
    throw std::invalid_argument(
        "only scores of a resolution with a cap can have a level of its own");
  }
  const Weights counts = read_weights(count, "count");
  auto data = std::make_shared<Data>();
  data->names = cells.names;
  data->reading = {options.scale, options.favorable};
  data->resolution = options.resolution;
  data->level = options.level ? options.level : options.resolution.fixed_level();
  data->integer_weights = counts.integers;
  data->unit_weights = counts.integers && !options.weighted;
  if (!options.positives.given()) {
    const Binned binned = bin_rows({score, cells.codes, {}, counts.values}, cells.names.size(),
                                   data->reading, data->level, 0, true)
                              .binned;
    return finish(std::move(data), sort_bins(binned, cells.names.size(), 0));
  }
  // With labels each line is two rows: its unfavourable and its favourable outcomes.
  data->labelled = true;
  check_length(score.size(), options.positives.size(), "counts of positives");
  const std::size_t lines = score.size();
  std::vector<double> scores(2 * lines);
  std::vector<CellCode> codes(2 * lines);
  std::vector<std::uint8_t> labels(2 * lines);
  std::vector<double> weights(2 * lines);
  for_each(score, [&](std::size_t line, double value) {
    for (const std::size_t row : {2 * line, 2 * line + 1}) {
      scores[row] = value;
      codes[row] = cells.codes[line];
      labels[row] = row % 2;
    }
  });
  for_each(options.positives, [&](std::size_t line, double positives) {
    if (!(positives >= 0 && positives <= counts.values[line])) {
      throw BadRow(line, fmt::format("{} positives among {} rows", shortest(positives),
                                     shortest(counts.values[line])));
    }
    weights[2 * line] = counts.values[line] - positives;
    weights[2 * line + 1] = positives;
    if (positives != std::floor(positives)) data->integer_weights = data->unit_weights = false;
  });
  const Binned binned = [&] {
    try {
      return bin_rows({scores, codes, labels, weights}, cells.names.size(), data->reading,
                      data->level, 0, true)
          .binned;
    } catch (const std::invalid_argument&) {
      // Say the line that was given, not the row made of it.
      bin_rows({score, cells.codes, {}, {}}, cells.names.size(), data->reading, data->level, 0,
               true);
      throw;
    }
  }();
  return finish(std::move(data), sort_bins(binned, cells.names.size(), 0));
}

Tally Tally::merge(const Tally& other) const {
  const Data& a = *data_;
  const Data& b = *other.data_;
  const auto refuse = [](std::string_view what) {
    throw std::invalid_argument(fmt::format("tallies with different {} do not merge", what));
  };
  if (a.names.attributes() != b.names.attributes()) refuse("attributes");
  if (a.reading != b.reading) refuse("scales or directions");
  if (a.resolution != b.resolution) refuse("resolutions");
  if (a.labelled != b.labelled) {
    throw std::invalid_argument("a tally with labels does not merge with one without");
  }
  auto data = settings_of(a);
  data->names = union_of(a.names, b.names);
  data->unit_weights = a.unit_weights && b.unit_weights;
  data->integer_weights =
      a.integer_weights && b.integer_weights && a.weight() + b.weight() < exact_sums_below;
  // Both to the coarser level first; finish() lowers it further where the cap demands it.
  if (b.level && (!a.level || *b.level < *a.level)) data->level = b.level;
  const auto at_level = [&](const Data& input) {
    return data->level && input.level != data->level
               ? coarsen(input.sorted(), *data->level, data->reading)
               : Sorted{};
  };
  const Sorted coarser_a = at_level(a);
  const Sorted coarser_b = at_level(b);
  const std::vector<const Sorted*> inputs = {coarser_a.start.empty() ? &a.sorted() : &coarser_a,
                                             coarser_b.start.empty() ? &b.sorted() : &coarser_b};
  const std::vector<std::vector<CellCode>> to = {translate(a.names, data->names),
                                                 translate(b.names, data->names)};
  Sorted sum = add_up(inputs, to, data->names.size(), data->labelled);
  return finish(std::move(data), std::move(sum));
}

Tally Tally::project(std::span<const std::string> attributes) const {
  std::vector<std::size_t> position;
  for (const std::string& name : attributes) position.push_back(cells().attribute(name));
  const auto values_of = [&](CellCode c) {
    std::vector<std::string> values;
    for (const std::size_t p : position) values.push_back(cells().values(c)[p]);
    return values;
  };
  std::vector<std::vector<std::string>> kept;
  for (CellCode c = 0; c < cells().size(); ++c) kept.push_back(values_of(c));
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  auto data = settings_of(*data_);
  data->names = CellNames({attributes.begin(), attributes.end()}, kept);
  const Sorted* const input = &data_->sorted();
  const std::vector<std::vector<CellCode>> to = {translate(cells(), data->names)};
  Sorted sum = add_up(std::span(&input, 1), to, data->names.size(), data->labelled);
  return finish(std::move(data), std::move(sum));
}

const CellNames& Tally::cells() const noexcept {
  return data_->names;
}
const Reading& Tally::reading() const noexcept {
  return data_->reading;
}
const Resolution& Tally::resolution() const noexcept {
  return data_->resolution;
}
std::optional<int> Tally::level() const noexcept {
  return data_->level;
}
bool Tally::labelled() const noexcept {
  return data_->labelled;
}
bool Tally::unit_weights() const noexcept {
  return data_->unit_weights;
}

void Tally::check_cell(CellCode cell) const {
  if (cell < data_->names.size()) return;
  throw std::out_of_range(
      fmt::format("the tally has no cell with code {}, only {} cells", cell, data_->names.size()));
}

const CellTotal& Tally::total(CellCode cell) const {
  check_cell(cell);
  return data_->totals[cell];
}

CellTotal Tally::total() const noexcept {
  CellTotal sum;
  for (const CellTotal& total : data_->totals) {
    sum.n += total.n;
    sum.n1 += total.n1;
  }
  return sum;
}

std::vector<Entry> Tally::entries(CellCode cell) const {
  check_cell(cell);
  const Sorted& sorted = data_->sorted();
  std::vector<Entry> out;
  out.reserve(sorted.start[cell + 1] - sorted.start[cell]);
  for (std::size_t i = sorted.start[cell]; i < sorted.start[cell + 1]; ++i) {
    out.push_back({sorted.score[i], sorted.n(i), sorted.positives(i)});
  }
  return out;
}

std::size_t Tally::distinct_scores(CellCode cell) const {
  check_cell(cell);
  const std::vector<std::size_t>& start = data_->sorted().start;
  return start[cell + 1] - start[cell];
}

bool Tally::operator==(const Tally& other) const {
  const Data& a = *data_;
  const Data& b = *other.data_;
  const auto same = [](const Sorted& x, const Sorted& y) {
    return x.start == y.start && x.score == y.score && x.counts == y.counts && x.n1 == y.n1;
  };
  return a.names == b.names && a.reading == b.reading && a.resolution == b.resolution &&
         a.level == b.level && a.labelled == b.labelled && a.unit_weights == b.unit_weights &&
         same(a.sorted(), b.sorted());
}

}  // namespace evenhand
