// BadRow: what is wrong with one row of the input, and which row that is.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace evenhand {

class BadRow : public std::invalid_argument {
 public:
  BadRow(std::size_t row, const std::string& problem)
      : std::invalid_argument("row " + std::to_string(row) + ": " + problem),
        row_(row),
        problem_(std::make_shared<const std::string>(problem)) {}

  std::size_t row() const noexcept { return row_; }  // from 0
  // Without the row: "the score is NaN".
  const std::string& problem() const noexcept { return *problem_; }

 private:
  std::size_t row_;
  std::shared_ptr<const std::string> problem_;  // copying an exception must not throw
};

}  // namespace evenhand
