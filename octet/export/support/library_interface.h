// library_interface.h: what the symbol octet_library of a compiled network is. c_library.cc writes the same in C.
#pragma once

#include <cstdint>
#include <string>

namespace octet {

inline constexpr std::uint32_t kLibraryMark = 0x7465634F;  // "Oct" and "e" as a little-endian number
inline constexpr std::uint32_t kLibraryVersion = 1;        // of the interface

extern "C" {

struct OctetTensor {
  const char* name;   // printable, at most 100 characters of it
  std::int32_t type;  // as the ONNX format numbers them
  std::int32_t rank;
  const std::int64_t* dims;
  std::int64_t value;          // its number in the program
  std::int32_t channels_last;  // in memory, while the network runs
};

struct OctetLibrary {
  std::uint32_t mark, version;
  std::uint64_t bytes;  // of this struct
  const char* made_by;
  const char* policy;
  std::int32_t inputs, outputs, tensors;
  const OctetTensor *input, *output, *tensor;  // `tensor`: what is computed, in that order
  // One pointer for each. Of one thread at a time.
  void (*run)(const void* const* inputs, void* const* outputs);
  // Sets the function called for every tensor as soon as it is computed; null for none.
  void (*set_trace)(void (*see)(void* context, int tensor, const void* elements), void* context);
  const unsigned char *model, *model_end;  // the .onnx file it was made of
};
}

// The name of a tensor in the library: printable, at most 100 characters of it.
std::string library_name(const std::string& name);

}  // namespace octet
