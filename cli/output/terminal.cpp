#include "output/terminal.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace evenhand::cli {
namespace {

bool colour_wanted() {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return on_terminal(stdout) && !(no_color && *no_color) &&
         !(terminal && std::strcmp(terminal, "dumb") == 0);
}

std::string in_colour(std::string_view code, std::string_view text) {
  static const bool wanted = colour_wanted();
  return wanted && !text.empty() ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

// Columns on a screen: code points, without those that only decorate others or the colour codes.
std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++width;
  }
  return width;
}

}  // namespace

bool on_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

void say(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
  std::fflush(stderr);
}

namespace {
bool is_quiet = false;
std::vector<std::string> remarks;
}  // namespace

void be_quiet() {
  is_quiet = true;
}
bool quiet() {
  return is_quiet;
}

void remark(std::string line) {
  remarks.push_back(std::move(line));
}
void warn(const std::string& line) {
  remark("warning: " + line);
}
void say_remarks() {
  for (const std::string& line : remarks) {
    if (!is_quiet) say(line);
  }
  forget_remarks();
}
void forget_remarks() {
  remarks.clear();
}

std::string strong(std::string_view text) {
  return in_colour("1", text);
}
std::string good(std::string_view text) {
  return in_colour("32", text);
}
std::string bad(std::string_view text) {
  return in_colour("31", text);
}
std::string faint(std::string_view text) {
  return in_colour("2", text);
}

Table::Table(std::vector<std::string> titles, std::vector<Align> align)
    : align_(std::move(align)), rows_{std::move(titles)} {}

Table::Table(std::vector<std::string> titles, std::size_t left)
    : align_(titles.size(), Align::right), rows_{std::move(titles)} {
  std::fill_n(align_.begin(), left, Align::left);
}

void Table::add(std::vector<std::string> row) {
  rows_.push_back(std::move(row));
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths(align_.size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const bool titles = r == 0;
    if (titles && std::all_of(rows_[0].begin(), rows_[0].end(),
                              [](const std::string& title) { return title.empty(); })) {
      continue;
    }
    std::string line(indent);
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string padding(widths[c] - width_of(rows_[r][c]), ' ');
      const std::string text = titles ? strong(rows_[r][c]) : rows_[r][c];
      if (c > 0) line += "  ";
      line += align_[c] == Align::right ? padding + text : text + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string noted_table(std::string_view title,
                        const std::vector<std::array<std::string, 3>>& rows) {
  Table table({"", "", ""}, {Table::Align::left, Table::Align::right, Table::Align::left});
  for (const auto& [name, value, note] : rows) table.add({name, value, faint(note)});
  return strong(title) + "\n" + table.text();
}

}  // namespace evenhand::cli
