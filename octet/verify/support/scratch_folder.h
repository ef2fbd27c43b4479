// scratch_folder.h: a folder that goes when its owner does.
#pragma once

#include <filesystem>

namespace octet {

class ScratchFolder {
 public:
  // Throws kIo.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace octet
