// provenance: how a fit came to be, put together alike by all front ends.
#pragma once

#include <evenhand/fit_record.h>

#include <string>
#include <utility>
#include <vector>

namespace evenhand {

struct Provenance {
  std::string command = {};                 // as typed, or a call of the Python package
  std::vector<FitSource::File> files = {};  // by path or address; any number of them
  std::string sql = {};
  std::vector<std::pair<std::string, std::string>> versions = {};  // of other programs
  bool stamp = false;                                              // add the time
};

// For FitRecord::source: folders are left out of names, text that is not UTF-8 is escaped, and a
// hundred files are listed at most.
FitSource fit_source(const Provenance& from);

}  // namespace evenhand
