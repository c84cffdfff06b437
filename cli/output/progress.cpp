#include "output/progress.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

// All that a signal handler may touch.
std::atomic<int> caught = 0;
std::atomic<duckdb_connection> running = nullptr;
std::array<char, 4096> unfinished{};  // the path of a file
std::atomic<bool> has_unfinished = false;

void on_signal(int number) {
  const bool first = caught.exchange(number) == 0;
  if (const duckdb_connection connection = running.load(); connection && first) {
    duckdb_interrupt(connection);
    return;
  }
  if (has_unfinished.load()) unlink(unfinished.data());
  _exit(128 + number);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed pipe is an error like any other
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that would grow too large
}

void remove_on_signal(const std::string& file) {
  has_unfinished.store(false);
  if (file.empty() || file.size() >= unfinished.size()) return;
  unfinished.fill('\0');
  std::copy(file.begin(), file.end(), unfinished.begin());
  has_unfinished.store(true);
}

SignalsWait::SignalsWait() {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ours, number);
  pthread_sigmask(SIG_BLOCK, &ours, &before_);
}

SignalsWait::~SignalsWait() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void throw_if_interrupted() {
  if (const int number = caught.load()) throw Interrupted(number);
}

WorkInProgress::WorkInProgress(duckdb_connection connection, std::string_view name) : name_(name) {
  cli::throw_if_interrupted();
  running.store(connection);
  if (!name_.empty() && on_terminal(stderr)) bar_ = std::thread([=, this] { draw(connection); });
}

WorkInProgress::~WorkInProgress() {
  running.store(nullptr);
  done_.store(true);
  if (bar_.joinable()) bar_.join();
}

void WorkInProgress::draw(duckdb_connection connection) {
  using namespace std::chrono_literals;
  const auto start = std::chrono::steady_clock::now();
  bool drawn = false;
  while (!done_.load()) {
    std::this_thread::sleep_for(50ms);
    if (std::chrono::steady_clock::now() - start < 400ms) continue;
    const double percentage = duckdb_query_progress(connection).percentage;
    constexpr int width = 30;
    const double share = percentage >= 0 ? percentage / 100 : 0;
    const int filled = static_cast<int>(share * width);
    const std::string bar = fmt::format("\r{} [{:#<{}}{:.<{}}] {:3.0f}%", name_, "", filled, "",
                                        width - filled, 100 * share);
    std::fputs(bar.c_str(), stderr);
    std::fflush(stderr);
    drawn = true;
  }
  if (drawn) {
    std::fputs(fmt::format("\r{:{}}\r", "", name_.size() + 42).c_str(), stderr);
    std::fflush(stderr);
  }
}

}  // namespace evenhand::cli
