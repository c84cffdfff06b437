// Batch after batch: pairs of groups, what was seen, and the state to go on from.
#include <evenhand/monitor.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "confidence/check.h"
#include "rule/json_file.h"

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

constexpr int newest_version = 1;

void check_batch(const MonitorBatch& batch) {
  if (batch.name.empty()) throw std::invalid_argument("a batch needs a name");
  std::set<std::pair<std::string, std::string>> seen;
  for (const MonitoredGroup& group : batch.groups) {
    const auto& [positive, rows] = group.count;
    if (!(rows >= 0 && std::isfinite(rows) && positive >= 0 && positive <= rows)) {
      throw std::invalid_argument(
          fmt::format("the batch {}: from 0 to all rows of {} are positive, not {} of {}",
                      shown(batch.name), shown(group.group), positive, rows));
    }
    if (!seen.emplace(group.stratum, group.group).second) {
      throw std::invalid_argument(fmt::format("the batch {} has the group {} twice",
                                              shown(batch.name), shown(group.group)));
    }
  }
}

using Counts = std::map<std::pair<std::string, std::string>, RateCount>;

Counts counts_of(const MonitorBatch& batch) {
  Counts out;
  for (const MonitoredGroup& group : batch.groups) {
    out[{group.stratum, group.group}] = group.count;
  }
  return out;
}

double rows_of(const MonitorBatch& batch) {
  double sum = 0;
  for (const MonitoredGroup& group : batch.groups) sum += group.count.rows;
  return sum;
}

double largest_difference(const MonitorBatch& batch) {
  double largest = 0;
  for (const MonitoredGroup& a : batch.groups) {
    for (const MonitoredGroup& b : batch.groups) {
      if (a.stratum != b.stratum || a.count.rows == 0 || b.count.rows == 0) continue;
      largest = std::max(largest, rate_of(a.count) - rate_of(b.count));
    }
  }
  return largest;
}

double largest_share_change(const MonitorBatch& first, const MonitorBatch& now) {
  const double rows = rows_of(now);
  if (rows == 0) return 0;
  const Counts before = counts_of(first);
  double largest = 0;
  for (const auto& [name, count] : counts_of(now)) {
    const auto found = before.find(name);
    const double share = found == before.end() ? 0 : found->second.rows / rows_of(first);
    largest = std::max(largest, std::abs(count.rows / rows - share));
  }
  return largest;
}

Json json_of(const MonitorOptions& options) {
  return {{"tolerance", options.tolerance},
          {"confidence", options.confidence},
          {"subject", options.subject}};
}

}  // namespace

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
  if (!batches_.empty() && batch.name <= batches_.back().name) {
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
        if (a.stratum != b.stratum || a.group == b.group) continue;
        pairs.push_back({a.stratum, a.group, b.group, PairEvidence(options_.tolerance), {}});
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
      if (!first.contains(name)) {
        throw std::invalid_argument(
            fmt::format("the batch {} has the group {}, which the first batch has not: start a new "
                        "state",
                        shown(batch.name), shown(name.second)));
      }
    }
  }
  double sum = 0;
  for (Pair& pair : pairs_) {
    const auto count = [&](const std::string& group) {
      const auto found = counts.find({pair.stratum, group});
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

std::string Monitor::to_json() const {
  Json out;
  out["evenhand"] = newest_version;
  out["monitor"] = json_of(options_);
  out["batches"] = Json::array();
  for (const MonitorBatch& batch : batches_) {
    Json one;
    one["name"] = batch.name;
    if (batch.mean_score) one["mean_score"] = *batch.mean_score;
    one["groups"] = Json::array();
    for (const MonitoredGroup& group : batch.groups) {
      one["groups"].push_back({{"stratum", group.stratum},
                               {"group", group.group},
                               {"positive", group.count.positive},
                               {"rows", group.count.rows}});
    }
    out["batches"].push_back(std::move(one));
  }
  return out.dump(1) + "\n";
}

Monitor Monitor::from_json(std::string_view json, const MonitorOptions& options) {
  const auto fail = [](const std::string& what) {
    throw std::invalid_argument("not a state of monitor: " + what);
  };
  const Json file = Json::parse(json, nullptr, false);
  if (!file.is_object() || !file.contains("evenhand") || !file["evenhand"].is_number_integer()) {
    fail("it is no JSON with a version, 'evenhand'");
  }
  if (file["evenhand"] != newest_version) fail("its version is not known; please update");
  Monitor out(options);
  try {
    json_file::expect_keys(file, "the state", {"evenhand", "monitor", "batches"});
    json_file::expect_keys(file["monitor"], "monitor", {"tolerance", "confidence", "subject"});
    const Json expected = json_of(options);
    for (const auto& [name, value] : expected.items()) {
      if (file["monitor"][name] != value) {
        throw std::invalid_argument(
            name == "subject" ? std::string("the state is of another rule: start a new one")
                              : fmt::format("the state has the {} {}, not {}: start a new one",
                                            name, file["monitor"][name].dump(), value.dump()));
      }
    }
    for (const Json& one : json_file::list(file["batches"], "batches")) {
      json_file::expect_keys(one, "a batch", {"name", "groups"}, {"mean_score"});
      MonitorBatch batch{json_file::text(one["name"], "a name"), {}, {}};
      if (one.contains("mean_score")) {
        batch.mean_score = json_file::number(one["mean_score"], "a mean score");
      }
      for (const Json& group : json_file::list(one["groups"], "groups")) {
        json_file::expect_keys(group, "a group", {"stratum", "group", "positive", "rows"});
        batch.groups.push_back({json_file::text(group["stratum"], "a stratum"),
                                json_file::text(group["group"], "a group"),
                                {json_file::number(group["positive"], "positive"),
                                 json_file::number(group["rows"], "rows")}});
      }
      out.take(std::move(batch));
    }
  } catch (const std::invalid_argument& error) {
    const std::string_view what = error.what();
    constexpr std::string_view of_rules = "not a valid rule: ";
    if (what.starts_with(of_rules)) fail(std::string(what.substr(of_rules.size())));
    if (what.starts_with("the state ")) throw;
    fail(std::string(what));
  }
  return out;
}

}  // namespace evenhand
