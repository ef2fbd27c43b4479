#include "octet/export/c_compiler.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "octet/base/fail.h"
#include "octet/system/read_file.h"
#include "octet/system/supervisor.h"

namespace octet {
namespace {

std::vector<std::string> words_from(const char* variable, const std::string& otherwise) {
  const char* given = std::getenv(variable);
  std::istringstream text(given && *given ? given : otherwise);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// The end of what it said, each line indented behind a line end: so error messages show lists.
std::string said_in(const std::filesystem::path& log) {
  constexpr std::size_t kMost = 400;
  const FileBytes file = read_file(log, std::uint64_t{16} << 20);
  std::string text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (text.size() > kMost) text = "..." + text.substr(text.size() - kMost);
  std::istringstream lines(text);
  std::string indented;
  for (std::string line; std::getline(lines, line);) indented += "\n  " + line;
  return indented;
}

}  // namespace

void run_c_compiler(const std::vector<std::string>& arguments, const std::filesystem::path& scratch) {
  std::vector<std::string> command = words_from("CC", "cc");
  for (const std::string& flag : words_from("CFLAGS", "-O3 -march=native")) command.push_back(flag);
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::filesystem::path log = scratch / "compiler.txt";
  const int said = ::open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (said < 0) fail(ErrorCode::kIo, "{} can't be made", log.string());
  int status = 0;
  try {
    Supervisor compiler(command, scratch, {.output = said, .errors = said});
    pollfd ended{compiler.ended(), POLLIN, 0};
    while (::poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
    status = compiler.status();
  } catch (const Error& error) {
    ::close(said);
    fail(ErrorCode::kIo, "the C compiler {} can't be started: {}; install one, or name it in $CC", command[0],
         error.message());
  }
  ::close(said);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const std::string text = said_in(log);
  fail(ErrorCode::kIo, "the C compiler {} failed:{}", command[0], text.empty() ? " it did not say why" : text);
}

}  // namespace octet
