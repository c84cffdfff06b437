// A tally as bytes: docs/formats.md describes the layout. Little-endian, whatever the machine.
#include "tally/tally_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

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

// FNV-1a.
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) {
    h = (h ^ std::to_integer<std::uint64_t>(byte)) * std::uint64_t{0x100000001b3};
  }
  return h;
}

void put(std::byte* to, std::uint64_t value, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

template <class Integer>
requires std::is_unsigned_v<Integer>
void put_integer(std::string& to, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    to += static_cast<char>((std::uint64_t{value} >> (8 * i)) & 0xFFU);
  }
}

void put_text(std::string& to, std::string_view text) {
  put_integer(to, std::uint64_t{text.size()});
  to += text;
}

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
    out.counts.push_back(n);
    if (data.labelled) out.n1.push_back(n1);
  }
  out.start.push_back(out.size());
}

std::string header_of(const Tally::Data& data) {
  std::string out(magic);
  put_integer(out, newest_version);
  put_integer(out, static_cast<std::uint8_t>(data.reading.scale));
  put_integer(out, static_cast<std::uint8_t>(data.reading.favorable));
  put_integer(out, static_cast<std::uint8_t>(data.labelled));
  put_integer(out, static_cast<std::uint8_t>(data.unit_weights));
  put_integer(out, static_cast<std::uint8_t>(data.integer_weights));
  put_integer(out, level_code(data.resolution.fixed_level()));
  put_integer(out, std::uint64_t{data.resolution.cap().value_or(0)});
  put_integer(out, level_code(data.level));
  put_integer(out, std::uint64_t{data.names.attributes().size()});
  for (const std::string& name : data.names.attributes()) put_text(out, name);
  put_integer(out, std::uint64_t{data.names.size()});
  return out;
}

}  // namespace

TallyBytes::TallyBytes(const Tally& tally)
    : sorted_(tally.data().sorted()), entry_size_(tally.data().labelled ? 24 : 16) {
  const Tally::Data& data = tally.data();
  std::string text = header_of(data);
  for (CellCode c = 0; c < data.names.size(); ++c) {
    for (const std::string& value : data.names.values(c)) put_text(text, value);
    const std::size_t count = sorted_.start[c + 1] - sorted_.start[c];
    put_integer(text, std::uint64_t{count});
    stretches_.push_back({size_, std::exchange(text, {}), sorted_.start[c]});
    size_ += stretches_.back().text.size() + count * entry_size_;
  }
}

void TallyBytes::copy(std::size_t begin, std::span<std::byte> to) const {
  auto stretch = std::upper_bound(stretches_.begin(), stretches_.end(), begin,
                                  [](std::size_t at, const Stretch& s) { return at < s.at; });
  for (--stretch; !to.empty(); ++stretch) {
    const std::size_t end = stretch + 1 == stretches_.end() ? size_ : (stretch + 1)->at;
    const auto take = [&](const void* from, std::size_t size) {
      const std::size_t taken = std::min(size, to.size());
      std::memcpy(to.data(), from, taken);
      to = to.subspan(taken);
      begin += taken;
    };
    const std::size_t entries = stretch->at + stretch->text.size();
    if (begin < entries) take(stretch->text.data() + (begin - stretch->at), entries - begin);
    std::array<std::byte, 24> entry;
    const auto put_entry = [&](std::size_t i, std::byte* at) {
      put(at, std::bit_cast<std::uint64_t>(sorted_.score[i]), 8);
      put(at + 8, std::bit_cast<std::uint64_t>(sorted_.n(i)), 8);
      if (entry_size_ > 16) put(at + 16, std::bit_cast<std::uint64_t>(sorted_.n1[i]), 8);
    };
    while (begin < end && !to.empty()) {
      std::size_t i = stretch->first + (begin - entries) / entry_size_;
      const std::size_t skipped = (begin - entries) % entry_size_;
      const std::size_t whole = std::min(to.size(), end - begin) / entry_size_;
      if (skipped > 0 || whole == 0) {
        put_entry(i, entry.data());
        take(entry.data() + skipped, entry_size_ - skipped);
        continue;
      }
      std::byte* at = to.data();
      for (; i < stretch->first + (begin - entries) / entry_size_ + whole; ++i) {
        put_entry(i, at);
        at += entry_size_;
      }
      to = to.subspan(whole * entry_size_);
      begin += whole * entry_size_;
    }
  }
}

std::vector<std::byte> Tally::to_bytes() const {
  const TallyBytes bytes(*this);
  std::vector<std::byte> out(bytes.size() + 8);
  const std::span body(out.data(), bytes.size());
  bytes.copy(0, body);
  put(out.data() + body.size(), checksum(body), 8);
  return out;
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
