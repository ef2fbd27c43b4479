// npy.h: NumPy's array files (.npy).
//
// Every type NumPy has is stored as itself. The others are stored as the NumPy type that holds their values:
//
//   bfloat16                          float32, exact
//   int4, int2 / uint4, uint2         int8 / uint8
//   float8 and float4 types           uint8, the bits of each element
//   string                            UTF-32 ("<U8"), padded to the longest
//
// Reading also takes big-endian and column-major (Fortran) arrays, byte strings ("|S8"), and ml_dtypes' bfloat16, which
// NumPy writes as two untyped bytes ("<V2"). Versions 1, 2 and 3 of the format.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "octet/base/tensor.h"
#include "octet/system/read_file.h"

namespace octet {

// The array a file holds. Elements are shared with the file's memory where they are stored as Octet holds them. Throws
// kFormat for bytes that are not such a file, kLimit for shapes beyond all bounds, kUnsupported for element types that
// Octet does not have.
Tensor parse_npy(const FileBytes& file);
Tensor load_npy(const std::filesystem::path& path);

// The type and shape that a file says in its first bytes, of which kLongestNpyHeader tell it. Throws like parse_npy.
struct NpyHeader {
  DType dtype = DType::kUndefined;
  Shape shape;
};
inline constexpr std::size_t kLongestNpyHeader = 12 + (std::size_t{1} << 16);
NpyHeader parse_npy_header(std::span<const std::byte> bytes);

// The type of the file of an array of `dtype`: `dtype` itself, or for those that NumPy lacks, what holds their values.
DType numpy_type(DType dtype);

// What a file of `tensor` consists of: a header, then the bytes of `elements`.
struct NpyParts {
  std::string header;
  Tensor elements;
};
NpyParts npy_parts(const Tensor& tensor);
void save_npy(const Tensor& tensor, const std::filesystem::path& path);

}  // namespace octet
