// array_files.h: arrays of integers as hardware benches, C programs and NumPy read them.
//
//   npz    all arrays in one archive, vectors.npz
//   npy    a file for each, with its type and shape
//   hex    for $readmemh: a word of one or several bytes on each line, the digits of the most significant byte first;
//          elements fill a word from its least significant byte on; the last word is filled up with zeros
//   c      a header for each, with an array of <stdint.h>'s type; vectors.h includes all of them
//   raw    the bytes of the elements, one after the other
//
// Elements stand in the order of the layout. Those of several bytes are little-endian.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/export/files.h"
#include "octet/export/layout.h"

namespace octet {

enum class ArrayFormat { kNpz, kNpy, kHex, kC, kRaw };

std::string_view name(ArrayFormat format);
// Throws kUsage for an unknown name, listing the known ones.
ArrayFormat array_format_named(std::string_view name);

struct ArrayStyle {
  ArrayFormat format = ArrayFormat::kNpz;
  Layout layout = Layout::kChw;
  int word = 1;  // bytes of a word of hex; arrays whose elements are wider have words of one element
};

// An array with its place: "tensors/relu", folders and identifiers without an ending.
struct FileArray {
  std::string place;
  std::string name;  // as people know it, for comments
  Tensor elements;   // integers, in row-major order
  bool has_layout;   // else it is written in row-major order whatever the layout
};

// The bytes of a word of such an array. Throws kUsage where elements do not fill words.
int word_bytes(const FileArray& array, const ArrayStyle& style);

// The file that holds the array: "tensors/relu.hex".
std::string file_of(const FileArray& array, ArrayFormat format);

// Places are unique, also as identifiers, and in whatever case.
ExportedFiles array_files(const std::vector<FileArray>& arrays, const ArrayStyle& style);

}  // namespace octet
