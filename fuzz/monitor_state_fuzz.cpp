// Any bytes are either refused with std::invalid_argument or a state that reads back the same, with
// the same evidence, and goes on.
#include <evenhand/monitor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using evenhand::Monitor;
  using evenhand::fuzz::check;
  const evenhand::MonitorOptions options{.subject = "rule"};
  Monitor monitor(options);
  try {
    monitor =
        Monitor::from_json(std::string_view(reinterpret_cast<const char*>(data), size), options);
  } catch (const std::invalid_argument& error) {
    evenhand::fuzz::check_message(error.what());
    return 0;
  }
  const Monitor again = Monitor::from_json(monitor.to_json(), options);
  check(again.to_json() == monitor.to_json(), "it reads back the same");
  check(again.looks().size() == monitor.looks().size(), "with the same looks");
  for (std::size_t i = 0; i < monitor.looks().size(); ++i) {
    const evenhand::MonitorLook& look = monitor.looks()[i];
    check(look.log_evidence == again.looks()[i].log_evidence, "with the same evidence");
    check(!std::isnan(look.log_evidence), "evidence is a number");
    check(look.difference >= 0 && look.difference <= 1, "differences are in [0, 1]");
  }
  return 0;
}
