#include <evenhand/bootstrap.h>
#include <evenhand/fit_record.h>
#include <evenhand/side_by_side.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

#include "support/parallel.h"

namespace evenhand {
namespace {

// Rows of one cell, score and outcome.
struct Alike {
  CellCode cell;
  double score;  // the caller's
  bool positive;
  std::size_t first, last;  // numbers of the rows
};

class Resampled {
 public:
  explicit Resampled(const Tally& tally) : tally_(tally) {
    const bool low = tally.reading().favorable == Favorable::low;
    for (CellCode c = 0; c < tally.cells().size(); ++c) {
      for (const Entry& entry : tally.entries(c)) {
        const double score = tally.reading().turn(entry.score);
        const double ones = low && tally.labelled() ? entry.n - entry.n1 : entry.n1;
        add(c, score, true, ones);
        add(c, score, false, entry.n - ones);
      }
    }
  }

  std::size_t size() const { return alike_.empty() ? 0 : alike_.back().last; }

  // The tally of rows that count so often.
  template <class Times>
  Tally tally_of(const Times& times) const {
    Cells cells{tally_.cells(), {}};
    std::vector<double> scores, counts, ones;
    for (const Alike& some : alike_) {
      double count = 0;
      for (std::size_t row = some.first; row < some.last; ++row) count += times(row);
      if (count == 0) continue;
      cells.codes.push_back(some.cell);
      scores.push_back(some.score);
      counts.push_back(count);
      ones.push_back(some.positive ? count : 0);
    }
    CountedOptions options;
    if (tally_.labelled()) options.positives = ones;
    options.scale = tally_.reading().scale;
    options.favorable = tally_.reading().favorable;
    options.resolution = tally_.resolution();
    if (options.resolution.cap()) options.level = tally_.level();
    return Tally::counted(scores, counts, cells, options);
  }

 private:
  void add(CellCode cell, double score, bool positive, double rows) {
    const auto count = static_cast<std::size_t>(rows);
    if (count > 0) alike_.push_back({cell, score, positive, size(), size() + count});
  }

  const Tally& tally_;
  std::vector<Alike> alike_;
};

Refit judged(const std::optional<Tally>& rest, const Tally& all, const Solution& fit,
             const Solution& refit) {
  Refit out;
  const AuditScope scope = scope_of(fit.criterion);
  const std::array rules = {fit.rule, refit.rule};
  const AuditOptions options = auditing_of(refit);
  const Change change = side_by_side(all, scope, rules, options).rules[1].changed();
  out.changed = change.weight > 0 ? (change.to_yes + change.to_no) / change.weight : 0;
  if (!rest) return out;
  const AuditReport report = audit_report(*rest, scope, refit.rule, options);
  out.accuracy = report.audit().overall.figures.accuracy;
  if (fit.criterion.relation == Relation::ratio) {
    if (report.smallest_ratio) out.difference = report.smallest_ratio->ratio();
  } else if (report.largest_difference) {
    out.difference = report.largest_difference->difference();
  }
  return out;
}

}  // namespace

std::vector<Refit> bootstrap(const Tally& tally, const Solution& fit,
                             const BootstrapOptions& options) {
  if (options.times < 1 || options.times > 100'000) {
    throw std::invalid_argument("a bootstrap refits from 1 to 100,000 times");
  }
  if (!tally.unit_weights()) {
    throw std::invalid_argument("a bootstrap draws rows: weighted rows are not supported");
  }
  if (fit.status == Status::approximate) {
    throw std::invalid_argument(
        "a bootstrap refits exactly: the stochastic solver is not supported");
  }
  const Resampled rows(tally);
  SolveOptions solving = fit.options;
  solving.threads = 1;
  std::vector<Refit> out(options.times);
  parallel(options.times, options.threads, [&](std::size_t i) {
    std::seed_seq seeds{options.seed & 0xFFFFFFFFU, options.seed >> 32U, std::uint64_t(i)};
    std::mt19937_64 random(seeds);
    std::vector<std::uint16_t> times(rows.size());
    for (std::size_t draw = 0; draw < rows.size(); ++draw) {
      // Below 2^64 / size a remainder has no bias worth a second draw.
      std::uint16_t& count = times[random() % rows.size()];
      if (count < 0xFFFFU) ++count;
    }
    const Tally drawn = rows.tally_of([&](std::size_t row) { return double(times[row]); });
    Solution refit;
    try {
      refit = solve(drawn, fit.criterion, solving);
    } catch (const std::invalid_argument&) {
      return;  // nothing left to compare
    }
    if (refit.status == Status::infeasible) return;
    std::optional<Tally> rest;
    if (std::find(times.begin(), times.end(), 0) != times.end()) {
      rest = rows.tally_of([&](std::size_t row) { return times[row] == 0 ? 1.0 : 0.0; });
    }
    out[i] = judged(rest, tally, fit, refit);
  });
  return out;
}

}  // namespace evenhand
