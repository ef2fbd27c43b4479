// wire_schema.h: which messages hold which, and what they take in memory; onnx.proto without the parser.
#pragma once

#include <cstddef>
#include <cstdint>

namespace octet::wire {

enum Kind : std::size_t {
  kModel,
  kMainGraph,
  kInitializer,  // of the main graph, or the tensor that is the whole file
  kOpset,
  kEntry,
  kGraph,
  kNode,
  kFunction,
  kAttribute,
  kTensor,
  kSegment,
  kSparseTensor,
  kValue,
  kType,
  kTensorType,   // and sparse tensors, whose description is the same
  kElementType,  // sequences and optionals
  kMapType,
  kOpaqueType,
  kShape,
  kDimension,
  kNumbers,   // a list of numbers, packed
  kElements,  // raw_data of kInitializer
  kBytes,     // everything else, known or not
};

constexpr bool is_message(Kind kind) { return kind < kNumbers; }

// The kind of the field `number` in a `parent`.
Kind kind_of_field(Kind parent, std::uint64_t number);

// What a field of `length` bytes takes at most: the parser's object, what it becomes in a Model, and the bookkeeping of
// their allocations. Not counted is what is inside a message, because each field in it counts for itself.
std::size_t memory_of(Kind kind, std::uint64_t length);

// The same for a field that is a single number.
inline constexpr std::size_t kNumberMemory = 32;

}  // namespace octet::wire
