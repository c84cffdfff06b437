// What people see: tables, colour where it is welcome, numbers.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand::cli {

bool on_terminal(std::FILE* stream);

// A line on standard error; nobody may be listening, so failing is no error.
void say(std::string_view line);

// Bold or coloured on a terminal, and plain anywhere else or when NO_COLOR is set.
std::string strong(std::string_view text);
std::string good(std::string_view text);
std::string bad(std::string_view text);
std::string faint(std::string_view text);

// Text from data on one line, without characters that a terminal would obey, shortened if long.
std::string shown(std::string_view text);
std::string shown(const std::vector<std::string>& texts);  // with commas between

std::string counted(std::uint64_t count, std::string_view what);  // "1 row", "2,000 rows"

std::string percent(double share, int digits = 2);                 // "12.34 %"
std::string percent(std::optional<double> share, int digits = 2);  // "-" for none
std::string small(double value);                                   // "0", "3e-17", "0.0123"

class Table {
 public:
  enum class Align { left, right };

  // One title for each column; a title may be empty. An empty row is a rule between rows.
  explicit Table(std::vector<std::string> titles, std::vector<Align> align);
  void add(std::vector<std::string> row);
  std::string text(std::string_view indent = "  ") const;

 private:
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;  // the first holds the titles
};

// Names, values and notes under a title.
std::string noted_table(std::string_view title,
                        const std::vector<std::array<std::string, 3>>& rows);

}  // namespace evenhand::cli
