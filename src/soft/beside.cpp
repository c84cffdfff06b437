#include <evenhand/soft_report.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace evenhand {
namespace {

// The same whatever the order of rows.
double settled_sum(std::vector<double> terms) {
  std::sort(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += term;
  return sum;
}

}  // namespace

SoftBeside audit_soft_beside(const SoftRows& rows, std::span<const double> first,
                             std::span<const double> q, const SoftAuditOptions& options) {
  if (first.size() != rows.size()) {
    throw std::invalid_argument("the decisions of the first rule and the scores differ in number");
  }
  SoftBeside out{audit_soft(rows, q, options), 0, {}};
  const auto n = [&](std::size_t i) { return options.weight.empty() ? 1 : options.weight[i]; };
  std::vector<double> tossed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (q[i] > 0 && q[i] < 1) tossed.push_back(n(i));
  }
  out.lottery_share = settled_sum(std::move(tossed)) / out.audit.weight;
  const auto add = [&](const std::string& column, const auto& belongs) {
    std::vector<double> weight, to_yes, to_no;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double each = n(i) * belongs(i);
      weight.push_back(each);
      const double more = q[i] - first[i];
      (more > 0 ? to_yes : to_no).push_back(each * std::abs(more));
    }
    out.changes.push_back({column, settled_sum(std::move(weight)), settled_sum(std::move(to_yes)),
                           settled_sum(std::move(to_no))});
  };
  for (const SoftColumn& column : rows.columns) {
    add(column.name, [&](std::size_t i) { return column.values[i]; });
  }
  add("", [](std::size_t) { return 1.0; });
  return out;
}

std::string compared_by(const FitRecord& fit) {
  const std::string name = fit.criterion ? fit.criterion->name : "requirements";
  if (name == "requirements") return "statistical-parity";
  constexpr std::string_view soft = "soft-";
  return name.starts_with(soft) ? name.substr(soft.size()) : name;
}

bool asks_for_group(const AnyRule& rule, const FitRecord& fit,
                    std::span<const std::string> within) {
  const Rule* const known = std::get_if<Rule>(&rule);
  if (!known) return false;
  const auto has = [](std::span<const std::string> list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const std::vector<std::string>& asked = known->cells().attributes();
  return std::any_of(asked.begin(), asked.end(), [&](const std::string& name) {
    if (fit.columns && fit.columns->sensitive) return has(*fit.columns->sensitive, name);
    return !has(within, name);
  });
}

}  // namespace evenhand
