// The page: template, styles, scripts and figures in one file.
#include <evenhand/report.h>

#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "report/assets.h"
#include "report/table.h"

namespace evenhand {
namespace {

using report::Json;

// A source for a content security policy: 'sha256-...'.
std::string hash_source(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available");
  }
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text64{};
  const int length = EVP_EncodeBlock(text64.data(), digest.data(), static_cast<int>(size));
  return fmt::format("'sha256-{}'", std::string_view(reinterpret_cast<const char*>(text64.data()),
                                                     static_cast<std::size_t>(length)));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Inside a script nothing but the figures may end it, or start a comment.
std::string as_data(const Json& figures) {
  std::string out;
  for (const char c : figures.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

// The values are put in at once: none of them is searched for the names of others.
std::string filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find("{{");
    out += text.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = text.find("}}", at);
    const std::string_view name = text.substr(at + 2, end - at - 2);
    for (const auto& [key, value] : values) {
      if (key == name) out += value;
    }
    text.remove_prefix(end + 2);
  }
  return out;
}

}  // namespace

std::string report_page(const nlohmann::ordered_json& figures) {
  std::string scripts;
  std::string allowed;
  for (const std::string_view script : report::scripts()) {
    scripts += fmt::format("<script>{}</script>\n", script);
    allowed += (allowed.empty() ? "" : " ") + hash_source(script);
  }
  const std::string_view style = report::style();
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; "
      "form-action 'none'",
      allowed, hash_source(style));
  return filled(report::page_template(), {{"policy", policy},
                                          {"title", escaped(figures.value("title", std::string()))},
                                          {"style", std::string(style)},
                                          {"figures", as_data(figures)},
                                          {"licences", escaped(report::licences())},
                                          {"scripts", scripts}});
}

}  // namespace evenhand
