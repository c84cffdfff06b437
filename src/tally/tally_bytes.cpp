// A tally as bytes: docs/formats.md describes the layout. Little-endian, whatever the machine.
#include <evenhand/tally.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "support/parallel.h"
#include "tally/checksum.h"
#include "tally/data.h"

namespace evenhand {
namespace {

constexpr std::string_view magic = "EVENHAND";
constexpr std::uint32_t newest_version = 1;

[[noreturn]] void fail(const std::string& what) {
  throw std::invalid_argument("not a valid tally: " + what);
}

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  Checksums<> out;
  out.put(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return out.at[0];
}

// Hands bytes on, many at a time: while they are taken, the next ones are made.
class ByteStream {
 public:
  ByteStream(const Tally::Put& put, bool side_by_side) : put_(put), side_by_side_(side_by_side) {}

  void put(const unsigned char* at, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      if (used_ == room) hand_on();
      bytes_[used_++] = static_cast<std::byte>(at[i]);
    }
  }
  void number(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (room - used_ < sizeof bits) hand_on();
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(bytes_.get() + used_, &bits, sizeof bits);
    } else {
      for (unsigned i = 0; i < 8; ++i) bytes_[used_ + i] = static_cast<std::byte>(bits >> (8 * i));
    }
    used_ += sizeof bits;
  }
  void finish() {
    if (taken_.valid()) taken_.get();
    put_({bytes_.get(), std::exchange(used_, 0)});
  }

 private:
  static constexpr std::size_t room = std::size_t{1} << 20U;

  void hand_on() {
    if (!side_by_side_) return finish();
    if (taken_.valid()) taken_.get();
    std::swap(bytes_, before_);
    if (!bytes_) bytes_ = std::make_unique_for_overwrite<std::byte[]>(room);
    taken_ = std::async(std::launch::async, [this, size = std::exchange(used_, 0)] {
      put_({before_.get(), size});
    });
  }

  const Tally::Put& put_;
  bool side_by_side_;
  std::unique_ptr<std::byte[]> bytes_ = std::make_unique_for_overwrite<std::byte[]>(room);
  std::unique_ptr<std::byte[]> before_;
  std::size_t used_ = 0;
  std::future<void> taken_;  // the last member: it waits before the bytes go
};

template <class Integer, class Sink>
requires std::is_unsigned_v<Integer>
void put_integer(Sink& sink, Integer value) {
  std::array<unsigned char, sizeof value> bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes[i] = static_cast<unsigned char>((std::uint64_t{value} >> (8 * i)) & 0xFFU);
  }
  sink.put(bytes.data(), bytes.size());
}

template <class Sink>
void put_raw(Sink& sink, std::string_view text) {
  sink.put(reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

template <class Sink>
void put_text(Sink& sink, std::string_view text) {
  put_integer(sink, std::uint64_t{text.size()});
  put_raw(sink, text);
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
    out.n.push_back(n);
    if (data.labelled) out.n1.push_back(n1);
  }
  out.start.push_back(out.size());
}

// All bytes but the checksum; entries(sink, begin, end) puts those of a cell.
template <class Sink, class Entries>
void put_tally(Sink& sink, const Tally::Data& data, Entries entries) {
  const Sorted& sorted = data.sorted();
  put_raw(sink, magic);
  put_integer(sink, newest_version);
  put_integer(sink, static_cast<std::uint8_t>(data.reading.scale));
  put_integer(sink, static_cast<std::uint8_t>(data.reading.favorable));
  put_integer(sink, static_cast<std::uint8_t>(data.labelled));
  put_integer(sink, static_cast<std::uint8_t>(data.unit_weights));
  put_integer(sink, static_cast<std::uint8_t>(data.integer_weights));
  put_integer(sink, level_code(data.resolution.fixed_level()));
  put_integer(sink, std::uint64_t{data.resolution.cap().value_or(0)});
  put_integer(sink, level_code(data.level));
  put_integer(sink, std::uint64_t{data.names.attributes().size()});
  for (const std::string& name : data.names.attributes()) put_text(sink, name);
  put_integer(sink, std::uint64_t{data.names.size()});
  for (CellCode c = 0; c < data.names.size(); ++c) {
    for (const std::string& value : data.names.values(c)) put_text(sink, value);
    put_integer(sink, std::uint64_t{sorted.start[c + 1] - sorted.start[c]});
    entries(sink, sorted.start[c], sorted.start[c + 1]);
  }
}

template <class Sink>
void put_entries(Sink& sink, const Sorted& sorted, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    sink.number(sorted.score[i]);
    sink.number(sorted.n[i]);
    if (!sorted.n1.empty()) sink.number(sorted.n1[i]);
  }
}

// In parts where many threads have a long way to go.
std::uint64_t checksum_of(const Tally::Data& data) {
  const Sorted& sorted = data.sorted();
  const unsigned threads = thread_count(0);
  constexpr std::size_t part = std::size_t{1} << 16U;
  constexpr unsigned passes = 4;  // that parts take
  Checksums<> state;
  put_tally(state, data, [&](Checksums<>& sink, std::size_t begin, std::size_t end) {
    const std::size_t parts = (end - begin) / part;
    if (parts < 2 || threads <= passes) return put_entries(sink, sorted, begin, end);
    const auto from = [&](std::size_t i) { return begin + (end - begin) * i / parts; };
    const std::size_t size = data.labelled ? 24 : 16;
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < parts; ++i) sizes.push_back(size * (from(i + 1) - from(i)));
    sink.at[0] = checksum_of_parts(sink.at[0], sizes, threads, [&](auto& some, std::size_t i) {
      put_entries(some, sorted, from(i), from(i + 1));
    });
  });
  return state.at[0];
}

}  // namespace

void Tally::put_bytes(const Put& put) const {
  data_->sorted();  // with all threads, before they split
  std::uint64_t sum = 0;
  ByteStream stream(put, thread_count(0) > 2);
  parallel(2, 0, [&](std::size_t which) {
    if (which == 1) {
      sum = checksum_of(*data_);
      return;
    }
    put_tally(stream, *data_, [&](ByteStream& sink, std::size_t begin, std::size_t end) {
      put_entries(sink, data_->sorted(), begin, end);
    });
  });
  put_integer(stream, sum);
  stream.finish();
}

std::vector<std::byte> Tally::to_bytes() const {
  std::vector<std::byte> out;
  put_bytes(
      [&](std::span<const std::byte> piece) { out.insert(out.end(), piece.begin(), piece.end()); });
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
