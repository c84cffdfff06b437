// The slow, obvious solver: the linear program over all atoms, one variable each, by Clp.
#pragma once

#include <vector>

namespace evenhand::testing {

struct LinearProgram {
  struct Row {
    double low, high;
    std::vector<std::pair<int, double>> terms;
  };
  std::vector<double> objective;  // to be maximised
  std::vector<double> low, high;  // of the variables
  std::vector<Row> rows;

  int add_variable(double value, double from, double to);
  void add_row(double from, double to, std::vector<std::pair<int, double>> terms);
};

struct LinearAnswer {
  bool optimal = false;
  double objective = 0;
};

LinearAnswer maximise(const LinearProgram& program);

}  // namespace evenhand::testing
