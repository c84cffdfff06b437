// Statements are text until an engine runs them (tests/cli and python/tests do): here, that no name
// or value leaves its quotes in any dialect, what each option puts into them, and what is refused.
#include <evenhand/sql.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "support/throws.h"

namespace evenhand::testing::sql_test {
namespace {

constexpr std::array dialects = {Dialect::duckdb,   Dialect::postgresql, Dialect::spark,
                                 Dialect::bigquery, Dialect::snowflake,  Dialect::trino};

// What an engine reads: everything outside of quotes as it is, each name and each text as one
// token. Throws for quotes that are not closed. Written from the engines' manuals, apart from the
// code that quotes.
struct Tokens {
  std::string outside;
  std::vector<std::string> names, texts;
};

Tokens read(std::string_view sql, Dialect dialect) {
  const bool backticks = dialect == Dialect::spark || dialect == Dialect::bigquery;
  const char name_quote = backticks ? '`' : '"';
  Tokens out;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char quote = sql[i];
    if (quote != name_quote && quote != '\'') {
      out.outside += quote;
      continue;
    }
    const bool is_text = quote == '\'';
    const bool extended = dialect == Dialect::postgresql && i > 0 && sql[i - 1] == 'E';
    const bool escapes =
        dialect == Dialect::bigquery ||
        (is_text && (dialect == Dialect::spark || dialect == Dialect::snowflake || extended));
    const bool doubles = dialect != Dialect::bigquery && !(is_text && dialect == Dialect::spark);
    std::string token;
    for (++i;; ++i) {
      if (i >= sql.size()) throw std::runtime_error("a quote is not closed");
      if (escapes && sql[i] == '\\') {
        if (sql.substr(i, 6) == "\\u0024") {
          token += '$';
          i += 5;
        } else {
          ++i;
          token += sql[i] == 'n' ? '\n' : sql[i] == 'r' ? '\r' : sql[i];
        }
      } else if (sql[i] != quote) {
        token += sql[i];
      } else if (doubles && i + 1 < sql.size() && sql[i + 1] == quote) {
        token += sql[++i];
      } else {
        break;
      }
    }
    (is_text ? out.texts : out.names).push_back(token);
    out.outside += is_text ? '?' : '#';
  }
  return out;
}

const std::vector<std::string>& hostile() {
  static const std::vector<std::string> all = {"'",
                                               "\"",
                                               "`",
                                               "\\",
                                               "\\'",
                                               "'; DROP TABLE people; --",
                                               "\"; DROP TABLE people; --",
                                               "`; DROP TABLE people; --",
                                               "*/ /* -- x",
                                               "a\nb\r\tc",
                                               "ünï 🙂",
                                               "{0} {}",
                                               "$$ ${x} $1 ? :x @x",
                                               "SELECT",
                                               " "};
  return all;
}

// Steps with a coin for one group, a ramp for the other.
Rule rule_of(const std::string& attribute, const std::string& value, Reading reading = {}) {
  RuleParts parts;
  parts.cells = CellNames({attribute}, {{value}, {value + "~"}});
  Response steps;
  steps.shape = Response::Shape::steps;
  steps.points = {{0.4, 0.25}, {0.6, 1}};
  Response ramp;
  ramp.shape = Response::Shape::ramp;
  ramp.points = {{0.3, 0}, {0.5, 1}};
  parts.responses = {steps, ramp};
  parts.reading = reading;
  parts.otherwise = 0.77;
  return Rule(std::move(parts));
}

SqlApplyOptions options_of(Dialect dialect, const std::string& name = "x") {
  return {.dialect = dialect,
          .source = {.table = "people"},
          .score = name + "s",
          .id = name + "i",
          .probability = name + "p",
          .decision = name + "d"};
}

bool has(const std::vector<std::string>& tokens, const std::string& text) {
  return std::find(tokens.begin(), tokens.end(), text) != tokens.end();
}

bool says(const std::vector<std::string>& tokens, const std::string& part) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
    return token.find(part) != std::string::npos;
  });
}

TEST(Sql, NamesAndValuesNeverLeaveTheirQuotes) {
  for (const Dialect dialect : dialects) {
    const std::string plain =
        read(sql_apply(rule_of("g", "v"), options_of(dialect)), dialect).outside;
    for (const std::string& text : hostile()) {
      SCOPED_TRACE(fmt::format("{}: {}", to_string(dialect), text));
      if (dialect == Dialect::spark && text.find("${") != std::string::npos) continue;  // below
      const std::string sql = sql_apply(rule_of(text + "g", text + "v"), options_of(dialect, text));
      const Tokens tokens = read(sql, dialect);
      for (const char* name : {"g", "s", "i", "p", "d"}) {
        EXPECT_TRUE(has(tokens.names, text + name)) << sql;
      }
      EXPECT_TRUE(has(tokens.texts, text + "v")) << sql;
      EXPECT_TRUE(has(tokens.texts, text + "v~")) << sql;
      // All else is what it is for harmless names, but for the kind of a text in PostgreSQL.
      std::string outside = tokens.outside;
      for (std::size_t at; (at = outside.find("E?")) != std::string::npos;) outside.erase(at, 1);
      EXPECT_EQ(outside, plain);
    }
  }
}

TEST(Sql, SparkReplacesNothingInNamesAndTexts) {
  const std::string text = "${x}";
  const std::string sql = sql_apply(rule_of(text, text), options_of(Dialect::spark, text));
  EXPECT_EQ(sql.find("${"), std::string::npos);
  EXPECT_NE(sql.find("IDENTIFIER('evenhand_rows.`\\u0024{x}s`')"), std::string::npos) << sql;
}

// Java inlines the hash into the method that Spark generates only while that is small.
TEST(Sql, SparkHashesInOnePlaceHoweverManyCoinsThereAre) {
  for (const std::size_t coins : {1u, 2u, 8u, 9u, 40u}) {
    RuleParts parts;
    parts.cells = CellNames({"g"}, {{"v"}});
    Response steps;
    steps.shape = Response::Shape::steps;
    for (std::size_t i = 1; i <= coins; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(coins + 1);
      steps.points.push_back({x, x});
    }
    parts.responses = {steps};
    const std::string sql = sql_apply(Rule(std::move(parts)), options_of(Dialect::spark));
    const std::size_t at = sql.find("sha2(");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(sql.find("sha2(", at + 1), std::string::npos) << sql;
  }
}

TEST(Sql, TalliesAndCountsQuoteTheSame) {
  for (const Dialect dialect : dialects) {
    for (const std::string& text : hostile()) {
      if (dialect == Dialect::spark && text.find("${") != std::string::npos) continue;
      SCOPED_TRACE(fmt::format("{}: {}", to_string(dialect), text));
      const SqlTallyOptions options{.dialect = dialect,
                                    .source = {.table = "people"},
                                    .score = text + "s",
                                    .attributes = {text + "g"},
                                    .label = text + "y",
                                    .weight = text + "w",
                                    .null = text + "n"};
      for (const std::string& sql : {sql_tally(options), sql_audit(options)}) {
        const Tokens tokens = read(sql, dialect);
        for (const char* name : {"s", "g", "y", "w"}) {
          EXPECT_TRUE(has(tokens.names, text + name)) << sql;
        }
        EXPECT_TRUE(has(tokens.texts, text + "n")) << sql;
        EXPECT_EQ(tokens.outside.find("DROP"), std::string::npos) << sql;
      }
    }
  }
}

TEST(Sql, PartsOfTableNamesAreQuotedOneByOne) {
  SqlApplyOptions options = options_of(Dialect::duckdb);
  options.source.table = "shop.\"people.\"\"2025\"";
  const std::string sql = sql_apply(rule_of("g", "v"), options);
  EXPECT_NE(sql.find("FROM \"shop\".\"people.\"\"2025\" AS evenhand_rows"), std::string::npos);
  for (const char* bad : {"\"open", "a..b", ".a", "a.", ""}) {
    options.source.table = bad;
    expect_throw<std::invalid_argument>(
        [&] { std::ignore = sql_apply(rule_of("g", "v"), options); }, "");
  }
  options.source = {.select = "SELECT 1 -- a comment"};
  EXPECT_NE(sql_apply(rule_of("g", "v"), options).find("-- a comment\n) AS evenhand_rows"),
            std::string::npos);
  options.source = {.table = "t", .select = "SELECT 1"};
  expect_throw<std::invalid_argument>([&] { std::ignore = sql_apply(rule_of("g", "v"), options); },
                                      "a table, or");
}

TEST(Sql, GroupsNeverSeenAreAnErrorOrDecidedAsAsked) {
  for (const Dialect dialect : dialects) {
    SqlApplyOptions options = options_of(dialect);
    const Rule rule = rule_of("g", "v");
    EXPECT_TRUE(says(read(sql_apply(rule, options), dialect).texts, "has never seen g="));
    for (const Unseen unseen : {Unseen::score, Unseen::reject}) {
      options.unseen = unseen;
      const std::string sql = sql_apply(rule, options);
      EXPECT_FALSE(says(read(sql, dialect).texts, "has never seen")) << sql;
      EXPECT_EQ(sql.find("0.77") != std::string::npos, unseen == Unseen::score) << sql;
    }
    options.unseen = Unseen::error;
    EXPECT_FALSE(has(read(sql_apply(rule, options), dialect).texts, "nobody's"));
    options.null_name = "nobody's";
    EXPECT_TRUE(has(read(sql_apply(rule, options), dialect).texts, "nobody's"));
  }
}

TEST(Sql, MissingValuesOfATallyAreRefusedLeftOutOrNamed) {
  for (const Dialect dialect : dialects) {
    SqlTallyOptions options{.dialect = dialect,
                            .source = {.table = "t"},
                            .score = "s",
                            .attributes = {"g", "h"},
                            .label = "y"};
    std::string sql = sql_tally(options);
    EXPECT_TRUE(says(read(sql, dialect).texts, "a value of g is missing"));
    EXPECT_TRUE(says(read(sql, dialect).texts, "a value of y is missing"));
    EXPECT_EQ(sql.find("IS NOT NULL"), std::string::npos);
    options.null = "exclude";
    sql = sql_tally(options);
    EXPECT_FALSE(says(read(sql, dialect).texts, "is missing"));
    std::size_t kept = 0;
    for (std::size_t at = 0; (at = sql.find("IS NOT NULL", at)) != std::string::npos; ++at) ++kept;
    EXPECT_EQ(kept, 4u);
    options.null = "none";
    sql = sql_tally(options);
    EXPECT_TRUE(has(read(sql, dialect).texts, "none"));
    EXPECT_FALSE(says(read(sql, dialect).texts, "a value of g is missing"));
    EXPECT_TRUE(says(read(sql, dialect).texts, "a value of s is missing"));
  }
}

TEST(Sql, TheSecretIsReadOnceAndNeverWritten) {
  const Coin coin = Coin::keyed("a key");
  for (const Dialect dialect : dialects) {
    const std::string sql = sql_apply(rule_of("g", "v"), options_of(dialect));
    EXPECT_EQ(sql.find(coin.prefix()), std::string::npos);
    EXPECT_NE(sql_key(dialect, coin).find(coin.prefix()), std::string::npos);
    EXPECT_TRUE(says(read(sql, dialect).texts, "the secret is not set"));
    EXPECT_TRUE(says(read(sql, dialect).texts, "a row has no id"));
    SqlApplyOptions whole = options_of(dialect);
    whole.whole_ids = true;
    EXPECT_TRUE(says(read(sql_apply(rule_of("g", "v"), whole), dialect).texts, "a row has no id"));
  }
  // PostgreSQL would ask the session again for every row.
  const std::string sql = sql_apply(rule_of("g", "v"), options_of(Dialect::postgresql));
  const std::string setting = "current_setting('evenhand.key')";
  for (std::size_t at = 0; (at = sql.find(setting, at)) != std::string::npos; at += 1) {
    const std::string before = sql.substr(0, at);
    EXPECT_TRUE(before.ends_with("(SELECT ") || before.ends_with("LENGTH(")) << before;
  }
  // Of a column it belongs to the row.
  SqlApplyOptions options = options_of(Dialect::postgresql);
  options.key_column = "k";
  EXPECT_EQ(sql_apply(rule_of("g", "v"), options).find("(SELECT"), std::string::npos);
}

TEST(Sql, OptionsThatCannotBeAreRefused) {
  const Rule rule = rule_of("g", "v");
  const auto refuses = [&](auto change, const char* what, const Rule& of) {
    for (const Dialect dialect : dialects) {
      SqlApplyOptions options = options_of(dialect);
      change(options);
      expect_throw<std::invalid_argument>([&] { std::ignore = sql_apply(of, options); }, what);
    }
  };
  refuses([](SqlApplyOptions& o) { o.score = ""; }, "the column with the score", rule);
  refuses([](SqlApplyOptions& o) { o.id = ""; }, "by a coin", rule);
  refuses([](SqlApplyOptions& o) { o.decision = o.probability; }, "the same name", rule);
  refuses([](SqlApplyOptions& o) { o.score = std::string("a\0b", 3); }, "NUL", rule);
  refuses([](SqlApplyOptions& o) { o.id = "\xff"; }, "UTF-8", rule);
  refuses([](SqlApplyOptions& o) { o.null_name = "\xff"; }, "UTF-8", rule);
  refuses([](SqlApplyOptions& o) { o.source = {}; }, "where the rows are", rule);
  SqlApplyOptions longest = options_of(Dialect::postgresql);
  longest.score = std::string(64, 'x');
  expect_throw<std::invalid_argument>([&] { std::ignore = sql_apply(rule, longest); }, "63 bytes");
  longest.score.pop_back();
  EXPECT_NO_THROW(sql_apply(rule, longest));
  expect_throw<std::invalid_argument>([] { std::ignore = dialect_from("oracle"); }, "dialect");
}

TEST(Sql, TalliesRefuseWhatCannotBeCounted) {
  const auto refuses = [](auto change, const char* what) {
    for (const Dialect dialect : dialects) {
      SqlTallyOptions options{
          .dialect = dialect, .source = {.table = "t"}, .score = "s", .attributes = {"g"}};
      change(options);
      expect_throw<std::invalid_argument>([&] { std::ignore = sql_tally(options); }, what);
    }
  };
  refuses([](SqlTallyOptions& o) { o.score = ""; }, "the column with the score");
  refuses([](SqlTallyOptions& o) { o.resolution = Resolution::at_most(); }, "auto");
  refuses([](SqlTallyOptions& o) { o.attributes = {"g", "g"}; }, "twice");
  refuses([](SqlTallyOptions& o) { o.attributes = {"N"}; }, "rename it");
  refuses([](SqlTallyOptions& o) { o.attributes = {""}; }, "empty");
  refuses([](SqlTallyOptions& o) { o.source = {}; }, "where the rows are");
}

}  // namespace
}  // namespace evenhand::testing::sql_test
