// compiled_network.h: a network that octet compile made a shared library of, as an engine.
//
// A shared library is code: loading one runs it. A file without the mark of octet compile is refused before it is loaded;
// a file that forges the mark is not. Open what you have made, or trust.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "octet/engine/engine.h"

namespace octet {

struct OctetLibrary;
struct OctetTensor;

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
  // Called for each tensor as soon as it is computed, while its elements are in the library's memory.
  using See = std::function<void(const OctetTensor& tensor, const void* elements)>;
  // One pointer for each input and output. Thread-safe: runs of one library take turns, because it has one memory, however
  // many objects have opened it.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs, const See& see = {}) const;

 private:
  void* handle_ = nullptr;
  const OctetLibrary* library_ = nullptr;
  std::shared_ptr<std::mutex> turn_;  // one for each library in memory
};

// Runs the library; `program` is the one that it was made of. Throws kUsage for another one, or one with another policy.
std::unique_ptr<const Engine> compiled_engine(std::shared_ptr<const CompiledNetwork> network, Program program);

}  // namespace octet
