// The people of data/adult-scores.csv, by sex.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace evenhand::testing {

struct Adult {
  std::vector<std::string> sex;
  std::vector<double> score;
  std::vector<std::uint8_t> label;
};

inline const Adult& adult_people() {
  static const Adult people = [] {
    Adult out;
    std::ifstream file(EVENHAND_DATA "/adult-scores.csv");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::vector<std::string> field(7);
      for (std::string& text : field) std::getline(fields, text, ',');
      out.sex.push_back(field[1]);
      out.score.push_back(std::stod(field[5]));
      out.label.push_back(field[6] == "1" ? 1 : 0);
    }
    return out;
  }();
  return people;
}

}  // namespace evenhand::testing
