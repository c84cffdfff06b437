#pragma once

#include <string>

#include <gtest/gtest.h>

namespace evenhand::testing {

// The work throws Error, with a message of one line that contains `part`.
template <class Error, class Work>
void expect_throw(Work work, const std::string& part) {
  try {
    work();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(part), std::string::npos) << "the message was: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << "more than one line: " << message;
  }
}

}  // namespace evenhand::testing
