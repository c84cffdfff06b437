#include <evenhand/audit_limits.h>
#include <evenhand/text.h>

#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {
namespace {

constexpr double rounding = 1e-9;  // a rule fitted to a tolerance keeps it up to this

// One figure with both of its sides, and what may not be shown, or must be.
void judge_shown(const ConfidenceBound& bound, const std::optional<double>& not_beyond,
                 const std::optional<double>& within, std::vector<std::string>& out) {
  const char* const figure = bound.is_ratio ? "the smallest ratio" : "the largest difference";
  const char* const bad_side = bound.is_ratio ? "below" : "above";
  const char* const good_side = bound.is_ratio ? "above" : "below";
  const std::string sure = fmt::format("({} % confidence)", rounded(100 * bound.confidence, 6));
  const auto beyond = [&](double value, double limit) {
    return bound.is_ratio ? value < limit - rounding : value > limit + rounding;
  };
  if (not_beyond && bound.shown && beyond(*bound.shown, *not_beyond)) {
    out.push_back(fmt::format("the data show that {} is {} {}: at {} {} {}", figure, bad_side,
                              rounded(*not_beyond, 6), bound.is_ratio ? "most" : "least",
                              rounded(*bound.shown, 6), sure));
  }
  if (within && !(bound.value && !beyond(*bound.value, *within))) {
    out.push_back(fmt::format(
        "the data do not show that {} is {} {}: {}", figure, good_side, rounded(*within, 6),
        bound.value ? fmt::format("it may be {} {}", rounded(*bound.value, 6), sure)
                    : bound.reason));
  }
}

}  // namespace

bool AuditLimits::about_new_people() const noexcept {
  return if_shown_above || unless_shown_below || if_shown_ratio_below || unless_shown_ratio_above;
}

std::vector<std::string> exceeded(const AuditLimits& limits, const AuditedExtremes& found) {
  const bool new_people = limits.about_new_people();
  if ((limits.fail_above || limits.fail_below || new_people) &&
      !(found.difference && found.ratio)) {
    throw std::invalid_argument("there are no two groups to compare");
  }
  if (new_people && !(found.difference_bound && found.ratio_bound)) {
    throw std::invalid_argument("there are no bounds for new people");
  }
  std::vector<std::string> out;
  if (limits.fail_above && *found.difference > *limits.fail_above + rounding) {
    out.push_back(fmt::format("the largest difference is {}, above {}",
                              rounded(*found.difference, 6), rounded(*limits.fail_above, 6)));
  }
  if (limits.fail_below && *found.ratio < *limits.fail_below - rounding) {
    out.push_back(fmt::format("the smallest ratio is {}, below {}", rounded(*found.ratio, 6),
                              rounded(*limits.fail_below, 6)));
  }
  if (new_people) {
    judge_shown(*found.difference_bound, limits.if_shown_above, limits.unless_shown_below, out);
    judge_shown(*found.ratio_bound, limits.if_shown_ratio_below, limits.unless_shown_ratio_above,
                out);
  }
  return out;
}

}  // namespace evenhand
