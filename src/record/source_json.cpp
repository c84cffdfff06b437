#include "record/source_json.h"

#include "record/values.h"

namespace evenhand::record {
Json columns_json(const RecordedColumns& columns) {
  Json out = Json::object();
  put(out, "score", columns.score);
  if (columns.soft) out["soft"] = *columns.soft;
  if (!columns.soft_favorable.empty()) out["soft_favorable"] = columns.soft_favorable;
  if (!columns.soft_unfavorable.empty()) out["soft_unfavorable"] = columns.soft_unfavorable;
  if (columns.sensitive) out["sensitive"] = *columns.sensitive;
  out["within"] = columns.within;
  put(out, "label", columns.label);
  put(out, "weight", columns.weight);
  put(out, "null", columns.null);
  return out;
}

RecordedColumns columns_from(const Json& json) {
  return {
      .score = text_in(json, "score").value_or(""),
      .soft = texts_in(json, "soft"),
      .soft_favorable = texts_in(json, "soft_favorable").value_or(std::vector<std::string>()),
      .soft_unfavorable = texts_in(json, "soft_unfavorable").value_or(std::vector<std::string>()),
      .sensitive = texts_in(json, "sensitive"),
      .within = texts_in(json, "within").value_or(std::vector<std::string>()),
      .label = text_in(json, "label").value_or(""),
      .weight = text_in(json, "weight").value_or(""),
      .null = text_in(json, "null").value_or("")};
}

Json source_json(const FitSource& source) {
  Json out = Json::object();
  put(out, "command", source.command);
  if (!source.files.empty()) out["files"] = Json::array();
  for (const FitSource::File& file : source.files) {
    Json one;
    one["name"] = file.name;
    if (file.bytes) one["bytes"] = *file.bytes;
    out["files"].push_back(std::move(one));
  }
  if (source.further_files > 0) out["further_files"] = source.further_files;
  put(out, "sql", source.sql);
  if (!source.versions.empty()) out["versions"] = Json::object();
  for (const auto& [program, version] : source.versions) out["versions"][program] = version;
  put(out, "time", source.time);
  return out;
}

FitSource source_from(const Json& json) {
  FitSource out;
  out.command = text_in(json, "command").value_or("");
  if (const Json* const files = list_in(json, "files")) {
    for (const Json& file : *files) {
      if (!file.is_object()) continue;
      out.files.push_back({text_in(file, "name").value_or(""), count_in(file, "bytes")});
    }
  }
  out.further_files = count_in(json, "further_files").value_or(0);
  out.sql = text_in(json, "sql").value_or("");
  if (const Json* const versions = object_in(json, "versions")) {
    for (const auto& [program, version] : versions->items()) {
      if (version.is_string()) out.versions.emplace_back(program, version.get<std::string>());
    }
  }
  out.time = text_in(json, "time").value_or("");
  return out;
}

}  // namespace evenhand::record
