// Rows whose groups are known by probabilities only, from columns of Python.
#pragma once

#include <evenhand/soft_rule.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>

#include "columns.h"

namespace evenhand::python {

using AttributeColumns = std::vector<const AttributeColumn*>;
using NumberColumns = std::vector<const NumberColumn*>;

// Which columns are of everybody, which are given the favourable outcome, and which the other one.
using SoftRoles =
    std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::string>>;

// Rows of the library, with the memory of what had to be converted. Without roles, all columns are
// of everybody.
struct SoftRowsOf {
  SoftRowsOf(const NumberColumn& score, const NumberColumns& columns,
             const AttributeColumns& within, const SoftRoles* roles) {
    room.resize(columns.size() + 1);
    rows.score = score.doubles(room[0]);
    std::vector<SoftColumn> all;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      all.push_back({columns[i]->name, columns[i]->doubles(room[i + 1])});
    }
    if (roles) {
      const auto& [everybody, favorable, unfavorable] = *roles;
      rows.columns = named(all, everybody);
      rows.favorable = named(all, favorable);
      rows.unfavorable = named(all, unfavorable);
    } else {
      rows.columns = std::move(all);
    }
    if (!within.empty()) {
      cells = cells_of(within, rows.size());
      rows.within = &*cells;
    }
  }
  SoftRowsOf(const SoftRowsOf&) = delete;
  SoftRowsOf& operator=(const SoftRowsOf&) = delete;

  static std::vector<SoftColumn> named(const std::vector<SoftColumn>& all,
                                       const std::vector<std::string>& names) {
    std::vector<SoftColumn> out;
    for (const std::string& name : names) {
      for (const SoftColumn& column : all) {
        if (column.name == name) out.push_back(column);
      }
    }
    return out;
  }

  SoftRows rows;
  std::vector<std::vector<double>> room;
  std::optional<Cells> cells;
};

template <class Use>
auto with_rows(const NumberColumn& score, const NumberColumns& columns,
               const AttributeColumns& within, Use use, const SoftRoles* roles = nullptr) {
  try {
    const nb::gil_scoped_release released;
    return use(SoftRowsOf(score, columns, within, roles).rows);
  } catch (const std::invalid_argument&) {
    score.refuse_missing();
    for (const NumberColumn* column : columns) column->refuse_missing();
    throw;
  }
}

}  // namespace evenhand::python
