// What people see: tables, colour where it is welcome, numbers.
#pragma once

#include <evenhand/text.h>

#include <array>
#include <cstddef>
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

// --quiet: no text for people, on either stream, unless something goes wrong.
void be_quiet();
bool quiet();
// What is not wrong, but worth a line on standard error: said once the command is done, so that an
// error is the only line.
void remark(std::string line);
void warn(const std::string& line);  // a remark of something odd
void say_remarks();
void forget_remarks();

// Bold or coloured on a terminal, and plain anywhere else or when NO_COLOR is set.
std::string strong(std::string_view text);
std::string good(std::string_view text);
std::string bad(std::string_view text);
std::string faint(std::string_view text);

inline constexpr std::size_t longest_name = 60;  // bytes; longer ones are shortened

class Table {
 public:
  enum class Align { left, right };

  // One title for each column; a title may be empty. An empty row is a rule between rows.
  explicit Table(std::vector<std::string> titles, std::vector<Align> align);
  // The first `left` columns are names, the others figures.
  explicit Table(std::vector<std::string> titles, std::size_t left);
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
