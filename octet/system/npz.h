// npz.h: archives of NumPy arrays by name (.npz), as numpy.savez and numpy.load understand them.
//
// A name may hold any characters, '/' and ':' of ONNX tensors included, except NUL. npy.h says how each type is stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/system/npy.h"
#include "octet/system/read_file.h"

namespace octet {

class NpzReader {
 public:
  // Reads the table of contents. What it claims is checked against the archive's real size first: overlapping members,
  // sizes that no compression reaches (kFormat), and more than `max_bytes` of arrays in all (kLimit). Throws kIo when
  // there is no such file.
  explicit NpzReader(const std::filesystem::path& path, std::uint64_t max_bytes = std::uint64_t{8} << 30);
  // Reads an archive in memory; messages call it `path`.
  NpzReader(FileBytes file, std::string path, std::uint64_t max_bytes = std::uint64_t{8} << 30);
  ~NpzReader();

  // The arrays, in the archive's order. Members that are not .npy files are not among them.
  const std::vector<std::string>& names() const;
  // Throw kUsage when there is no such array, kFormat or kUnsupported when it can't be read. header() reads
  // only the first bytes, so that a wrong array is found before its elements are inflated.
  NpyHeader header(std::string_view name) const;
  Tensor read(std::string_view name) const;

 private:
  struct Archive;
  template <typename Read>
  auto read_member(std::string_view name, Read&& read) const;

  std::unique_ptr<const Archive> archive_;
};

std::map<std::string, Tensor> load_npz(const std::filesystem::path& path);

// Uncompressed. The same tensors give the same bytes: the members carry no date.
std::string npz_bytes(const std::map<std::string, Tensor>& tensors);
void save_npz(const std::map<std::string, Tensor>& tensors, const std::filesystem::path& path);

}  // namespace octet
