// scratch_folder.h: a folder that goes when its owner does, and when the process is ended from outside.
#pragma once

#include <filesystem>

#include "octet/system/cleanup_on_exit.h"

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
  CleanupOnExit cleanup_;
};

}  // namespace octet
