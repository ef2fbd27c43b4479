// atomic_file.h: a file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "octet/system/cleanup_on_exit.h"

namespace octet {

// Writes go to a temporary file beside the target; commit() renames it over the target, which until then is as it was.
// Without commit(), the temporary file is removed. A symbolic link is followed, not replaced, whether or not there is a
// file at its end, and an existing file's permissions are kept. A target that is no regular file (a device, a pipe), or is
// the name of an open one (/dev/stdout), is written to directly; a pipe needs a reader.
class AtomicFile {
 public:
  // Throws kIo when no file can be made there.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Throw kIo, naming the target and the reason.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  void open_special();
  void open_temporary();
  [[noreturn]] void fail_writing(int error) const;

  std::filesystem::path path_;       // as the caller said it
  std::filesystem::path target_;     // with links followed
  std::filesystem::path temporary_;  // empty when the target is written to directly
  std::optional<CleanupOnExit> cleanup_;
  int descriptor_ = -1;
};

// The file that writing to `path` makes or changes: where its symbolic links end, be there something or not. Links in a
// circle end anywhere among them.
std::filesystem::path end_of_links(std::filesystem::path path);

// The whole content in one call.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace octet
