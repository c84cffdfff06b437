// The vectors in tests/vectors, which other front ends are tested against too: the library must
// give exactly their probabilities and decisions. vectors/README.md describes the files.
#include <evenhand/rule.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

namespace evenhand::vectors_test {
namespace {

struct Row {
  double score;
  std::string unseen, coin, secret, who;
  std::string q;  // bits, or the word for why the row is refused
  std::string decision;
  std::vector<std::string> values;  // one for each attribute of the table
};

struct Vectors {
  std::string name;
  Rule rule;
  std::vector<std::string> attributes;
  std::vector<Row> rows;
};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string unescaped(const std::string& field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      out += field[i];
      continue;
    }
    const char code = field.at(++i);
    out += code == 't' ? '\t' : code == 'n' ? '\n' : code == 'r' ? '\r' : code;
  }
  return out;
}

template <typename Number>
Number parsed(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error("not a number: " + std::string(text));
  }
  return number;
}

std::string bits(double value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) {
    out += digits[(std::bit_cast<std::uint64_t>(value) >> shift) & 15U];
  }
  return out;
}

Vectors read(const std::filesystem::path& table) {
  constexpr std::size_t fixed = 8;  // columns before the attributes
  auto rule_file = table;
  rule_file.replace_extension(".rule.json");
  Vectors out{table.stem().string(), Rule::from_json(content(rule_file)), {}, {}};
  for (const std::string& line : split(content(table), '\n')) {
    if (line.empty()) continue;  // after the last newline
    std::vector<std::string> fields = split(line, '\t');
    std::transform(fields.begin(), fields.end(), fields.begin(), unescaped);
    const std::vector<std::string> rest(fields.begin() + fixed, fields.end());
    if (out.attributes.empty()) {
      out.attributes = rest;
    } else {
      out.rows.push_back({std::bit_cast<double>(parsed<std::uint64_t>(fields.at(1), 16)), fields[2],
                          fields[3], fields[4], fields[5], fields[6], fields[7], rest});
    }
  }
  return out;
}

// Every table of the folder; nothing to test is a failure.
std::vector<Vectors> all_vectors() {
  std::vector<std::filesystem::path> tables;
  for (const auto& entry : std::filesystem::directory_iterator(EVENHAND_VECTORS)) {
    if (entry.path().extension() == ".tsv") tables.push_back(entry.path());
  }
  if (tables.empty()) throw std::runtime_error("no vectors in " EVENHAND_VECTORS);
  std::sort(tables.begin(), tables.end());
  std::vector<Vectors> out;
  for (const auto& table : tables) {
    out.push_back(read(table));
    if (out.back().rows.empty()) throw std::runtime_error("no rows in " + table.string());
  }
  return out;
}

bool is_refused(const Row& row) {
  return row.q == "unseen" || row.q == "invalid";
}

Unseen policy(const std::string& name) {
  if (name == "error") return Unseen::error;
  if (name == "score") return Unseen::score;
  if (name == "reject") return Unseen::reject;
  throw std::runtime_error("no such policy: " + name);
}

Coin coin_of(const Row& row) {
  if (row.coin == "seed") return Coin::seeded(parsed<std::uint64_t>(row.secret));
  std::string key;
  for (std::size_t i = 0; i < row.secret.size(); i += 2) {
    key += static_cast<char>(parsed<std::uint8_t>(std::string_view(row.secret).substr(i, 2), 16));
  }
  return Coin::keyed(key);
}

// The columns of some rows, as a caller would hold them.
struct Columns {
  Cells cells;
  std::vector<double> scores;
  std::vector<std::string> ids;

  Columns(const Vectors& vectors, std::span<const Row> rows) {
    std::vector<std::vector<std::string>> values(vectors.attributes.size());
    for (const Row& row : rows) {
      scores.push_back(row.score);
      ids.push_back(row.who);
      for (std::size_t a = 0; a < values.size(); ++a) values[a].push_back(row.values.at(a));
    }
    std::vector<Attribute> attributes;
    for (std::size_t a = 0; a < values.size(); ++a) {
      attributes.push_back({vectors.attributes[a], values[a]});
    }
    cells = Cells::from(attributes);
  }

  // Each row's cell in the rule, or unseen_cell.
  std::vector<CellCode> codes_in(const Rule& rule) const {
    const std::vector<CellCode> to = translate(cells.names, rule.cells());
    std::vector<CellCode> out;
    for (const CellCode cell : cells.codes) out.push_back(to.at(cell));
    return out;
  }
};

// The rows that can be asked about in one call.
std::vector<std::vector<Row>> groups(const Vectors& vectors, const std::string& coin) {
  std::map<std::array<std::string, 2>, std::vector<Row>> by_call;
  for (const Row& row : vectors.rows) {
    if (row.coin == coin && !is_refused(row)) by_call[{row.unseen, row.secret}].push_back(row);
  }
  std::vector<std::vector<Row>> out;
  for (auto& [call, rows] : by_call) out.push_back(std::move(rows));
  return out;
}

template <typename Check>
void for_each_group(const std::string& coin, const Check& check) {
  std::size_t count = 0;
  for (const Vectors& vectors : all_vectors()) {
    SCOPED_TRACE(vectors.name);
    for (const std::vector<Row>& rows : groups(vectors, coin)) {
      check(vectors, rows);
      count += rows.size();
    }
  }
  EXPECT_GT(count, 300U);
}

TEST(Vectors, ProbabilitiesOfOnePerson) {
  std::size_t seen = 0;
  for (const Vectors& vectors : all_vectors()) {
    const Columns columns(vectors, vectors.rows);
    const std::vector<CellCode> codes = columns.codes_in(vectors.rule);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      SCOPED_TRACE(vectors.name + ", row " + std::to_string(i));
      const Row& row = vectors.rows[i];
      const double q = vectors.rule.probability(codes[i], row.score);
      if (codes[i] == unseen_cell || std::isnan(row.score)) {
        EXPECT_TRUE(std::isnan(q));
      } else if (!is_refused(row)) {
        EXPECT_EQ(bits(q), row.q);
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 1000U);
}

TEST(Vectors, ProbabilitiesOfManyPeople) {
  for (const std::string coin : {"key", "seed"}) {
    for_each_group(coin, [](const Vectors& vectors, const std::vector<Row>& rows) {
      const Columns columns(vectors, rows);
      const Unseen unseen = policy(rows[0].unseen);
      const auto by_name = vectors.rule.probability(columns.cells, columns.scores, unseen);
      const auto by_code =
          vectors.rule.probability(columns.codes_in(vectors.rule), columns.scores, unseen);
      ASSERT_EQ(by_name.size(), rows.size());
      ASSERT_EQ(by_code.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(bits(by_name[i]), rows[i].q) << rows[i].who;
        EXPECT_EQ(bits(by_code[i]), rows[i].q) << rows[i].who;
      }
    });
  }
}

TEST(Vectors, DecisionsByKeyAndId) {
  for_each_group("key", [](const Vectors& vectors, const std::vector<Row>& rows) {
    const Columns columns(vectors, rows);
    const auto decisions = vectors.rule.decide(columns.cells, columns.scores, columns.ids,
                                               coin_of(rows[0]), policy(rows[0].unseen));
    ASSERT_EQ(decisions.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(std::to_string(decisions[i]), rows[i].decision) << rows[i].who;
    }
  });
}

TEST(Vectors, DecisionsBySeedAndPosition) {
  for_each_group("seed", [](const Vectors& vectors, const std::vector<Row>& rows) {
    const Columns columns(vectors, rows);
    const auto decisions = vectors.rule.decide(columns.cells, columns.scores, coin_of(rows[0]),
                                               policy(rows[0].unseen));
    ASSERT_EQ(decisions.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(std::to_string(i), rows[i].who) << "positions must ascend from 0";
      EXPECT_EQ(std::to_string(decisions[i]), rows[i].decision) << "position " << i;
    }
  });
}

TEST(Vectors, RefusesUnseenCellsAndInvalidScores) {
  std::map<std::string, std::size_t> count;
  for (const Vectors& vectors : all_vectors()) {
    for (const Row& row : vectors.rows) {
      if (!is_refused(row)) continue;
      SCOPED_TRACE(vectors.name + ": " + row.q + ", id " + row.who);
      ++count[row.q];
      const Columns columns(vectors, std::span(&row, 1));
      const auto check = [&](const auto& ask) {
        if (row.q == "unseen") {
          EXPECT_THROW(ask(), std::out_of_range);
        } else {
          EXPECT_THROW(ask(), std::invalid_argument);
        }
      };
      const Unseen unseen = policy(row.unseen);
      const Rule& rule = vectors.rule;
      check([&] { (void)rule.probability(columns.cells, columns.scores, unseen); });
      check([&] { (void)rule.probability(columns.codes_in(rule), columns.scores, unseen); });
      check([&] {
        (void)rule.decide(columns.cells, columns.scores, columns.ids, coin_of(row), unseen);
      });
    }
  }
  EXPECT_GT(count["unseen"], 0U);
  EXPECT_GT(count["invalid"], 0U);
}

TEST(Vectors, RulesSurviveBeingWrittenAndReadAgain) {
  for (const Vectors& vectors : all_vectors()) {
    SCOPED_TRACE(vectors.name);
    EXPECT_EQ(Rule::from_json(vectors.rule.to_json()), vectors.rule);
  }
}

}  // namespace
}  // namespace evenhand::vectors_test
