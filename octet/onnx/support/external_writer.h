// external_writer.h: large tensors written to a file beside the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "octet/system/atomic_file.h"

namespace octet {

// The file is made when the first tensor comes, and appears with commit().
class ExternalWriter {
 public:
  // Tensors of at least `threshold` bytes go to `path`, a file in the model's folder.
  ExternalWriter(std::filesystem::path path, std::int64_t threshold) : path_(std::move(path)), threshold_(threshold) {}

  std::string location() const { return path_.filename().string(); }
  std::int64_t threshold() const { return threshold_; }
  // Returns the offset, which is a multiple of 4096 so that other programs can map the tensor into memory.
  std::int64_t append(std::span<const std::byte> bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::int64_t threshold_;
  std::optional<AtomicFile> file_;
  std::size_t size_ = 0;
};

}  // namespace octet
