// model_file.h: .onnx files and models in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "octet/graph/model.h"

namespace octet {

struct LoadOptions {
  bool validate = true;       // see graph/validate.h
  bool external_data = true;  // read tensors stored in other files; else they are refused
  std::vector<std::filesystem::path>* external_files = nullptr;  // where given, gets the names of those files
};

// Reads a model. Throws kIo, kFormat, kModel or kLimit. Tensors share the memory the file was read into. External data
// must lie inside the model's folder and may not go through a symbolic link.
Model load_model(const std::filesystem::path& path, const LoadOptions& options = {});

// The same from memory; external data is refused.
Model parse_model(std::span<const std::byte> bytes, const LoadOptions& options = {});

struct SaveOptions {
  // Tensors of at least this many bytes go to "<file>.data" beside the model; < 0: none, unless the model would exceed
  // the 2 GiB that one file can hold.
  std::int64_t external_threshold = -1;
};

// Writes to a temporary file beside `path`, then renames: a reader never sees half a file.
void save_model(const Model& model, const std::filesystem::path& path, const SaveOptions& options = {});
std::string serialize_model(const Model& model);

// A single tensor in the format's own encoding, as ONNX test cases store them ("input_0.pb").
Tensor load_tensor(const std::filesystem::path& path);
void save_tensor(const Tensor& tensor, const std::string& name, const std::filesystem::path& path);

}  // namespace octet
