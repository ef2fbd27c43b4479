#include "octet/verify/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "octet/base/fail.h"

namespace octet {
namespace {

std::filesystem::path make_scratch_folder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "octet-XXXXXX").string();
  if (error || !mkdtemp(name.data())) fail(ErrorCode::kIo, "no temporary folder {}: {}", name, std::strerror(errno));
  return name;
}

void remove_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

ScratchFolder::ScratchFolder()
    : leftover_([this] { path_ = make_scratch_folder(); }, [this] { remove_folder(path_); }) {}

ScratchFolder::~ScratchFolder() { remove_folder(path_); }

}  // namespace octet
