// What a tally's file says beside its counts.
#include <evenhand/tally_file.h>

#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/rule_text.h"
#include "support/throws.h"

namespace evenhand::testing::tally_metadata_test {
namespace {

StoredTally some_stored(TallyOptions options = {}) {
  const std::vector<double> score = {0.25, 0.5, 0.75, 0.75};
  const std::vector<std::string> sex = {"F", "F", "M", "M"};
  const std::vector<std::string> race = {"a", "b", "a", "b"};
  return {.tally = Tally::of(score, Cells::from({{"sex", sex}, {"race", race}}), options),
          .source = {.roles = {{"sex"}, {"race"}},
                     .score = "p",
                     .label = "y",
                     .null = "exclude",
                     .excluded = 2,
                     .min_count = 1.5}};
}

TEST(TallyMetadata, ReadBackWhatTheyWrote) {
  const StoredTally stored =
      some_stored({.favorable = Favorable::low, .resolution = Resolution::at_most(2)});
  const TallyMetadata read = TallyMetadata::from_json(stored.metadata());
  EXPECT_EQ(read.attributes, stored.tally.cells().attributes());
  TallySource source = stored.source;
  source.fingerprint = stored.fingerprint();
  EXPECT_TRUE(read.source == source);
  EXPECT_EQ(read.reading, stored.tally.reading());
  EXPECT_EQ(read.resolution, stored.tally.resolution());
  EXPECT_EQ(read.level, stored.tally.level());
  EXPECT_FALSE(read.labelled);
  EXPECT_FALSE(read.weighted);
  EXPECT_EQ(read.options().level, stored.tally.level());
  read.check_columns({"n", "race", "score", "sex"});
}

TEST(TallyMetadata, NameTheColumnsOfTheFile) {
  const TallyMetadata read = TallyMetadata::from_json(some_stored().metadata());
  for (const std::vector<std::string>& columns : {std::vector<std::string>{"sex", "score", "n"},
                                                  {"sex", "race", "score"},
                                                  {"sex", "race", "score", "n", "n1"},
                                                  {"sex", "Race", "score", "n"}}) {
    expect_throw<std::invalid_argument>([&] { read.check_columns(columns); },
                                        "its columns are not those that its metadata name");
  }
}

TEST(TallyMetadata, RefuseWhatIsCorrupt) {
  const std::string good = some_stored().metadata();
  const auto reject = [](const std::string& json, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { (void)TallyMetadata::from_json(json); }, part);
  };
  const auto with = [&good](const std::string& from, const std::string& to) {
    return testing::changed(good, from, to);
  };
  for (std::size_t length = 0; length < good.size(); ++length) {
    reject(good.substr(0, length), "corrupt metadata");
  }
  reject(good + std::string("\0{}", 3), "corrupt metadata");
  reject(with("\"tally\":1", "\"tally\":0"), "corrupt metadata");
  reject(with("\"tally\":1", "\"tally\":1.5"), "corrupt metadata");
  reject(with("\"tally\":1", "\"tally\":2"), "it has version 2");
  reject(with("\"labelled\":false", "\"labelled\":0"), "corrupt metadata");
  reject(with("\"weighted\":false,", ""), "corrupt metadata");
  reject(with("\"excluded\":2", "\"excluded\":-2"), "corrupt metadata");
  reject(with("\"min_count\":1.5", "\"min_count\":-1"), "corrupt metadata");
  reject(with("\"score\":\"p\"", "\"score\":3"), "corrupt metadata");
  reject(with("[\"sex\",\"race\"]", "[\"sex\",1]"), "corrupt metadata");
  reject(with("\"sensitive\":[\"sex\"]", "\"sensitive\":[\"age\"]"), "name age");
  reject(with("\"resolution\":\"exact\"", "\"resolution\":\"fine\""), "no resolution");
  reject(with("\"scale\":\"probability\"", "\"scale\":\"x\""), "scale");
}

TEST(StoredTally, MergedKeepsWhatBothSay) {
  const StoredTally one = some_stored();
  StoredTally two = one.merged(one, Repeated::allow);
  two.source = one.source;
  two.source.label = "z";
  two.source.excluded = 5;
  two.source.min_count = 1;
  const StoredTally both = one.merged(two);
  EXPECT_EQ(both.tally, one.tally.merge(two.tally));
  EXPECT_EQ(both.source.score, "p");
  EXPECT_EQ(both.source.label, "");
  EXPECT_EQ(both.source.excluded, 7U);
  EXPECT_EQ(both.source.min_count, 1);
  EXPECT_EQ(both.rows(), 12U);
  two.source.roles = {};
  EXPECT_EQ(one.merged(two).source.roles, one.source.roles);
  EXPECT_EQ(two.merged(one).source.roles, one.source.roles);
  two.source.roles = {{"race"}, {"sex"}};
  expect_throw<std::invalid_argument>([&] { (void)one.merged(two); },
                                      "do not compare the same groups");
}

// Merging is how sites add up their people: nobody may count twice because a file came twice.
TEST(StoredTally, RefusesAPartThatIsInBoth) {
  const StoredTally a = some_stored();
  const StoredTally b = some_stored({.resolution = Resolution::exact(), .threads = 1});
  const auto with = [](double score) {
    const std::vector<double> scores = {score};
    const std::vector<std::string> sex = {"F"}, race = {"a"};
    return StoredTally{.tally = Tally::of(scores, Cells::from({{"sex", sex}, {"race", race}}))};
  };
  const StoredTally c = with(0.1), d = with(0.2);
  const auto reject = [](const StoredTally& one, const StoredTally& two) {
    expect_throw<std::invalid_argument>([&] { (void)one.merged(two); }, "would count twice");
  };
  reject(a, b);  // the same counts have the same fingerprint
  reject(a.merged(c), a);
  reject(c, a.merged(c));
  reject(a.merged(c), d.merged(c));
  const StoredTally all = a.merged(c).merged(d);
  EXPECT_EQ(all.source.parts.size(), 3U);
  EXPECT_EQ(all.source.parts, d.merged(c.merged(a)).source.parts);
  EXPECT_EQ(all.fingerprint(), d.merged(c.merged(a)).fingerprint());
  const StoredTally twice = all.merged(c, Repeated::allow);
  EXPECT_EQ(twice.source.parts.size(), 4U);
  EXPECT_EQ(twice.tally, all.tally.merge(c.tally));
}

TEST(StoredTally, ItsFingerprintIsThatOfTheTallyAsItWasCounted) {
  StoredTally stored = some_stored();
  EXPECT_EQ(stored.fingerprint(), fingerprint(stored.tally));
  EXPECT_EQ(stored.fingerprint().size(), 64U);
  stored.source.fingerprint = stored.fingerprint();
  const std::vector<std::string> sex = {"sex"};
  const StoredTally projected{stored.tally.project(sex), stored.source};
  EXPECT_EQ(projected.fingerprint(), stored.fingerprint());
  EXPECT_NE(fingerprint(projected.tally), stored.fingerprint());
}

// The tally that a reader makes of the columns of the file.
Tally read_back(const Tally& tally, const TallyMetadata& metadata) {
  std::vector<double> score, n, n1;
  std::vector<std::string> group;
  const bool low = tally.reading().favorable == Favorable::low;
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    for (const Entry& entry : tally.entries(c)) {
      group.push_back(tally.cells().values(c)[0]);
      score.push_back(tally.reading().turn(entry.score));
      n.push_back(entry.n);
      n1.push_back(low ? entry.n - entry.n1 : entry.n1);
    }
  }
  const Cells cells = Cells::from({{"g", group}});
  CountedOptions options = metadata.options();
  if (tally.labelled()) options.positives = n1;
  return Tally::counted(score, n, cells, options);
}

TEST(TallyMetadata, TheChecksumHoldsForWhateverIsReadBack) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t size = 1 + static_cast<std::size_t>(random.below(40));
    std::vector<double> score(size), weight(size);
    std::vector<std::uint8_t> label(size);
    std::vector<std::string> group(size);
    const bool whole = random.chance(0.3);
    for (std::size_t i = 0; i < size; ++i) {
      score[i] = random.chance(0.5) ? random.unit() : random.below(5) / 4.0;
      weight[i] = i > 0 && random.chance(0.2) ? 0
                  : whole                     ? 1 + random.below(3)
                                              : random.unit() + 1e-3;
      label[i] = random.chance(0.5);
      group[i] = std::string(1, static_cast<char>('a' + random.below(3)));
    }
    TallyOptions options{.favorable = random.chance(0.5) ? Favorable::low : Favorable::high,
                         .resolution = random.chance(0.3)   ? Resolution::bits(3)
                                       : random.chance(0.5) ? Resolution::at_most(4)
                                                            : Resolution::exact()};
    if (random.chance(0.7)) options.label = label;
    if (random.chance(0.7)) options.weight = weight;
    const StoredTally stored{.tally = Tally::of(score, Cells::from({{"g", group}}), options)};
    const TallyMetadata metadata = TallyMetadata::from_json(stored.metadata());
    const Tally back = read_back(stored.tally, metadata);
    EXPECT_NO_THROW(metadata.check(back)) << trial;
    EXPECT_NO_THROW(TallyMetadata::from_json(StoredTally{back}.metadata()).check(back)) << trial;
    if (size > 1 && group.front() != group.back()) {
      expect_throw<std::invalid_argument>(
          [&] {
            metadata.check(Tally::of(score, Cells::from({{"g", group}}))
                               .merge(Tally::of(score, Cells::from({{"g", group}}))));
          },
          "checksum");
    }
  }
}

// Whichever bit of the metadata flips: an error, either at once or by the checksum.
TEST(TallyMetadata, NoBitFlipsUnnoticed) {
  const StoredTally stored = some_stored();
  const std::string good = stored.metadata();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    expect_throw<std::invalid_argument>([&] { TallyMetadata::from_json(bad).check(stored.tally); },
                                        "");
  }
}

TEST(StoredTally, KnowsItsRowsUnlessTheyHaveWeights) {
  EXPECT_EQ(some_stored().rows(), 4U);
  const std::vector<double> weight = {0.5, 1, 1, 1};
  StoredTally weighted = some_stored({.weight = weight});
  EXPECT_EQ(weighted.rows(), std::nullopt);
  weighted.source.rows = 4;
  EXPECT_EQ(weighted.rows(), 4U);
}

TEST(Resolution, ReadsBackFromItsText) {
  for (const Resolution& one : {Resolution::exact(), Resolution::bits(16), Resolution::bits(-3),
                                Resolution::at_most(), Resolution::at_most(1000)}) {
    EXPECT_EQ(resolution_from(to_string(one)), one) << to_string(one);
  }
  for (const char* text : {"", "fine", "16 bits", "1.5", "at-most", "at-most x"}) {
    expect_throw<std::invalid_argument>([&] { (void)resolution_from(text); }, "no resolution");
  }
}

}  // namespace
}  // namespace evenhand::testing::tally_metadata_test
