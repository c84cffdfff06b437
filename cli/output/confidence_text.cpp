#include "output/confidence_text.h"

#include <evenhand/text.h>

#include <cmath>

#include <fmt/format.h>

#include "output/figures.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

using Align = Table::Align;
constexpr std::size_t most = 60;  // bytes of a name or value

std::string p_value(double p) {
  return p < 1e-16 ? "< 1e-16" : rounded(p, 3);
}

std::string difference_text(const TestedPair& pair) {
  return fmt::format("{} [{:.1f}, {:.1f}]", percent(pair.difference, 1),
                     100 * pair.difference_interval.low, 100 * pair.difference_interval.high);
}

std::string ratio_text(const TestedPair& pair) {
  return fmt::format(
      "{} [{:.2f}, {}]", pair.ratio ? fmt::format("{:.2f}", *pair.ratio) : "-",
      pair.ratio_interval.low,
      std::isinf(pair.ratio_interval.high) ? "-" : fmt::format("{:.2f}", pair.ratio_interval.high));
}

std::string pairs_table(const AuditTests& tests) {
  Table table({"group", "against", "rate", "difference", "ratio", "std. dev.", "Fisher's p", "Holm",
               "shortfall"},
              {Align::left, Align::left, Align::left, Align::right, Align::right, Align::right,
               Align::right, Align::right, Align::right});
  for (const TestedPair& pair : tests.pairs) {
    table.add({pair.group.in(pair.stratum).text(most), pair.reference.text(most),
               std::string(rate_of(pair.rate).title), difference_text(pair), ratio_text(pair),
               fmt::format("{:.2f}", pair.standard_deviations),
               pair.exact ? p_value(pair.exact->p) : "-", pair.holm_p ? p_value(*pair.holm_p) : "-",
               rounded(std::ceil(pair.shortfall), 15)});
  }
  return table.text();
}

}  // namespace

std::string to_text(const AuditTests& tests) {
  if (!tests.why_no_intervals.empty()) {
    return fmt::format("  No tests of differences: {}.\n", tests.why_no_intervals);
  }
  std::string out = pairs_table(tests);
  if (!tests.why_no_tests.empty()) {
    return out + fmt::format("  No tests: {}.\n", tests.why_no_tests);
  }
  for (const TestedStrata& one : tests.strata) {
    out +=
        fmt::format("  over {} strata, {}, {} against {}: Cochran-Mantel-Haenszel {}, p {}\n",
                    one.strata, rate_of(one.rate).words, one.group.text(most),
                    one.reference.text(most), rounded(one.test.statistic, 6), p_value(one.test.p));
  }
  for (const TestedView& view : tests.views) {
    out += fmt::format("  largest difference, {}{}: {}, by chance as large with p {}\n",
                       rate_of(view.rate).words,
                       tests.views.size() > 1 ? ", groups of " + shown(view.sensitive) : "",
                       percent(view.test.largest_difference), p_value(view.test.p));
  }
  return out;
}

std::string to_text(const AuditConfidence& confidence, const AuditReport& report) {
  std::string out;
  if (confidence.fitted) {
    out += "  The rule was fitted on these very rows, and is bounded as a fit.\n";
  } else if (report.effective) {
    out += "  Rows have weights: they count as so many rows as their effective size.\n";
  }
  return out + to_text(confidence.of(report.scope.relation));
}

std::string to_text(const ConfidenceBound& bound) {
  std::string out;
  for (const std::string& line : bound.in_words()) out += "  " + line + "\n";
  return out;
}

}  // namespace evenhand::cli
