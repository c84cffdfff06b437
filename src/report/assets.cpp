#include "report/assets.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

// Each file as it is, between two symbols.
#define EVENHAND_ASSET(name, path)                                                            \
  __asm__(                                                                                    \
      ".section .rodata\n"                                                                    \
      ".global evenhand_report_" #name "\n.global evenhand_report_" #name                     \
      "_end\n"                                                                                \
      "evenhand_report_" #name ":\n.incbin \"" path "\"\nevenhand_report_" #name              \
      "_end:\n.byte 0\n.previous\n");                                                         \
  extern "C" const char evenhand_report_##name[];                                             \
  extern "C" const char evenhand_report_##name##_end[];                                       \
  namespace evenhand::report {                                                                \
  namespace {                                                                                 \
  std::string_view name() {                                                                   \
    return {evenhand_report_##name,                                                           \
            static_cast<std::size_t>(evenhand_report_##name##_end - evenhand_report_##name)}; \
  }                                                                                           \
  }                                                                                           \
  }

EVENHAND_ASSET(page_html, EVENHAND_REPORT_DIR "/page.html")
EVENHAND_ASSET(page_css, EVENHAND_REPORT_DIR "/page.css")
EVENHAND_ASSET(text_js, EVENHAND_REPORT_DIR "/text.js")
EVENHAND_ASSET(tables_js, EVENHAND_REPORT_DIR "/tables.js")
EVENHAND_ASSET(charts_js, EVENHAND_REPORT_DIR "/charts.js")
EVENHAND_ASSET(explorer_js, EVENHAND_REPORT_DIR "/explorer.js")
EVENHAND_ASSET(page_js, EVENHAND_REPORT_DIR "/page.js")
EVENHAND_ASSET(d3_js, EVENHAND_D3)
EVENHAND_ASSET(plot_js, EVENHAND_PLOT)
EVENHAND_ASSET(d3_license, EVENHAND_D3_LICENSE)
EVENHAND_ASSET(plot_license, EVENHAND_PLOT_LICENSE)

namespace evenhand::report {

std::string_view page_template() {
  return page_html();
}

std::string_view style() {
  return page_css();
}

std::string licences() {
  return fmt::format("d3\n\n{}\nObservable Plot\n\n{}", d3_license(), plot_license());
}

std::span<const std::string_view> scripts() {
  static const std::array<std::string_view, 7> all = {
      d3_js(), plot_js(), text_js(), tables_js(), charts_js(), explorer_js(), page_js()};
  return all;
}

}  // namespace evenhand::report
