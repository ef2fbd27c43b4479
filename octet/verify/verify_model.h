// verify_model.h: a network against ONNX Runtime, against a judge of the caller's, or against another engine: every tensor, over
// any number of batches, with what is special about ONNX Runtime taken into account.
//
//   - The tensors of a run take a quarter of the memory limit at most: large networks are compared in several runs.
//   - Where ONNX Runtime's optimizer changes numbers, the rewrites at fault are found by bisection, left out and named.
//   - Where it saturates pairs of uint8 x int8 products unless told not to, one trial run counts by how much.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/progress.h"
#include "octet/engine/engine.h"
#include "octet/engine/input_batches.h"
#include "octet/graph/model.h"
#include "octet/verify/verify.h"

namespace octet {

using VerifyBatch = InputBatch;
using VerifyBatches = InputBatches;

// The two forms in which ONNX Runtime runs a network.
enum class JudgedForm {
  kFile,     // the model as it is, optimized
  kProgram,  // the integer program in operator form, in integer kernels
  kBoth,
};
// "file", "program", "both". Throws kUsage for another name.
JudgedForm judged_form_named(std::string_view name);

// A program of the caller's that judges (docs/judge.md), in place of ONNX Runtime.
struct JudgeCommand {
  std::string command;         // for /bin/sh
  std::filesystem::path file;  // the model that it is given; empty: a copy of the model, written for it
};

// Another engine of the same program, held to the last bit.
struct RivalEngine {
  std::string title, name;  // of the run, and of the engine in messages
  std::shared_ptr<const Engine> engine;
};

struct VerifyOptions {
  std::optional<JudgeCommand> against;  // else ONNX Runtime, as the next three fields say
  JudgedForm form = JudgedForm::kBoth;
  std::string python = "python3";                 // has the packages onnx and onnxruntime
  std::filesystem::path save_graph;               // where to write the graph that ONNX Runtime executed; empty: nowhere
  std::optional<RivalEngine> rival;               // compared besides
  std::chrono::seconds limit{600};                // for one run of the judge
  std::uint64_t memory = std::uint64_t{8} << 30;  // bytes for the judge's tensors
  std::size_t width = 120;                        // columns of the explanation of the first element that differs
  Progress progress;                              // in steps, of all runs
};

// One way in which the other side ran the network.
struct VerifiedRun {
  std::string title;  // "the file, as ONNX Runtime runs it"
  Verification found;
};

// What ONNX Runtime makes of the first batch when it is not told to be exact.
struct SaturationTrial {
  std::int64_t saturated = 0, integers = 0;  // elements, step by step
  Witness first;
};

struct VerifyResult {
  std::vector<VerifiedRun> runs;
  std::optional<SaturationTrial> saturation;  // absent where nothing saturates on this machine
  std::size_t samples = 0;

  bool agrees() const;  // every run does
};

// `engine` runs the program of `model`. Throws kUsage when there is no batch or the judge gave no tensor of the program, kIo when
// the judge fails, kLimit when a step alone takes more memory than there is.
VerifyResult verify_model(const Model& model, const Engine& engine, const VerifyBatches& batches,
                          const VerifyOptions& options = {});

}  // namespace octet
