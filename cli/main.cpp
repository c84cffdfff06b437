#include "commands.h"
#include "progress.h"

int main(int count, char** arguments) {
  evenhand::cli::handle_signals();
  return evenhand::cli::run({arguments + 1, arguments + count});
}
