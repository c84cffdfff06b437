// What is said of a tally beside its counts: where it comes from, and the metadata of its Parquet
// file (docs/formats.md). One writer and one reader for the tool and Python.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/scale.h>
#include <evenhand/tally.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Where a tally comes from, as far as that is known. Texts are empty, and lists too, if it is not.
struct TallySource {
  Roles roles = {};        // who is compared with whom
  std::string score = {};  // names of columns
  std::string label = {};
  std::string weight = {};
  std::string null = {};  // what was done with missing values: error, exclude, or a group's name
  std::optional<std::uint64_t> rows = {};  // that were counted
  std::uint64_t excluded = 0;              // rows left out for a missing value
  double min_count = 0;                    // no entry has fewer rows
  // Of the tally as it was counted, before pool_rare and project; empty: that of its counts now.
  std::string fingerprint = {};
  std::vector<std::string> parts = {};  // fingerprints of what was merged, sorted; empty: nothing

  // Of the merged tally: keeps what both agree on; fingerprints are left out. Throws
  // std::invalid_argument if both say who is compared, and differ.
  TallySource merged(const TallySource& other) const;
  bool operator==(const TallySource&) const = default;
};

// SHA-256 of the SHA-256 of each MiB of Tally::to_bytes without the last eight bytes, as 64
// lower-case hexadecimal digits.
std::string fingerprint(const Tally& tally);

enum class Repeated { refuse, allow };  // tallies that were merged already

struct StoredTally {
  Tally tally;
  TallySource source = {};

  // Rows that were counted; none if they had weights and nobody counted them.
  std::optional<std::uint64_t> rows() const;
  std::string fingerprint() const;         // of the tally as it was counted
  std::vector<std::string> parts() const;  // its own fingerprint, or those of what was merged
  // Throws std::invalid_argument as Tally::merge and TallySource::merged do, and if a part is in
  // both, since its people would count twice.
  StoredTally merged(const StoredTally& other, Repeated repeated = Repeated::refuse) const;
  // The entry `evenhand` of the file's key-value metadata: a JSON object on one line.
  std::string metadata() const;
};

// The metadata, read.
struct TallyMetadata {
  std::vector<std::string> attributes;
  Reading reading = {};
  Resolution resolution = Resolution::exact();
  std::optional<int> level = {};
  bool labelled = false;
  bool weighted = false;
  TallySource source = {};
  std::string checksum = {};  // of all the rest and of the counts; empty: none, before 0.2
  std::string rest = {};      // the metadata without it

  // Throws std::invalid_argument for anything but metadata of a version it knows.
  static TallyMetadata from_json(std::string_view json);

  // Columns of the file: the attributes', score, n and, if labelled, n1. Throws
  // std::invalid_argument unless these are they, in any order.
  void check_columns(std::vector<std::string> columns) const;
  // For Tally::counted; `positives` is left to the caller.
  CountedOptions options() const;
  // Throws std::invalid_argument unless the tally is the one that was written.
  void check(const Tally& tally) const;
};

}  // namespace evenhand
