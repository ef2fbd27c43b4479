// compiled_network.h: a network that octet compile made a shared library of, as an engine.
//
// A shared library is code: loading one runs it. A file without the mark of octet compile is refused before it is loaded;
// a file that forges the mark is not. Open what you have made, or trust.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "octet/engine/engine.h"

namespace octet {

struct OctetLibrary;

class CompiledNetwork {
 public:
  // Throws kIo where the file can't be opened as a library, and kFormat where it is no network of this version.
  explicit CompiledNetwork(const std::filesystem::path& file);
  ~CompiledNetwork();
  CompiledNetwork(const CompiledNetwork&) = delete;
  CompiledNetwork& operator=(const CompiledNetwork&) = delete;

  const OctetLibrary& library() const { return *library_; }
  std::span<const std::byte> model() const;  // the .onnx file that it was made of
  std::string policy() const;

 private:
  void* handle_ = nullptr;
  const OctetLibrary* library_ = nullptr;
};

// Runs the library; `program` is the one that it was made of. Throws kUsage where it is another. Runs take turns: the
// library's memory is one.
std::unique_ptr<const Engine> compiled_engine(std::shared_ptr<const CompiledNetwork> network, Program program);

}  // namespace octet
