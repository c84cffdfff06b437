#include <evenhand/provenance.h>
#include <evenhand/text.h>

#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace evenhand {
namespace {

// JSON is UTF-8.
std::string as_utf8(const std::string& text) {
  return first_invalid_utf8(text) == std::string::npos ? text : printable(text);
}

std::string without_folder(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return path;
  const std::size_t slash = path.rfind('/', end);
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(begin, end + 1 - begin);
}

}  // namespace

FitSource fit_source(const Provenance& from) {
  constexpr std::size_t most = 100;
  FitSource out{.command = as_utf8(from.command), .sql = as_utf8(from.sql)};
  for (const FitSource::File& file : from.files) {
    if (out.files.size() == most) break;
    out.files.push_back({as_utf8(without_folder(file.name)), file.bytes});
  }
  out.further_files = from.files.size() - out.files.size();
  for (const auto& [program, version] : from.versions) {
    out.versions.emplace_back(as_utf8(program), as_utf8(version));
  }
  if (from.stamp) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    out.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  }
  return out;
}

}  // namespace evenhand
