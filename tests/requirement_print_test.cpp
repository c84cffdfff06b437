// Requirements as they are printed: canonical, and read back as the same.
#include <evenhand/requirement.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

namespace evenhand::requirement_print_test {
namespace {

TEST(Requirement, PrintsCanonicalText) {
  const auto canonical = [](std::string_view text) { return to_string(parse_requirement(text)); };
  EXPECT_EQ(canonical("tpr[ sex=F ]<=0.02+tpr[sex=M]"), "tpr[sex=F] - tpr[sex=M] <= 0.02");
  EXPECT_EQ(canonical("rate*.5-2*fpr[a=b] \u2265 -1"), "0.5 * rate - 2 * fpr[a=b] >= -1");
  EXPECT_EQ(canonical("0 == 1 * rate"), "-rate = 0");
  EXPECT_EQ(canonical("rate[\"a b\"=\"c\", d=\"\"] = -0"), "rate[\"a b\"=c, d=\"\"] = 0");
}

// Random requirements, as parse_requirement makes them, with names made to be misread.
class RandomRequirements {
 public:
  Requirement next() {
    Requirement out;
    for (const Measure rate : {Measure::rate, Measure::tpr, Measure::fpr}) {
      if (below(2) == 0) out.terms.push_back({number(), rate, {}});
      std::string first = "0";  // in front of the others, so that the terms differ
      for (std::size_t i = below(3); i > 0; --i) {
        std::vector<Condition> conditions{{"", first}};
        first += '0';
        for (std::size_t j = below(4); j > 0; --j) {
          conditions.push_back({conditions.back().attribute + "\x01" + word(), word()});
        }
        out.terms.push_back({number(), rate, std::move(conditions)});
      }
    }
    if (out.terms.empty()) out.terms.push_back({1, Measure::rate, {}});
    out.sense = static_cast<Sense>(below(3));
    out.bound = below(4) == 0 ? 0 : number();
    return out;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  double number() {
    if (below(3) == 0) return below(2) == 0 ? 1 : -1;
    if (below(3) == 0) return static_cast<double>(1 + below(99)) / 100;
    for (;;) {
      const std::uint64_t bits = random_();
      double out = 0;
      std::memcpy(&out, &bits, sizeof out);
      if (std::isfinite(out) && out != 0) return out;
    }
  }

  std::string word() {
    static const std::vector<std::string> parts{
        "a",      "rate",   "\"",         "\\",   "\n",
        "\t",     " ",      "]",          "[",    ",",
        "=",      "<=",     "*",          "\x7f", "\\u",
        "\u00e4", "\u2264", "\U0001F600", "'",    "%",
        "-",      ".",      "1",          "/",    std::string(1, '\0')};
    std::string out;
    for (std::size_t i = below(5); i > 0; --i) out += parts[below(parts.size())];
    return out;
  }

  std::mt19937_64 random_{20240601};
};

TEST(Requirement, PrintedRequirementsReadBackEqual) {
  RandomRequirements random;
  for (int i = 0; i < 5000; ++i) {
    const Requirement written = random.next();
    const std::string text = to_string(written);
    const Requirement read = parse_requirement(text);
    ASSERT_EQ(read, written) << text;
    EXPECT_EQ(to_string(read), text);
    EXPECT_EQ(read.text, text);
  }
}

}  // namespace
}  // namespace evenhand::requirement_print_test
