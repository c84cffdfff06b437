#include <evenhand/soft_check.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {
namespace {

constexpr std::size_t tenths = 10;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// p_female ends with Female and with male: the longest counts.
std::string value_for(const std::string& column, const std::set<std::string>& values) {
  const std::string name = lower(column);
  std::string best;
  for (const std::string& value : values) {
    if (name.ends_with(lower(value)) && value.size() > best.size()) best = value;
  }
  if (!best.empty()) return best;
  throw std::invalid_argument(
      fmt::format("no true group goes with the column {}: its name must end with one of {}",
                  quoted_if_needed(column, 60), fmt::join(values, ", ")));
}

struct Mean {
  double weight = 0, sum = 0;
  void add(double n, double value) {
    weight += n;
    sum += n * value;
  }
  std::optional<double> get() const {
    return weight > 0 ? std::optional(sum / weight) : std::nullopt;
  }
};

// The weights of people with that outcome alone: with these, rates are true- or false-positive
// ones.
std::vector<double> weights_given(Rate rate, const SoftOutcomes& outcomes,
                                  std::span<const double> weight) {
  std::vector<double> out(outcomes.label.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool good = (outcomes.label[i] == 1) == (outcomes.favorable == Favorable::high);
    const bool counts = good == (rate == Rate::true_positive);
    out[i] = counts ? (weight.empty() ? 1 : weight[i]) : 0;
  }
  return out;
}

}  // namespace

std::string_view soft_assumption(std::span<const Rate> rates, bool given_outcome) noexcept {
  const bool by_outcome =
      std::any_of(rates.begin(), rates.end(), [](Rate rate) { return rate != Rate::selection; });
  if (by_outcome && given_outcome) {
    return "these figures hold only if the columns are calibrated given everything the rule sees "
           "and the outcome";
  }
  if (by_outcome) {
    return "these figures hold only if the columns are calibrated given everything the rule sees, "
           "and group and outcome are independent given that";
  }
  return "these figures hold only if the columns are calibrated given everything the rule sees";
}

bool SoftCheck::calibrated() const noexcept {
  return std::all_of(columns.begin(), columns.end(),
                     [](const SoftCheckedColumn& one) { return one.worst <= warn_above; });
}

std::optional<double> SoftCheck::largest_difference() const {
  std::optional<double> out;
  for (const SoftCheckedColumn& one : columns) {
    if (!one.rate || !one.others) continue;
    out = std::max(out.value_or(0), std::abs(*one.rate - *one.others));
  }
  return out;
}

SoftCheck check_soft(const SoftRows& rows, std::span<const std::string> truth,
                     std::span<const double> q, std::span<const double> weight,
                     const SoftOutcomes& outcomes) {
  if (truth.size() != rows.size() || q.size() != rows.size() ||
      (!weight.empty() && weight.size() != rows.size()) ||
      (!outcomes.label.empty() && outcomes.label.size() != rows.size())) {
    throw std::invalid_argument("the true groups, decisions and scores differ in number");
  }
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i].empty()) known.push_back(i);
  }
  if (known.empty()) throw std::invalid_argument("nobody's true group is known");
  const std::set<std::string> values = [&] {
    std::set<std::string> out;
    for (const std::size_t i : known) out.insert(truth[i]);
    return out;
  }();
  std::stable_sort(known.begin(), known.end(),
                   [&](std::size_t a, std::size_t b) { return rows.score[a] < rows.score[b]; });
  const auto n = [&](std::size_t i) { return weight.empty() ? 1 : weight[i]; };
  SoftCheck out;
  for (const std::size_t i : known) out.rows += n(i);
  for (const SoftColumn& column : rows.columns) {
    SoftCheckedColumn one;
    one.column = column.name;
    one.value = value_for(column.name, values);
    Mean rate;
    Mean others;
    for (std::size_t k = 0; k < tenths; ++k) {
      Mean off;
      for (std::size_t at = known.size() * k / tenths; at < known.size() * (k + 1) / tenths; ++at) {
        const std::size_t i = known[at];
        const bool belongs = truth[i] == one.value;
        off.add(n(i), column.values[i] - (belongs ? 1 : 0));
        (belongs ? rate : others).add(n(i), q[i]);
      }
      one.off.push_back(std::abs(off.get().value_or(0)));
    }
    one.worst = *std::max_element(one.off.begin(), one.off.end());
    one.rate = rate.get();
    one.others = others.get();
    out.columns.push_back(std::move(one));
  }
  for (const Rate rate : outcomes.rates) {
    if (rate == Rate::selection || outcomes.label.empty()) continue;
    const SoftCheck given = check_soft(rows, truth, q, weights_given(rate, outcomes, weight));
    out.given_outcome.push_back({rate, given.largest_difference()});
  }
  return out;
}

}  // namespace evenhand
