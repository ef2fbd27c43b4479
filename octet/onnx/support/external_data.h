// external_data.h: tensors stored in other files beside the model.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "octet/system/read_file.h"

namespace octet {

// Where a tensor's bytes are, in the format's own words: `location` is a path relative to the model's folder, `offset`
// and `length` are decimal numbers or empty.
struct ExternalEntry {
  std::string location, offset, length;
};

class ExternalData {
 public:
  // Refuses every entry.
  ExternalData() = default;
  explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The `size` bytes of an entry. Throws kFormat for an entry that leaves the folder, goes through a symbolic link, is
  // no regular file, or does not hold them; kIo when it can't be read; kLimit when entries read the same bytes over and
  // over.
  FileBytes read(const ExternalEntry& entry, std::int64_t size);
  // Those that were read from, as the entries name them.
  std::vector<std::filesystem::path> files() const;

 private:
  std::optional<std::filesystem::path> folder_;
  std::set<std::string> locations_;
  std::set<std::pair<dev_t, ino_t>> files_;  // those read from, known by what they are: a file may have many names
  std::int64_t stored_ = 0;                  // bytes that they have
  std::int64_t read_ = 0;                    // bytes that tensors took
};

}  // namespace octet
