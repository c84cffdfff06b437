// The completion of shells, made from the same descriptions as --help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace evenhand::cli {

enum class Shell { bash, zsh, fish };
Shell shell_from(std::string_view name);  // throws UserError

// A script for the shell to read.
std::string completion(CLI::App& program, Shell shell);

// The commands that help lists.
std::vector<CLI::App*> commands_of(CLI::App& program);

}  // namespace evenhand::cli
