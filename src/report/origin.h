// Where a rule comes from, as rows of the table of provenance.
#pragma once

#include <evenhand/fit_record.h>

#include <string>

#include "report/table.h"

namespace evenhand::report {

// Nothing without a value.
void add_item(Json& table, const std::string& item, const std::string& value);
// `data`: those that the report is about, if rows of known groups.
void add_rule(Json& table, const std::string& name, const FitRecord& fit, const StoredTally* data);
// A paragraph about the method.
Json said(const std::string& title, const std::string& text, const std::string& page);
// How a rule for known groups decides.
Json said_of_thresholds();

}  // namespace evenhand::report
