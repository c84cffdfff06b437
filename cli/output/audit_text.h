// An audit for people.
#pragma once

#include <evenhand/audit_report.h>

#include <string>

namespace evenhand::cli {

struct AuditText {
  std::string data;       // its name
  std::string decisions;  // "decisions by the score alone"
  const AuditReport& before;
  const AuditReport* after = nullptr;  // of a rule
  Costs costs = {};
  Unseen unseen = Unseen::error;

  const AuditReport& last() const noexcept { return after ? *after : before; }
  // Views one after the other, then the headline and the requirements.
  std::string text() const;

 private:
  std::string title_of(const Roles& roles) const;
};

}  // namespace evenhand::cli
