#include "data/json_function.h"

#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "data/function.h"
#include "error.h"

namespace evenhand::cli {

struct JsonFunctions::Function {
  std::unordered_map<std::string, idx_t> index;  // of a key
  bool raw;
};

namespace {

constexpr std::string_view blanks = " \t\r\n";

[[noreturn]] void malformed() {
  throw std::invalid_argument("malformed JSON");
}

// Reads an object that DuckDB has parsed once, so that its syntax is known to be right.
class Members {
 public:
  explicit Members(std::string_view object) : text_(object) {
    skip_blanks();
    if (next() != '{') throw std::invalid_argument("JSON must have an object for each row");
    ++at_;
  }

  struct Member {
    std::string_view key;  // both with their quotes
    std::string_view value;
  };
  std::optional<Member> read() {
    skip_blanks();
    if (next() == ',') {
      ++at_;
      skip_blanks();
    }
    if (next() == '}') return std::nullopt;
    Member out;
    out.key = value();
    skip_blanks();
    if (next() != ':') malformed();
    ++at_;
    skip_blanks();
    out.value = value();
    return out;
  }

 private:
  char next() const {
    if (at_ >= text_.size()) malformed();
    return text_[at_];
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  void skip_string() {
    for (++at_; next() != '"'; ++at_) {
      if (next() == '\\') ++at_;
    }
    ++at_;
  }

  std::string_view value() {
    const std::size_t first = at_;
    if (next() == '"') {
      skip_string();
    } else if (next() == '{' || next() == '[') {
      std::size_t depth = 0;
      do {
        const char c = next();
        if (c == '"') {
          skip_string();
          continue;
        }
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        ++at_;
      } while (depth > 0);
    } else {
      at_ = std::min(text_.find_first_of(",}] \t\r\n", at_), text_.size());
    }
    return text_.substr(first, at_ - first);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

unsigned four_digits(std::string_view text, std::size_t at) {
  unsigned out = 0;
  const std::string_view digits = text.substr(std::min(at, text.size()), 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  if (error != std::errc() || end != digits.data() + 4) malformed();
  return out;
}

// What is between the quotes of a string, into `out`.
std::string_view unescaped(std::string_view quoted, std::string& out) {
  const std::string_view text = quoted.substr(1, quoted.size() - 2);
  if (text.find('\\') == std::string_view::npos) return text;
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    constexpr std::string_view letters = "bfnrt";
    constexpr std::string_view meant = "\b\f\n\r\t";
    if (const auto at = letters.find(c); at != std::string_view::npos) {
      out += meant[at];
    } else if (c != 'u') {
      out += c;
    } else {
      unsigned code = four_digits(text, i + 1);
      i += 4;
      if (code >= 0xD800U && code < 0xDC00U && text.substr(i + 1, 2) == "\\u") {
        const unsigned low = four_digits(text, i + 3);
        if (low < 0xDC00U || low > 0xDFFFU) malformed();
        code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
        i += 6;
      } else if (code >= 0xD800U && code < 0xE000U) {
        malformed();
      }
      append_utf8(out, code);
    }
  }
  return out;
}

void split_objects(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& function =
      *static_cast<const JsonFunctions::Function*>(duckdb_scalar_function_get_extra_info(info));
  const idx_t columns = function.index.size();
  const idx_t rows = duckdb_data_chunk_get_size(input);
  const duckdb_vector objects = duckdb_data_chunk_get_vector(input, 0);
  auto* const texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(objects));
  try {
    std::vector<duckdb_vector> fields(columns);
    std::vector<std::uint64_t*> validity(columns);
    for (idx_t c = 0; c < columns; ++c) {
      fields[c] = duckdb_struct_vector_get_child(output, c);
      duckdb_vector_ensure_validity_writable(fields[c]);
      validity[c] = duckdb_vector_get_validity(fields[c]);
    }
    std::string key_buffer;
    std::string buffer;
    for (idx_t row = 0; row < rows; ++row) {
      for (idx_t c = 0; c < columns; ++c) duckdb_validity_set_row_invalid(validity[c], row);
      Members members({duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row])});
      while (const auto member = members.read()) {
        if (member->value == "null") continue;
        // DuckDB reads NaN and Infinity, which JSON does not have and must not be written.
        if (function.raw && member->value.find_first_of("NI") < 2 &&
            !member->value.starts_with('"')) {
          continue;
        }
        const auto found = function.index.find(std::string(unescaped(member->key, key_buffer)));
        if (found == function.index.end()) malformed();
        const bool string = member->value.starts_with('"') && !function.raw;
        const std::string_view text = string ? unescaped(member->value, buffer) : member->value;
        duckdb_validity_set_row_valid(validity[found->second], row);
        duckdb_vector_assign_string_element_len(fields[found->second], row, text.data(),
                                                text.size());
      }
    }
  } catch (const std::exception& error) {
    duckdb_scalar_function_set_error(info, error.what());
  }
}

}  // namespace

JsonFunctions::JsonFunctions(Database& database, const std::vector<std::string>& keys)
    : texts_(std::make_unique<Function>()), raws_(std::make_unique<Function>()) {
  for (std::size_t i = 0; i < keys.size(); ++i) texts_->index.emplace(keys[i], i);
  raws_->index = texts_->index;
  texts_->raw = false;
  raws_->raw = true;
  const Type text(DUCKDB_TYPE_VARCHAR);
  const Type json(DUCKDB_TYPE_VARCHAR);
  duckdb_logical_type_set_alias(json.handle, "JSON");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.size(); ++i) names.push_back(fmt::format("k{}", i));
  std::vector<const char*> name_texts;
  for (const std::string& name : names) name_texts.push_back(name.c_str());
  for (const auto& [name, type, function] : {std::tuple("evenhand_texts", &text, texts_.get()),
                                             std::tuple("evenhand_raws", &json, raws_.get())}) {
    std::vector<duckdb_logical_type> members(keys.size(), type->handle);
    const Type result(duckdb_create_struct_type(members.data(), name_texts.data(), members.size()));
    const std::array parameters = {DUCKDB_TYPE_VARCHAR};
    add_function(database, name, parameters, result, split_objects, function);
  }
}

JsonFunctions::~JsonFunctions() = default;
JsonFunctions::JsonFunctions(JsonFunctions&&) noexcept = default;
JsonFunctions& JsonFunctions::operator=(JsonFunctions&&) noexcept = default;

}  // namespace evenhand::cli
