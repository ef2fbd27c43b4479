// compare_archives.h: two .npz archives, array by array.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/shape.h"

namespace octet {

struct ArrayVerdict {
  std::string array;
  bool missing = false;  // in the second archive: nothing was compared
  std::int64_t elements = 0, differing = 0;
  double largest = 0;          // |a - b|
  std::optional<Shape> first;  // the index of the first element that differs
  std::string wrong;           // another type or shape: nothing was compared. Else empty

  bool equal() const { return !missing && wrong.empty() && differing == 0; }
};

struct ArchiveComparison {
  std::vector<ArrayVerdict> arrays;  // those of the first archive, in the order of their names
  std::int64_t common = 0;           // arrays that both have

  bool equal() const;
};

// One pair of arrays is held at a time. Throws kUsage when no array is in both.
ArchiveComparison compare_archives(const std::filesystem::path& golden, const std::filesystem::path& mine);

}  // namespace octet
