#pragma once

#include <evenhand/response.h>

#include <string>

namespace evenhand {

// Throws std::invalid_argument that starts with `where` unless it is a response; makes 0 of -0,
// which would not survive a text.
void settle(Response& response, const std::string& where);

}  // namespace evenhand
