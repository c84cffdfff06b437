// The tables in tests/calibration, which calibration/make.py writes.
#pragma once

#include <charconv>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace evenhand::testing {

struct CalibrationTable {
  std::vector<double> score;
  std::vector<double> label;
  std::vector<double> weight;
  std::vector<double> p;  // what scikit-learn answers
};

inline CalibrationTable read_calibration_table(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != "score\tlabel\tweight\tp") {
    throw std::runtime_error("not a calibration table: " + path);
  }
  CalibrationTable out;
  while (std::getline(file, line)) {
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    for (std::vector<double>* column : {&out.score, &out.label, &out.weight, &out.p}) {
      const auto [next, error] = std::from_chars(at, end, column->emplace_back());
      if (error != std::errc{}) throw std::runtime_error("not a number: " + line);
      at = next == end ? end : next + 1;
    }
  }
  return out;
}

}  // namespace evenhand::testing
