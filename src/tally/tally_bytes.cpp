// A tally as bytes: docs/formats.md describes the layout. Little-endian, whatever the machine.
#include <evenhand/tally.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "tally/data.h"

namespace evenhand {
namespace {

constexpr std::string_view magic = "EVENHAND";
constexpr std::uint32_t newest_version = 1;

[[noreturn]] void fail(const std::string& what) {
  throw std::invalid_argument("not a valid tally: " + what);
}

// FNV-1a: finds accidents, not attackers.
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes)
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

class Writer {
 public:
  template <class Integer>
  requires std::is_unsigned_v<Integer>
  void put(Integer value) {
    std::array<std::byte, sizeof value> bytes;
    for (std::size_t i = 0; i < sizeof value; ++i) {
      bytes[i] = static_cast<std::byte>((std::uint64_t{value} >> (8 * i)) & 0xFFU);
    }
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    put_raw(text);
  }
  void put_raw(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  std::vector<std::byte> finish() {
    put(checksum(bytes_));
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Integer>
  requires std::is_unsigned_v<Integer> Integer get() {
    std::uint64_t value = 0;
    const auto raw = take(sizeof(Integer));
    for (std::size_t i = 0; i < raw.size(); ++i)
      value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    return static_cast<Integer>(value);
  }
  double number() { return std::bit_cast<double>(get<std::uint64_t>()); }
  std::string text() {
    const auto raw = take(count(1));
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  // A number of things of at least `size` bytes each; checked before anything is allocated.
  std::size_t count(std::size_t size) {
    const auto value = get<std::uint64_t>();
    if (value > bytes_.size() / size) fail("it is truncated");
    return value;
  }
  bool done() const noexcept { return bytes_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size()) fail("it is truncated");
    const auto out = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return out;
  }
  std::span<const std::byte> bytes_;
};

constexpr std::uint32_t no_level = 0xFFFFFFFF;
std::uint32_t level_code(std::optional<int> level) {
  return level ? static_cast<std::uint32_t>(*level - coarsest_level) : no_level;
}
std::optional<int> level_from(std::uint32_t code) {
  if (code == no_level) return std::nullopt;
  if (code > static_cast<std::uint32_t>(finest_level - coarsest_level)) fail("its level is wrong");
  return static_cast<int>(code) + coarsest_level;
}

std::uint8_t choice(Reader& reader, std::uint8_t largest) {
  const auto value = reader.get<std::uint8_t>();
  if (value > largest) fail("a setting is out of range");
  return value;
}

// One cell's entries, checked one by one.
void read_cell(Reader& reader, const Tally::Data& data, Sorted& out) {
  const std::size_t count = reader.count(data.labelled ? 24 : 16);
  for (std::size_t i = 0; i < count; ++i) {
    const double score = reader.number();
    const double n = reader.number();
    const double n1 = data.labelled ? reader.number() : 0;
    if (!data.reading.valid(score) || (score == 0 && std::signbit(score))) {
      fail("a score is outside its scale");
    }
    if (i > 0 && !(score > out.score.back())) fail("scores do not ascend");
    if (!(n > 0) || std::isinf(n) || !(n1 >= 0 && n1 <= n)) fail("a count is out of range");
    if (data.integer_weights && (n != std::floor(n) || n1 != std::floor(n1))) {
      fail("a count is not an integer");
    }
    if (data.level && cut(score, *data.level, data.reading) != score) {
      fail("a score does not fit the level");
    }
    out.score.push_back(score);
    out.n.push_back(n);
    if (data.labelled) out.n1.push_back(n1);
  }
  out.start.push_back(out.size());
}

}  // namespace

std::vector<std::byte> Tally::to_bytes() const {
  const Data& data = *data_;
  const Sorted& sorted = data.sorted();
  Writer writer;
  writer.put_raw(magic);
  writer.put(newest_version);
  writer.put(static_cast<std::uint8_t>(data.reading.scale));
  writer.put(static_cast<std::uint8_t>(data.reading.favorable));
  writer.put(static_cast<std::uint8_t>(data.labelled));
  writer.put(static_cast<std::uint8_t>(data.unit_weights));
  writer.put(static_cast<std::uint8_t>(data.integer_weights));
  writer.put(level_code(data.resolution.fixed_level()));
  writer.put(std::uint64_t{data.resolution.cap().value_or(0)});
  writer.put(level_code(data.level));
  writer.put(std::uint64_t{data.names.attributes().size()});
  for (const std::string& name : data.names.attributes()) writer.put(std::string_view(name));
  writer.put(std::uint64_t{data.names.size()});
  for (CellCode c = 0; c < data.names.size(); ++c) {
    for (const std::string& value : data.names.values(c)) writer.put(std::string_view(value));
    writer.put(std::uint64_t{sorted.start[c + 1] - sorted.start[c]});
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      writer.put(sorted.score[i]);
      writer.put(sorted.n[i]);
      if (data.labelled) writer.put(sorted.n1[i]);
    }
  }
  return writer.finish();
}

Tally Tally::from_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t version_end = magic.size() + 4;
  if (bytes.size() < magic.size() || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    fail("it does not begin like one");
  }
  if (bytes.size() < version_end + 8) fail("it is truncated");
  const auto version = Reader(bytes.subspan(magic.size())).get<std::uint32_t>();
  if (version > newest_version) {
    fail(fmt::format("it has version {}, this program reads up to version {}; please update",
                     version, newest_version));
  }
  if (version == 0) fail("its version is 0");
  const auto body = bytes.first(bytes.size() - 8);
  if (Reader(bytes.last(8)).get<std::uint64_t>() != checksum(body)) {
    fail("its checksum is wrong: it is truncated or was changed");
  }
  Reader reader(body.subspan(version_end));
  auto data = std::make_shared<Data>();
  data->reading.scale = static_cast<Scale>(choice(reader, 3));
  data->reading.favorable = static_cast<Favorable>(choice(reader, 1));
  data->labelled = choice(reader, 1) == 1;
  data->unit_weights = choice(reader, 1) == 1;
  data->integer_weights = choice(reader, 1) == 1;
  if (data->unit_weights && !data->integer_weights) fail("it counts people in fractions");
  const auto fixed = level_from(reader.get<std::uint32_t>());
  const auto cap = reader.get<std::uint64_t>();
  if (cap == 1 || (fixed && cap)) fail("its resolution is wrong");
  data->resolution = fixed ? Resolution::bits(*fixed)
                     : cap ? Resolution::at_most(cap)
                           : Resolution::exact();
  data->level = level_from(reader.get<std::uint32_t>());
  if (cap == 0 && data->level != fixed) fail("its level is not that of its resolution");
  std::vector<std::string> attributes(reader.count(8));
  for (std::string& name : attributes) name = reader.text();
  std::vector<std::vector<std::string>> cells(reader.count(8));
  Sorted sorted;
  sorted.start.push_back(0);
  for (std::vector<std::string>& values : cells) {
    for (std::size_t i = 0; i < attributes.size(); ++i) values.push_back(reader.text());
    read_cell(reader, *data, sorted);
  }
  if (!reader.done()) fail("it goes on after its end");
  if (sorted.size() == 0) fail("it has no entries");
  try {
    data->names = CellNames(std::move(attributes), cells);
  } catch (const std::invalid_argument& error) {
    fail(error.what());
  }
  data->totals = totals_of(sorted);
  if (!std::isfinite(data->weight()) || (data->integer_weights && data->weight() >= 0x1p53)) {
    fail("its counts are too large");
  }
  data->set_sorted(std::move(sorted));
  return Tally(std::move(data));
}

}  // namespace evenhand
