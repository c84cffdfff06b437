// Batches of a monitor, from tallies.
#include <evenhand/audit_report.h>
#include <evenhand/coin.h>
#include <evenhand/monitor.h>

#include <map>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace evenhand {
namespace {

// One value as it is; several with commas between, so that different ones make different texts.
std::string joined(std::span<const std::string> texts) {
  if (texts.size() == 1) return texts.front();
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ", ";
    for (const char c : texts[i]) {
      if (c == ',' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

AuditReport report_on(const Tally& tally, const Roles& roles, const Rule* rule,
                      const std::vector<Rate>& rates) {
  if (!tally.unit_weights()) {
    throw std::invalid_argument("monitor counts people: weighted rows are not supported");
  }
  const AuditScope scope{.roles = {.sensitive = roles.sensitive, .within = roles.within},
                         .rates = rates};
  return rule ? audit_report(tally, scope, *rule)
              : audit_report(tally, scope, AuditOptions{.decisions = true});
}

struct Mean {
  double sum = 0;
  double rows = 0;

  void add(const Tally& tally, CellCode cell) {
    for (const Entry& entry : tally.entries(cell)) {
      sum += entry.n * entry.score;
      rows += entry.n;
    }
  }
  double of(const Reading& reading) const {
    const double mean = rows > 0 ? sum / rows : 0;
    return reading.favorable == Favorable::low ? -mean : mean;
  }
};

using CountOf = std::map<std::tuple<Rate, std::string, std::string>, RateCount>;

std::vector<MonitoredGroup> groups_of(const CountOf& counts) {
  std::vector<MonitoredGroup> out;
  for (const auto& [who, count] : counts) {
    const auto& [rate, stratum, group] = who;
    out.push_back({stratum, group, count, rate});
  }
  return out;
}

struct ByName {
  bool operator()(const std::string& a, const std::string& b) const { return batch_before(a, b); }
};

using Batches = std::map<std::string, CountOf, ByName>;

// `split` says which batch a stratum of the report belongs to, and what is left of its values. A
// group without the outcome that a rate is about is there with no rows.
template <class Split>
Batches counted(const AuditReport& report, const Split& split) {
  const AuditView& view = report.views.front();
  Batches out;
  for (const Comparison& stratum : view.audit.strata) {
    const auto [batch, values] = split(stratum.values);
    for (const AuditedGroup& group : stratum.groups) {
      for (const Rate rate : report.scope.rates) {
        out[batch][{rate, joined(values), joined(group.values)}];
      }
    }
  }
  for (const ComparedRates& compared : view.compared) {
    const auto [batch, values] = split(compared.stratum.values);
    for (const CountedGroup& group : compared.groups) {
      out[batch][{compared.rate, joined(values), joined(group.name.values)}] = group.count;
    }
  }
  return out;
}

std::string with_rates(std::string out, const std::vector<Rate>& rates) {
  for (const Rate rate : rates) {
    if (rate != Rate::selection) out += " " + std::string(rate_of(rate).name);
  }
  return out;
}

}  // namespace

std::vector<Rate> monitored_rates(std::string_view criterion) {
  if (criterion.empty() || criterion == "requirements") return {Rate::selection};
  const std::span<const Rate> rates = find_criterion(criterion).rates;
  return {rates.begin(), rates.end()};
}

std::string monitored_subject(const Rule& rule, const std::vector<Rate>& rates) {
  return with_rates(Coin::keyed(rule.to_json()).prefix(), rates);  // SHA-256 in hex
}

std::string monitored_subject(const std::string& decisions, const std::vector<Rate>& rates) {
  return with_rates("decisions in " + decisions, rates);
}

MonitorBatch monitored_batch(std::string name, const Tally& tally, const Roles& roles,
                             const Rule* rule, const std::vector<Rate>& rates) {
  const Batches counts =
      counted(report_on(tally, roles, rule, rates),
              [&](std::span<const std::string> values) { return std::pair(name, values); });
  MonitorBatch out{name, groups_of(counts.begin()->second), {}};
  if (rule) {
    Mean mean;
    for (CellCode c = 0; c < tally.cells().size(); ++c) mean.add(tally, c);
    out.mean_score = mean.of(tally.reading());
  }
  return out;
}

std::vector<MonitorBatch> monitored_batches(const Tally& tally, const Roles& roles,
                                            const std::string& period, const Rule* rule,
                                            const std::vector<Rate>& rates) {
  Roles with_period = roles;
  with_period.within.push_back(period);
  const Batches batches =
      counted(report_on(tally, with_period, rule, rates), [](std::span<const std::string> values) {
        return std::pair(values.back(), values.first(values.size() - 1));
      });
  const std::size_t position = tally.cells().attribute(period);
  std::map<std::string, Mean> means;
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    means[tally.cells().values(c)[position]].add(tally, c);
  }
  std::vector<MonitorBatch> out;
  for (const auto& [name, counts] : batches) {
    out.push_back({name, groups_of(counts), {}});
    if (rule) out.back().mean_score = means[name].of(tally.reading());
  }
  add_missing_groups(out);
  return out;
}

void add_missing_groups(std::vector<MonitorBatch>& batches) {
  CountOf everybody;
  for (const MonitorBatch& batch : batches) {
    for (const MonitoredGroup& one : batch.groups) everybody[{one.rate, one.stratum, one.group}];
  }
  for (MonitorBatch& batch : batches) {
    CountOf counts = everybody;
    for (const MonitoredGroup& one : batch.groups) {
      counts[{one.rate, one.stratum, one.group}] = one.count;
    }
    batch.groups = groups_of(counts);
  }
}

}  // namespace evenhand
