// What goes with a tally, and how its file says it.
#include <evenhand/tally_file.h>
#include <evenhand/text.h>
#include <evenhand/version.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include "record/sha256.h"
#include "record/values.h"
#include "rule/json_file.h"
#include "support/parallel.h"
#include "tally/tally_bytes.h"

namespace evenhand {
namespace {

using record::Json;

constexpr int newest_version = 1;

[[noreturn]] void corrupt() {
  throw std::invalid_argument("corrupt metadata");
}

Json parsed(std::string_view json) {
  try {
    return json_file::parse(json);
  } catch (const std::invalid_argument&) {
    corrupt();
  }
}

// Missing, or of the type that it ought to have.
template <class Value>
Value optional_value(const Json& json, const char* key, std::optional<Value> found,
                     Value otherwise) {
  if (!found && record::member(json, key)) corrupt();
  return found ? std::move(*found) : std::move(otherwise);
}

template <class Value>
Value required(std::optional<Value> found) {
  if (!found) corrupt();
  return std::move(*found);
}

std::vector<std::string> names_in(const Json& json, const char* key) {
  std::vector<std::string> out = required(record::texts_in(json, key));
  if (out.size() != json[key].size()) corrupt();
  return out;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// The tally that whoever reads the file's columns gets: without cells that have no entry (all of
// their rows had weight 0), and with sums of weights that may differ in their last bit, since
// Tally::counted splits n into n1 and the rest.
Tally as_read(const Tally& tally) {
  bool same = tally.unit_weights() || !tally.labelled();
  for (CellCode c = 0; c < tally.cells().size(); ++c) same = same && tally.total(c).n > 0;
  if (same) return tally;
  const Reading& reading = tally.reading();
  std::vector<double> score, n, n1;
  std::vector<std::vector<std::string>> names;
  std::vector<CellCode> codes;
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    const std::vector<Entry> entries = tally.entries(c);
    if (entries.empty()) continue;
    const auto values = tally.cells().values(c);
    names.emplace_back(values.begin(), values.end());
    for (const Entry& entry : entries) {
      codes.push_back(static_cast<CellCode>(names.size() - 1));
      score.push_back(reading.turn(entry.score));
      n.push_back(entry.n);
      n1.push_back(reading.favorable == Favorable::low ? entry.n - entry.n1 : entry.n1);
    }
  }
  CountedOptions options{.scale = reading.scale,
                         .favorable = reading.favorable,
                         .resolution = tally.resolution(),
                         .weighted = !tally.unit_weights()};
  if (tally.labelled()) options.positives = n1;
  if (options.resolution.cap()) options.level = tally.level();
  return Tally::counted(score, n, {CellNames(tally.cells().attributes(), names), codes}, options);
}

std::string checksum_of(const std::string& rest, const Tally& tally) {
  return record::sha256(rest + "\x1F" + fingerprint(tally));
}

std::string common(const std::string& a, const std::string& b) {
  return a == b ? a : std::string();
}

}  // namespace

TallySource TallySource::merged(const TallySource& other) const {
  if (!roles.sensitive.empty() && !other.roles.sensitive.empty() && roles != other.roles) {
    throw std::invalid_argument("they do not compare the same groups");
  }
  const bool told = !roles.sensitive.empty() || other.roles.sensitive.empty();
  TallySource out{.roles = told ? roles : other.roles,
                  .score = common(score, other.score),
                  .label = common(label, other.label),
                  .weight = common(weight, other.weight),
                  .null = common(null, other.null),
                  .excluded = excluded + other.excluded,
                  .min_count = std::min(min_count, other.min_count)};
  if (rows && other.rows) out.rows = *rows + *other.rows;
  return out;
}

std::optional<std::uint64_t> StoredTally::rows() const {
  if (source.rows || !tally.unit_weights()) return source.rows;
  return static_cast<std::uint64_t>(tally.total().n);
}

// Of the pieces, side by side; then of what came of them.
std::string fingerprint(const Tally& tally) {
  const TallyBytes bytes(tally);
  constexpr std::size_t piece = std::size_t{1} << 20U;
  std::vector<std::array<std::byte, 32>> digests((bytes.size() + piece - 1) / piece);
  parallel(digests.size(), 0, [&](std::size_t i) {
    std::vector<std::byte> some(std::min(piece, bytes.size() - i * piece));
    bytes.copy(i * piece, some);
    record::Sha256 hash;
    hash.add(some);
    digests[i] = hash.digest();
  });
  record::Sha256 whole;
  whole.add(std::as_bytes(std::span(digests)));
  return whole.digits();
}

std::string StoredTally::fingerprint() const {
  return source.fingerprint.empty() ? evenhand::fingerprint(tally) : source.fingerprint;
}

std::vector<std::string> StoredTally::parts() const {
  return source.parts.empty() ? std::vector{fingerprint()} : source.parts;
}

StoredTally StoredTally::merged(const StoredTally& other, Repeated repeated) const {
  StoredTally out{.tally = tally.merge(other.tally), .source = source.merged(other.source)};
  const std::vector<std::string> mine = parts();
  const std::vector<std::string> theirs = other.parts();
  std::vector<std::string> both;
  std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                        std::back_inserter(both));
  if (!both.empty() && repeated == Repeated::refuse) {
    throw std::invalid_argument(
        fmt::format("the same tally, {}, is in both: its people would count twice; allow repeated "
                    "tallies to add them up anyway",
                    both.front().substr(0, 16)));
  }
  std::merge(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
             std::back_inserter(out.source.parts));
  return out;
}

std::string StoredTally::metadata() const {
  Json out;
  out["tally"] = newest_version;
  out["version"] = EVENHAND_VERSION;
  out["attributes"] = tally.cells().attributes();
  out["sensitive"] = source.roles.sensitive;
  out["within"] = source.roles.within;
  out["scale"] = to_string(tally.reading().scale);
  out["favorable"] = to_string(tally.reading().favorable);
  out["resolution"] = to_string(tally.resolution());
  if (tally.level()) out["level"] = *tally.level();
  out["labelled"] = tally.labelled();
  out["weighted"] = !tally.unit_weights();
  if (source.excluded > 0) out["excluded"] = source.excluded;
  if (source.min_count > 0) out["min_count"] = source.min_count;
  if (!source.score.empty()) out["score"] = source.score;
  if (!source.label.empty()) out["label"] = source.label;
  if (!source.null.empty()) out["null"] = source.null;
  out["fingerprint"] = fingerprint();
  if (!source.parts.empty()) out["parts"] = source.parts;
  out["checksum"] = checksum_of(out.dump(), as_read(tally));
  return out.dump();
}

TallyMetadata TallyMetadata::from_json(std::string_view json) {
  const Json found = parsed(json);
  if (!found.is_object() || !found.contains("tally") || !found["tally"].is_number_integer()) {
    corrupt();
  }
  if (found["tally"] > newest_version) {
    throw std::invalid_argument(
        fmt::format("it has version {}, this program reads up to version {}; please update",
                    found["tally"].dump(), newest_version));
  }
  if (found["tally"] < 1) corrupt();
  TallyMetadata out{.attributes = names_in(found, "attributes")};
  out.source.roles = {.sensitive = names_in(found, "sensitive"),
                      .within = names_in(found, "within")};
  for (const auto* const role : {&out.source.roles.sensitive, &out.source.roles.within}) {
    for (const std::string& name : *role) {
      if (std::find(out.attributes.begin(), out.attributes.end(), name) == out.attributes.end()) {
        throw std::invalid_argument(
            fmt::format("its metadata name {}, which is not one of its attributes",
                        quoted_if_needed(name, 60)));
      }
    }
  }
  out.reading = {scale_from(required(record::text_in(found, "scale"))),
                 favorable_from(required(record::text_in(found, "favorable")))};
  out.resolution = resolution_from(required(record::text_in(found, "resolution")));
  out.labelled = required(record::truth_in(found, "labelled"));
  out.weighted = required(record::truth_in(found, "weighted"));
  if (const Json* const level = record::member(found, "level")) {
    if (!level->is_number_integer() || *level < -2000 || *level > 2000) corrupt();
    out.level = level->get<int>();
  }
  const auto text = [&](const char* key) {
    return optional_value(found, key, record::text_in(found, key), std::string());
  };
  out.source.excluded =
      optional_value(found, "excluded", record::count_in(found, "excluded"), std::uint64_t{0});
  out.source.min_count =
      optional_value(found, "min_count", record::number_in(found, "min_count"), 0.0);
  if (!(out.source.min_count >= 0)) corrupt();
  out.source.score = text("score");
  out.source.label = text("label");
  out.source.null = text("null");
  out.source.fingerprint = text("fingerprint");
  if (found.contains("parts")) out.source.parts = names_in(found, "parts");
  if (!std::is_sorted(out.source.parts.begin(), out.source.parts.end()) ||
      !std::all_of(out.source.parts.begin(), out.source.parts.end(), is_sha256)) {
    corrupt();
  }
  out.checksum = text("checksum");
  // Version 0.1 wrote neither; since then both are there.
  if (out.checksum.empty() && out.source.fingerprint.empty()) return out;
  if (!is_sha256(out.checksum) || !is_sha256(out.source.fingerprint)) corrupt();
  Json rest = found;
  rest.erase("checksum");
  out.rest = rest.dump();
  return out;
}

void TallyMetadata::check_columns(std::vector<std::string> columns) const {
  std::vector<std::string> wanted = attributes;
  wanted.insert(wanted.end(), {"score", "n"});
  if (labelled) wanted.emplace_back("n1");
  std::sort(wanted.begin(), wanted.end());
  std::sort(columns.begin(), columns.end());
  if (wanted != columns) {
    throw std::invalid_argument("its columns are not those that its metadata name");
  }
}

void TallyMetadata::check(const Tally& tally) const {
  if (!checksum.empty() && checksum != checksum_of(rest, tally)) {
    throw std::invalid_argument("its checksum is wrong: the file is corrupt, or was edited");
  }
}

CountedOptions TallyMetadata::options() const {
  CountedOptions out{.scale = reading.scale,
                     .favorable = reading.favorable,
                     .resolution = resolution,
                     .weighted = weighted};
  if (resolution.cap()) out.level = level;
  return out;
}

}  // namespace evenhand
