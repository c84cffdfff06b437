// What the record says of people not met yet: its bound, worked out again from the rows.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/rule.h>
#include <evenhand/tally_file.h>

#include "verify/checks.h"

namespace evenhand::verifying {

void check_new_people(const StoredTally& data, const Rule& rule, const FitRecord& record,
                      Checks& checks);

}  // namespace evenhand::verifying
