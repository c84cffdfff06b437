// Logs of decisions: written by apply, checked by verify.
#pragma once

#include <evenhand/coin.h>
#include <evenhand/decision_log.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "command.h"
#include "data/database.h"
#include "data/rule_file.h"
#include "output/figures.h"

namespace evenhand::cli {

// By which coins decisions were made.
struct KeyOptions {
  std::string key_file;
  std::string seed;

  void check_for_log(bool log) const;  // throws UserError
  std::optional<Coin> coin() const;    // none: not known
};
void add_key_options(Command& command, KeyOptions& options);

// The reason of each decision, as a function of DuckDB. Lives as long as queries use it.
class LogFunction {
 public:
  LogFunction(Database& database, const Rule& rule, const Coin& coin, Unseen unseen);
  ~LogFunction();

  // SELECT ... FROM `relation` in the columns of a log. `attributes`, `score` and `id` are SQL, of
  // types VARCHAR, DOUBLE and VARCHAR.
  std::string select(std::span<const std::string> attributes, const std::string& score,
                     const std::string& id, const std::string& relation) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

// What was found in a log, and what it is called.
struct LogFile {
  std::string name;
  CheckedLog found;
};
LogFile check_log(const DatabaseOptions& database, const std::string& path, const RuleFile& rule,
                  const std::optional<Coin>& coin);
std::string to_text(const LogFile& log);
Json to_json(const LogFile& log);

}  // namespace evenhand::cli
