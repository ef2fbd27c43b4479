// skeleton.h: a file's messages without the elements of its initializers.
//
// The parser copies what it reads. The elements of the main graph's initializers, nearly all of a model's bytes, take
// another way: they go from the file to the memory where they stay, and the parser sees a skeleton of the file in which
// a reference stands for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "octet/onnx/support/byte_source.h"
#include "octet/system/read_file.h"

namespace octet {

enum class RootMessage { kModel, kTensor };

struct Skeleton {
  std::string messages;                 // what the parser may see
  std::shared_ptr<std::byte> elements;  // each tensor's at a 64-byte boundary
  std::int64_t elements_size = 0;

  // The elements for which `reference` stands: what a main graph's initializer, or a tensor that is a file of its own,
  // has in raw_data when it has anything. Throws kFormat when it is no reference: the file was changed between the
  // check and the copy.
  FileBytes resolve(const std::string& reference) const;
};

// Checks the bytes before the parser sees them. Throws kFormat, with the position, where tags and lengths are not those
// of a whole message; kLimit where messages are nested more than 100 deep, or where the parser and the model it becomes
// would take more than 64 MiB and 32 times the file: two bytes can announce a node, which takes hundreds.
Skeleton read_skeleton(ByteSource& source, RootMessage root);

}  // namespace octet
