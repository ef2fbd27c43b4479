#include "octet/system/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "octet/base/fail.h"

namespace octet {
namespace {

// The variable that names the folder for temporary files, as the standard library asks for them.
std::string temporary_folder_text() {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* folder = std::getenv(variable))
      return *folder == '\0' ? fmt::format("${} is empty", variable) : fmt::format("${} is {}", variable, folder);
  return "there is no /tmp";
}

std::filesystem::path make_scratch_folder() {
  std::error_code error;
  const std::filesystem::path around = std::filesystem::temp_directory_path(error);
  if (error)
    fail(ErrorCode::kIo, "there is no folder for temporary files: {}; set $TMPDIR to a folder",
         temporary_folder_text());
  std::string name = (around / "octet-XXXXXX").string();
  if (!mkdtemp(name.data()))
    fail(ErrorCode::kIo, "no temporary folder can be made in {}: {}", around.string(), std::strerror(errno));
  return name;
}

void remove_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

ScratchFolder::ScratchFolder()
    : cleanup_([this] { path_ = make_scratch_folder(); }, [this] { remove_folder(path_); }) {}

ScratchFolder::~ScratchFolder() { remove_folder(path_); }

}  // namespace octet
