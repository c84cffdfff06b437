// Expressions that decide about a row.
#pragma once

#include <evenhand/segments.h>
#include <evenhand/sql.h>

#include <functional>
#include <string>
#include <vector>

#include "sql/dialect.h"
#include "sql/write.h"

namespace evenhand {

enum class SqlWanted { probability, decision };

// One of the two expressions while it is written.
class SqlDecider {
 public:
  // Columns of the rows `of`.
  SqlDecider(const SqlApplyOptions& options, std::string_view of, SqlWanted wanted);

  const SqlDialect& sql() const noexcept { return sql_; }
  const std::string& score() const noexcept { return score_; }
  std::string number_in(std::string_view column) const;  // a column as a double

  // What becomes of a probability, a constant or SQL.
  std::string outcome(double q) const;
  std::string outcome(const std::string& q) const;
  std::string fail(const std::string& message) const;

  // The segments as a search tree over the score.
  std::string of_segments(std::span<const Segment> segments, const Reading& reading,
                          std::optional<int> level, std::size_t depth) const;

  // What `of_cell` writes for the row's cell, `unseen` for one that is not among them.
  using OfCell = std::function<std::string(CellCode, std::size_t depth)>;
  using OfUnseen = std::function<std::string(std::size_t depth)>;
  std::string of_cells(const CellNames& cells, const OfCell& of_cell, const OfUnseen& unseen) const;
  // An error of the engine that names the row's cell.
  std::string unseen_error(const CellNames& cells) const;

  // All of it, once score, id and secret are found to be there.
  std::string checked(const Reading& reading, const std::string& also_valid,
                      const std::string& decided, bool coins) const;
  // The decision from the probability, a column by now: one of `chances`, 0 or 1, or anything if
  // there are none.
  std::string of_probability(std::span<const double> chances, bool coins) const;

 private:
  struct Texts {
    std::vector<std::string> values;
  };
  Texts texts_of(const CellNames& cells) const;
  std::string of_attribute(const CellNames& cells, const Texts& texts, std::size_t attribute,
                           CellCode begin, CellCode end, const OfCell& of_cell,
                           const OfUnseen& unseen) const;
  std::vector<SqlBranch> refusals(bool coins) const;
  static std::string by_coin(const std::string& below);
  std::string line(const Segment& segment, const Reading& reading, std::optional<int> level) const;

  const SqlApplyOptions& options_;
  const SqlDialect& sql_;
  std::string of_;
  SqlWanted wanted_;
  std::string score_, id_, no_id_, no_key_, hashed_;
};

}  // namespace evenhand
