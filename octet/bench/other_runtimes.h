// other_runtimes.h: ONNX Runtime and OpenVINO as contenders, held by a Python process.
//
// The process is told which of them to run how many times, and says what each run took by its own clock; inputs and outputs are
// bound beforehand. So neither Python nor the way to it is in the times.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "octet/bench/contender.h"

namespace octet {

class Conversation;

enum class Runtime { kOnnxRuntime, kOnnxRuntimeExact, kOpenVino };

class OtherRuntimes {
 public:
  // Files go to `folder`, which must outlive it. Throws kIo when there is no such Python.
  OtherRuntimes(const std::string& python, const std::filesystem::path& folder);
  ~OtherRuntimes();

  // A contender, or why the runtime can't run the model. Throws kUsage, with what to install, when it is not there. The
  // contender may be used as long as this lives.
  struct Opened {
    std::unique_ptr<Contender> contender;
    std::string refusal;
  };
  Opened open(Runtime runtime, const std::string& name, const std::filesystem::path& model, int threads,
              const NamedTensors& inputs);

 private:
  const std::filesystem::path folder_;
  std::unique_ptr<Conversation> conversation_;
  int opened_ = 0;
};

}  // namespace octet
