#include <evenhand/audit_report.h>
#include <evenhand/text.h>

#include <fmt/format.h>

namespace evenhand {
namespace {

constexpr std::size_t shortened = 60;

}  // namespace

std::string GroupName::text(std::size_t most) const {
  if (attributes.empty()) return "everybody";
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}{}={}", i > 0 ? ", " : "", quoted_if_needed(attributes[i], most),
                       quoted_if_needed(values[i], most));
  }
  return out;
}

GroupName GroupName::in(const GroupName& stratum) const {
  GroupName out = *this;
  for (const auto part : {&GroupName::attributes, &GroupName::values}) {
    (out.*part).insert((out.*part).end(), (stratum.*part).begin(), (stratum.*part).end());
  }
  return out;
}

std::string in_words(const Gap& gap) {
  std::string out =
      fmt::format("{}: {} {}, {} {}", rate_of(gap.rate).words, gap.high.text(shortened),
                  percent(gap.high_rate), gap.low.text(shortened), percent(gap.low_rate));
  if (!gap.stratum.attributes.empty()) {
    out += fmt::format(" (within {})", gap.stratum.text(shortened));
  }
  return out;
}

std::string headline(const AuditReport& report) {
  if (!report.largest_difference || !report.smallest_ratio) {
    return "there are no two groups to compare";
  }
  if (report.scope.relation == Relation::ratio) {
    return fmt::format("smallest ratio {:.3f} of the {}", report.smallest_ratio->ratio(),
                       in_words(*report.smallest_ratio));
  }
  return fmt::format("largest difference {} in the {}",
                     percent(report.largest_difference->difference()),
                     in_words(*report.largest_difference));
}

}  // namespace evenhand
