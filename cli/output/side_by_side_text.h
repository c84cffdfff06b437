// Several rules about the same people, for people.
#pragma once

#include <evenhand/side_by_side.h>

#include <string>
#include <vector>

#include "output/terminal.h"

namespace evenhand::cli {

struct SideBySideText {
  std::string data;  // its name
  const SideBySide& beside;
  const std::vector<std::string>& names;  // of the rules

  // A column for each rule, then who is decided unlike the first.
  std::string text() const;

 private:
  // A row of the table: a figure of the decisions by the score, then of each rule.
  template <class Figure>
  std::vector<std::string> row(std::string name, const Figure& figure) const;
  void add_groups(Table& table, std::size_t view, Rate rate) const;
  std::string figures() const;
  std::string changes() const;
};

}  // namespace evenhand::cli
