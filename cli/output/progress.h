// Signals, and a progress bar on a terminal.
#pragma once

#include <atomic>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>

#include <duckdb.h>

namespace evenhand::cli {

// Ctrl-C and a polite kill end the query that runs, so that everything is put away. While none
// runs, or at the second signal, they end the program at once, without the file that is being
// written.
void handle_signals();
// The file that a signal removes: at most one at a time; empty for none.
void remove_on_signal(const std::string& file);
// While it lives, signals to this thread wait.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};
void throw_if_interrupted();  // Interrupted, if there was a signal

// While it lives, signals interrupt the query on `connection`, and after a moment a bar on standard
// error shows how far it is: on a terminal only, and only with a name.
class WorkInProgress {
 public:
  WorkInProgress(duckdb_connection connection, std::string_view name);
  ~WorkInProgress();
  WorkInProgress(const WorkInProgress&) = delete;
  WorkInProgress& operator=(const WorkInProgress&) = delete;

  void throw_if_interrupted() const { cli::throw_if_interrupted(); }

 private:
  void draw(duckdb_connection connection);

  std::string name_;
  std::atomic<bool> done_ = false;
  std::thread bar_;
};

}  // namespace evenhand::cli
