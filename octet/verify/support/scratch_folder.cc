#include "octet/verify/support/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "octet/base/fail.h"

namespace octet {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "octet-XXXXXX").string();
  if (error || !mkdtemp(name.data())) fail(ErrorCode::kIo, "no temporary folder {}: {}", name, std::strerror(errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace octet
