#include "report/categories.h"

#include <algorithm>

#include "audit/totals.h"
#include "rule/grouping.h"

namespace evenhand::report {
namespace {

// The middle score, or the mean of the two middle ones; turned, so that above it is favourable.
double median_score(const Tally& tally) {
  std::vector<Entry> all;
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    const std::vector<Entry> some = tally.entries(c);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Entry& a, const Entry& b) { return a.score < b.score; });
  const double half = tally.total().n / 2;
  double below = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    below += all[i].n;
    if (below > half) return all[i].score;
    if (below == half && i + 1 < all.size()) {
      return all[i].score / 2 + all[i + 1].score / 2;
    }
  }
  return 0;
}

std::vector<double> above_median(const Tally& tally) {
  const double median = median_score(tally);
  std::vector<double> out(tally.cells().size());
  for (CellCode c = 0; c < out.size(); ++c) {
    for (const Entry& entry : tally.entries(c)) {
      if (entry.score > median) out[c] += entry.n;
    }
  }
  return out;
}

bool unknown(const std::vector<std::string>& values, const std::string& null) {
  return null != "error" && null != "exclude" && !null.empty() &&
         std::find(values.begin(), values.end(), null) != values.end();
}

Categories by(const Subject& subject, const std::vector<std::string>& attributes,
              const std::vector<Totals>& totals, const std::vector<double>& above) {
  Categories out{.title = listed(attributes), .each = {}};
  const TallySource& source = subject.data.stored.source;
  double known = 0;
  for (const CellGroup& group : group_cells(subject.tally().cells(), attributes)) {
    Category one{.name = GroupName{attributes, group.values}.text(), .count = {}};
    for (const CellCode c : group.cells) {
      one.count.rows += totals[c].n;
      one.count.positive += totals[c].selected;
      one.above += above[c];
    }
    if (one.count.rows <= 0) continue;
    one.count.positive = std::min(whole_people(one.count.positive), one.count.rows);
    one.unknown = unknown(group.values, source.null);
    (one.unknown ? out.unknown : known) += one.count.rows;
    out.each.push_back(std::move(one));
  }
  out.unknown += static_cast<double>(source.excluded);
  for (Category& one : out.each) {
    one.small = one.count.rows < subject.options.smallest_category * known;
    if (one.small || one.unknown) continue;
    const double rate = one.count.positive / one.count.rows;
    const double scoring = one.above / one.count.rows;
    if (!out.highest_rate || rate > *out.highest_rate) out.highest_rate = rate;
    if (!out.highest_scoring || scoring > *out.highest_scoring) out.highest_scoring = scoring;
  }
  return out;
}

}  // namespace

std::vector<Categories> categories_of(const Subject& subject) {
  const std::vector<std::string>& asked =
      subject.options.categories.empty() ? subject.roles().sensitive : subject.options.categories;
  for (const std::string& name : asked) static_cast<void>(subject.tally().cells().attribute(name));
  const std::vector<Totals> totals = subject.totals();
  const std::vector<double> above = above_median(subject.tally());
  std::vector<Categories> out;
  for (const std::string& name : asked) out.push_back(by(subject, {name}, totals, above));
  if (asked.size() > 1) {
    out.push_back(by(subject, asked, totals, above));
  }
  return out;
}

}  // namespace evenhand::report
