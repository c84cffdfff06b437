// Batch after batch: pairs of groups, and what was seen.
#include <evenhand/monitor.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "confidence/check.h"

namespace evenhand {
namespace {

using Key = std::tuple<Rate, std::string, std::string>;  // rate, stratum, group

Key key_of(const MonitoredGroup& group) {
  return {group.rate, group.stratum, group.group};
}

bool compared(const MonitoredGroup& a, const MonitoredGroup& b) {
  return a.rate == b.rate && a.stratum == b.stratum && a.group != b.group;
}

void check_batch(const MonitorBatch& batch) {
  if (batch.name.empty()) throw std::invalid_argument("a batch needs a name");
  std::set<Key> seen;
  for (const MonitoredGroup& group : batch.groups) {
    const auto& [positive, rows] = group.count;
    if (!(rows >= 0 && std::isfinite(rows) && positive >= 0 && positive <= rows)) {
      throw std::invalid_argument(
          fmt::format("the batch {}: from 0 to all rows of {} are positive, not {} of {}",
                      shown(batch.name), shown(group.group), positive, rows));
    }
    if (!seen.insert(key_of(group)).second) {
      throw std::invalid_argument(fmt::format("the batch {} has the group {} twice",
                                              shown(batch.name), shown(group.group)));
    }
  }
}

using Counts = std::map<Key, RateCount>;

Counts counts_of(const MonitorBatch& batch) {
  Counts out;
  for (const MonitoredGroup& group : batch.groups) {
    out[key_of(group)] = group.count;
  }
  return out;
}

double rows_of(const MonitorBatch& batch) {
  double sum = 0;
  for (const MonitoredGroup& group : batch.groups) sum += group.count.rows;
  return sum;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The digits that the text starts with, without leading zeros.
std::string_view digits_of(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::size_t start = 0;
  while (start + 1 < end && text[start] == '0') ++start;
  return text.substr(start, end - start);
}

double largest_difference(const MonitorBatch& batch) {
  double largest = 0;
  for (const MonitoredGroup& a : batch.groups) {
    for (const MonitoredGroup& b : batch.groups) {
      if (!compared(a, b) || a.count.rows == 0 || b.count.rows == 0) continue;
      largest = std::max(largest, rate_of(a.count) - rate_of(b.count));
    }
  }
  return largest;
}

double largest_share_change(const MonitorBatch& first, const MonitorBatch& now) {
  const double rows_before = rows_of(first);
  const double rows = rows_of(now);
  if (rows == 0) return 0;
  std::map<Key, double> changes;  // a group may be new, or gone
  for (const auto& [name, count] : counts_of(now)) changes[name] += count.rows / rows;
  for (const auto& [name, count] : counts_of(first)) changes[name] -= count.rows / rows_before;
  double largest = 0;
  for (const auto& [name, change] : changes) largest = std::max(largest, std::abs(change));
  return largest;
}

}  // namespace

bool batch_before(std::string_view a, std::string_view b) noexcept {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = digits_of(a);
      const std::string_view y = digits_of(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(static_cast<std::size_t>(x.data() + x.size() - a.data()));
      b.remove_prefix(static_cast<std::size_t>(y.data() + y.size() - b.data()));
      continue;
    }
    if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // the same up to leading zeros
}

Monitor::Monitor(MonitorOptions options) : options_(std::move(options)) {
  if (!(options_.tolerance >= 0 && options_.tolerance < 1)) {
    throw std::invalid_argument(fmt::format(
        "a tolerance to monitor is at least 0 and below 1, not {}", options_.tolerance));
  }
  check_confidence(options_.confidence);
}

const MonitorLook& Monitor::add(MonitorBatch batch) {
  take(std::move(batch));
  const double alpha = (1 - options_.confidence) / static_cast<double>(pairs_.size());
  double bound = -1;
  for (const Pair& pair : pairs_) {
    bound = std::max(bound, monitored_difference_at_most(pair.batches, alpha));
  }
  looks_.back().bound = bound;
  return looks_.back();
}

// The pairs, and with them their shares of the evidence, are those of the first batch: shares that
// depend on what is seen later would not be fair.
void Monitor::take(MonitorBatch batch) {
  check_batch(batch);
  if (!batches_.empty() && !batch_before(batches_.back().name, batch.name)) {
    const bool seen = std::any_of(batches_.begin(), batches_.end(),
                                  [&](const MonitorBatch& one) { return one.name == batch.name; });
    throw std::invalid_argument(
        seen ? fmt::format("the batch {} was seen before", shown(batch.name))
             : fmt::format("the batch {} comes before {}, which was seen already: batches go in "
                           "the order of their names",
                           shown(batch.name), shown(batches_.back().name)));
  }
  const Counts counts = counts_of(batch);
  if (batches_.empty()) {
    std::vector<Pair> pairs;
    for (const MonitoredGroup& a : batch.groups) {
      for (const MonitoredGroup& b : batch.groups) {
        if (!compared(a, b)) continue;
        pairs.push_back(
            {a.rate, a.stratum, a.group, b.group, PairEvidence(options_.tolerance), {}});
      }
    }
    if (pairs.empty()) {
      throw std::invalid_argument(fmt::format(
          "the batch {} has nobody to compare: no stratum has two groups", shown(batch.name)));
    }
    pairs_ = std::move(pairs);
  } else {
    const Counts first = counts_of(batches_.front());
    for (const auto& [name, count] : counts) {
      if (count.rows > 0 && !first.contains(name)) {
        throw std::invalid_argument(
            fmt::format("the batch {} has the group {}, which the first batch does not have: start "
                        "a new state",
                        shown(batch.name), shown(std::get<2>(name))));
      }
    }
  }
  double sum = 0;
  for (Pair& pair : pairs_) {
    const auto count = [&](const std::string& group) {
      const auto found = counts.find({pair.rate, pair.stratum, group});
      return found == counts.end() ? RateCount{} : found->second;
    };
    const RateCount over = count(pair.over);
    const RateCount under = count(pair.under);
    pair.evidence.add(over, under);
    pair.batches.emplace_back(over, under);
    sum += std::exp(std::min(700.0, pair.evidence.log_evidence()));
  }
  MonitorLook look;
  look.batch = batch.name;
  look.rows = rows_of(batch);
  look.difference = largest_difference(batch);
  look.log_evidence = std::log(sum / static_cast<double>(pairs_.size()));
  look.alarm = alarm() || look.log_evidence >= -std::log(1 - options_.confidence);
  look.mean_score = batch.mean_score;
  batches_.push_back(std::move(batch));
  look.largest_share_change = largest_share_change(batches_.front(), batches_.back());
  looks_.push_back(look);
}

}  // namespace evenhand
