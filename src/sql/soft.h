// Soft rules as expressions.
#pragma once

#include <evenhand/soft_rule.h>

#include <string>

#include "sql/decide.h"

namespace evenhand {

std::string soft_expression(const SoftRule& rule, const SqlApplyOptions& options,
                            std::string_view of, SqlWanted wanted);

}  // namespace evenhand
