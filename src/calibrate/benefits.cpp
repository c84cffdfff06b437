#include <evenhand/benefits.h>
#include <evenhand/requirement.h>

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "calibrate/borrowed.h"
#include "calibrate/pool.h"
#include "rule/grouping.h"

namespace evenhand {
namespace {

// The outcomes that rates of the criterion divide by.
struct Needed {
  bool good = false;
  bool bad = false;
};

Needed needed_by(const Criterion& criterion) {
  Needed out;
  for (const Rate rate : criterion.rates) {
    out.good = out.good || rate == Rate::true_positive;
    out.bad = out.bad || rate == Rate::false_positive;
  }
  for (const std::string& text : criterion.require) {
    for (const RequirementTerm& term : parse_requirement(text).terms) {
      out.good = out.good || term.measure == Measure::tpr;
      out.bad = out.bad || term.measure == Measure::fpr;
    }
  }
  return out;
}

enum class Lacking { nothing, good, bad };

Lacking lacking(const CellTotal& total, const Needed& needed) {
  if (total.n > 0 && total.n1 == 0 && needed.good) return Lacking::good;
  if (total.n > 0 && total.n1 == total.n && needed.bad) return Lacking::bad;
  return Lacking::nothing;
}

bool lends(const CellTotal& total, Lacking what) {
  return what == Lacking::good ? total.n1 > 0 : total.n1 < total.n;
}

std::vector<CellCode> lenders(const Tally& tally, const std::vector<CellCode>& among,
                              Lacking what) {
  std::vector<CellCode> out;
  for (const CellCode c : among) {
    if (lends(tally.total(c), what)) out.push_back(c);
  }
  return out;
}

// The entries of several cells as those of one.
Sorted as_one_cell(const Sorted& sorted, const std::vector<CellCode>& cells) {
  std::vector<Entry> list;
  for (const CellCode c : cells) {
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      list.push_back({sorted.score[i], sorted.n(i), sorted.n1[i]});
    }
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Entry& a, const Entry& b) { return a.score < b.score; });
  Sorted out;
  for (const Entry& entry : list) {
    if (out.score.empty() || out.score.back() != entry.score) {
      out.score.push_back(entry.score);
      out.counts.push_back(0);
      out.n1.push_back(0);
    }
    out.counts.back() += entry.n;
    out.n1.back() += entry.n1;
  }
  out.start = {0, out.score.size()};
  return out;
}

class Borrowing {
 public:
  Borrowing(const Tally& tally, const Criterion& criterion)
      : tally_(tally),
        needed_(tally.labelled() ? needed_by(criterion) : Needed{}),
        stratum_of_(tally.cells().size()),
        benefits_(tally.cells().size(), Benefits::own) {
    for (CellCode c = 0; c < benefits_.size(); ++c) {
      everybody_.push_back(c);
      any_ = any_ || lacking(tally.total(c), needed_) != Lacking::nothing;
    }
    if (!any_) return;
    strata_ = group_cells(tally.cells(), criterion.roles.within);
    any_ = false;
    for (std::size_t s = 0; s < strata_.size(); ++s) {
      for (const CellCode c : strata_[s].cells) {
        stratum_of_[c] = s;
        const Lacking what = lacking(tally.total(c), needed_);
        if (what == Lacking::nothing) continue;
        benefits_[c] = !lenders(tally, strata_[s].cells, what).empty() ? Benefits::stratum
                       : !lenders(tally, everybody_, what).empty()     ? Benefits::everybody
                                                                       : Benefits::own;
        any_ = any_ || benefits_[c] != Benefits::own;
      }
    }
  }

  const std::vector<Benefits>& benefits() const { return benefits_; }
  bool any() const { return any_; }

  Sorted entries() {
    const Sorted& rows = tally_.data().sorted();
    Sorted out = rows;
    for (CellCode c = 0; c < benefits_.size(); ++c) {
      if (benefits_[c] == Benefits::own) continue;
      const Response& share = share_for(c);
      for (std::size_t i = rows.start[c]; i < rows.start[c + 1]; ++i) {
        out.n1[i] = rows.n(i) * share(rows.score[i]);
      }
    }
    return out;
  }

 private:
  // All that lack the same in a stratum have the same lenders.
  const Response& share_for(CellCode c) {
    const Lacking what = lacking(tally_.total(c), needed_);
    const bool near = benefits_[c] == Benefits::stratum;
    const std::size_t from = near ? stratum_of_[c] : strata_.size();
    const auto [found, is_new] = shares_.try_emplace({from, what});
    if (is_new) {
      const Sorted together = as_one_cell(
          tally_.data().sorted(), lenders(tally_, near ? strata_[from].cells : everybody_, what));
      found->second = isotonic_share(together, 0, tally_.data().integer_weights);
    }
    return found->second;
  }

  const Tally& tally_;
  Needed needed_;
  std::vector<std::size_t> stratum_of_;
  std::vector<Benefits> benefits_;
  std::vector<CellCode> everybody_;
  std::vector<CellGroup> strata_;
  bool any_ = false;
  std::map<std::pair<std::size_t, Lacking>, Response> shares_;
};

std::string named(const std::vector<CellCode>& cells, const CellNames& names) {
  constexpr std::size_t most = 20;
  std::string out;
  for (std::size_t i = 0; i < cells.size() && i < most; ++i) {
    out += (i == 0 ? "" : "; ") + names.name(cells[i]);
  }
  return cells.size() > most ? fmt::format("{} and {} more", out, cells.size() - most) : out;
}

std::shared_ptr<Tally::Data> with_entries(const Tally::Data& rows, Sorted entries) {
  auto out = std::make_shared<Tally::Data>();
  out->names = rows.names;
  out->reading = rows.reading;
  out->resolution = rows.resolution;
  out->level = rows.level;
  out->labelled = true;
  out->unit_weights = rows.unit_weights;
  out->integer_weights = false;
  out->totals = totals_of(entries);
  out->set_sorted(std::move(entries));
  return out;
}

}  // namespace

std::string_view to_string(Benefits benefits) noexcept {
  return benefits == Benefits::own       ? "own"
         : benefits == Benefits::stratum ? "stratum"
                                         : "everybody";
}

bool lacks_outcomes(const CellTotal& total, const Criterion& criterion) {
  return lacking(total, needed_by(criterion)) != Lacking::nothing;
}

std::vector<Benefits> benefits_of(const Tally& tally, const Criterion& criterion) {
  const Borrowing borrowing(tally, criterion);
  return borrowing.any() ? borrowing.benefits() : std::vector<Benefits>();
}

Tally with_borrowed_outcomes(const Tally& tally, const Criterion& criterion) {
  Borrowing borrowing(tally, criterion);
  if (!borrowing.any()) return tally;
  return Tally(with_entries(tally.data(), borrowing.entries()));
}

Tally with_borrowed_benefits(const Tally& tally, const Criterion& criterion) {
  Borrowing borrowing(tally, criterion);
  if (!borrowing.any()) return tally;
  const std::shared_ptr<Tally::Data> data = with_entries(tally.data(), borrowing.entries());
  data->totals = tally.data().totals;
  return Tally(data);
}

std::vector<std::string> borrowing_in_words(const Tally& tally, const Criterion& criterion) {
  const std::vector<Benefits> benefits = benefits_of(tally, criterion);
  std::map<std::pair<bool, Benefits>, std::vector<CellCode>> borrowers;
  for (CellCode c = 0; c < benefits.size(); ++c) {
    if (benefits[c] == Benefits::own) continue;
    borrowers[{tally.total(c).n1 > 0, benefits[c]}].push_back(c);
  }
  std::vector<std::string> out;
  for (const auto& [kind, cells] : borrowers) {
    const auto& [favourable, from] = kind;
    const bool one = cells.size() == 1;
    const char* const its = one ? "its" : "their";
    const std::string lenders = from == Benefits::everybody      ? "all groups"
                                : criterion.roles.within.empty() ? "the other groups"
                                : one                            ? "the other groups of its stratum"
                                      : "the other groups of their strata";
    out.push_back(fmt::format(
        "{} {} no {}favourable outcomes, so that {} labels say nothing of {} scores: decided by "
        "the pooled outcomes of {}",
        named(cells, tally.cells()), one ? "has" : "have", favourable ? "un" : "", its, its,
        lenders));
  }
  return out;
}

}  // namespace evenhand
