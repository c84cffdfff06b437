#include <fcntl.h>
#include <unistd.h>

#include "commands/commands.h"
#include "output/progress.h"

namespace {

// A closed standard stream must not become one of our files: what is read from or written to it
// fails instead.
void occupy_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) == -1) {
      const int opened = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
      if (opened != number) dup2(opened, number);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  occupy_standard_streams();
  evenhand::cli::handle_signals();
  return evenhand::cli::run({arguments + 1, arguments + count});
}
