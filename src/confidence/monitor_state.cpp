// The state of a monitor as a small file: written, and read again by adding its batches.
#include <evenhand/audit.h>
#include <evenhand/monitor.h>

#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rule/json_file.h"

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

constexpr int newest_version = 1;

[[noreturn]] void fail(std::string_view what) {
  throw std::invalid_argument(fmt::format("not a state of monitor: {}", what));
}

Json json_of(const MonitorOptions& options) {
  return {{"tolerance", options.tolerance},
          {"confidence", options.confidence},
          {"subject", options.subject}};
}

Rate rate_from(const Json& value) {
  const std::string& name = json_file::text(value, "a rate");
  for (const RateOf& rate : all_rates()) {
    if (rate.name == name) return rate.rate;
  }
  throw std::invalid_argument("a rate has a name that is not known");
}

MonitorBatch batch_from(const Json& json) {
  json_file::expect_keys(json, "a batch", {"name", "groups"}, {"mean_score"});
  MonitorBatch out{json_file::text(json["name"], "a name"), {}, {}};
  if (json.contains("mean_score")) {
    out.mean_score = json_file::number(json["mean_score"], "a mean score");
  }
  for (const Json& group : json_file::list(json["groups"], "groups")) {
    json_file::expect_keys(group, "a group", {"stratum", "group", "positive", "rows"}, {"rate"});
    out.groups.push_back({json_file::text(group["stratum"], "a stratum"),
                          json_file::text(group["group"], "a group"),
                          {json_file::number(group["positive"], "positive"),
                           json_file::number(group["rows"], "rows")},
                          group.contains("rate") ? rate_from(group["rate"]) : Rate::selection});
  }
  return out;
}

// Another rule, tolerance or confidence is no mistake in the file.
void check_options(const Json& found, const MonitorOptions& options) {
  const Json expected = json_of(options);
  for (const auto& [name, value] : expected.items()) {
    if (found[name] == value) continue;
    throw std::runtime_error(
        name == "subject"
            ? std::string("the state is of another rule, or of other rates: start a new one")
            : fmt::format("the state has the {} {}, not {}: start a new one", name,
                          found[name].dump(-1, ' ', false, Json::error_handler_t::replace),
                          value.dump()));
  }
}

}  // namespace

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
      Json at = {{"stratum", group.stratum},
                 {"group", group.group},
                 {"positive", group.count.positive},
                 {"rows", group.count.rows}};
      if (group.rate != Rate::selection) at["rate"] = rate_of(group.rate).name;
      one["groups"].push_back(std::move(at));
    }
    out["batches"].push_back(std::move(one));
  }
  return out.dump(1) + "\n";
}

Monitor Monitor::from_json(std::string_view json, const MonitorOptions& options) {
  Monitor out(options);
  try {
    const Json file = json_file::parse(json);
    json_file::expect_keys(file, "the state", {"evenhand", "monitor", "batches"});
    if (file["evenhand"] != newest_version) fail("its version is not known; please update");
    json_file::expect_keys(file["monitor"], "monitor", {"tolerance", "confidence", "subject"});
    check_options(file["monitor"], options);
    for (const Json& batch : json_file::list(file["batches"], "batches")) {
      out.take(batch_from(batch));
    }
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  } catch (const std::invalid_argument& error) {
    std::string_view what = error.what();
    for (const std::string_view prefix : {"not a valid rule: ", "not a state of monitor: "}) {
      if (what.starts_with(prefix)) what.remove_prefix(prefix.size());
    }
    fail(what);
  }
  return out;
}

}  // namespace evenhand
