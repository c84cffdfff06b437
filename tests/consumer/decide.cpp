// Reads a rule and decides about three people with it.
#include <evenhand/rule.h>

#include <iostream>
#include <string>
#include <vector>

int main() {
  const evenhand::Rule rule = evenhand::Rule::from_json(R"({
    "evenhand": 1,
    "rule": {
      "attributes": ["sex"], "scale": "probability", "favorable": "high", "otherwise": 0.5,
      "cells": [
        {"values": ["F"], "start": 0, "steps": [[0.4, 1]]},
        {"values": ["M"], "start": 0, "steps": [[0.6, 1]]}
      ]
    }
  })");
  const std::vector<std::string> sex{"F", "M", "M"};
  const std::vector<std::string> id{"anna", "ben", "carl"};
  const std::vector<double> score{0.5, 0.5, 0.7};
  const auto cells = evenhand::Cells::from({{"sex", sex}});
  const auto coin = evenhand::Coin::keyed("a secret");
  for (const int decision : rule.decide(cells, score, id, coin)) std::cout << decision << '\n';
}
