// Batches of a monitor, from tallies.
#include <evenhand/audit.h>
#include <evenhand/coin.h>
#include <evenhand/monitor.h>

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

namespace evenhand {
namespace {

std::string joined(std::span<const std::string> texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

Audit audited(const Tally& tally, const Roles& roles, const Rule* rule) {
  if (!tally.unit_weights()) {
    throw std::invalid_argument("monitor counts people: weighted rows are not supported");
  }
  return rule ? audit(tally, roles, *rule) : audit(tally, roles, {.decisions = true});
}

// Adds the groups of a stratum, which has these values.
void add_groups(MonitorBatch& batch, const Comparison& stratum,
                std::span<const std::string> values) {
  for (const AuditedGroup& group : stratum.groups) {
    const double rows = group.figures.weight;
    batch.groups.push_back(
        {joined(values),
         joined(group.values),
         {std::min(1.0, group.figures.selection_rate.value_or(0)) * rows, rows}});
  }
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

}  // namespace

std::string monitored_subject(const Rule& rule) {
  return Coin::keyed(rule.to_json()).prefix();  // SHA-256 in hex
}

MonitorBatch monitored_batch(std::string name, const Tally& tally, const Roles& roles,
                             const Rule* rule) {
  MonitorBatch out{.name = std::move(name), .groups = {}};
  for (const Comparison& stratum : audited(tally, roles, rule).strata) {
    add_groups(out, stratum, stratum.values);
  }
  Mean mean;
  for (CellCode c = 0; c < tally.cells().size(); ++c) mean.add(tally, c);
  if (rule) out.mean_score = mean.of(tally.reading());
  return out;
}

std::vector<MonitorBatch> monitored_batches(const Tally& tally, const Roles& roles,
                                            const std::string& period, const Rule* rule) {
  Roles with_period = roles;
  with_period.within.push_back(period);
  std::map<std::string, MonitorBatch> batches;
  for (const Comparison& stratum : audited(tally, with_period, rule).strata) {
    const std::span<const std::string> values(stratum.values);
    MonitorBatch& batch = batches[values.back()];
    batch.name = values.back();
    add_groups(batch, stratum, values.first(values.size() - 1));
  }
  const std::size_t position = tally.cells().attribute(period);
  std::map<std::string, Mean> means;
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    means[tally.cells().values(c)[position]].add(tally, c);
  }
  std::vector<MonitorBatch> out;
  for (auto& [name, batch] : batches) {
    if (rule) batch.mean_score = means[name].of(tally.reading());
    out.push_back(std::move(batch));
  }
  return out;
}

}  // namespace evenhand
