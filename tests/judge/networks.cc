// networks.cc: many small networks in one process, for tests/judge/networks.py.
//
//   networks lower FOLDER NAME...   FOLDER/NAME.onnx: writes what a judge runs, NAME.file.onnx and NAME.program.onnx, and
//                                   runs NAME.npz where the memory plan puts it
//   networks check FOLDER NAME...   reads its answers to NAME.npz, NAME.{file,program,plain}.npz and .npz.json, where
//                                   plain is the network itself: one line for each, "NAME file equal 1234 0 0":
//                                   verdict, elements, differing, near ties
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "octet/base/error.h"
#include "octet/engine/reference_engine.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/system/npz.h"
#include "octet/verify/judge.h"
#include "octet/verify/verify.h"
#include "tests/engine/poisoned_arena.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

// How many boxes a NonMaxSuppression leaves is known when it has run: no plan has a place for them.
bool has_all_sizes(const Program& program) {
  return std::ranges::all_of(program.values, [](const ProgramValue& value) {
    return !value.shape || std::ranges::all_of(*value.shape, [](const Dim& dim) { return dim.known(); });
  });
}

void check_memory(Program program, const NamedTensors& inputs) {
  if (!has_all_sizes(program)) return;
  const ReferenceEngine engine(std::move(program), {.threads = 1});
  Reuse reuse;
  for (const bool shared : {false, true})
    if (const auto wrong = wrong_in_arena(engine, inputs, {.aliases = shared, .in_place = shared}, reuse);
        !wrong.empty())
      throw Error(ErrorCode::kUsage, "memory: " + wrong.substr(0, wrong.find('\n')));
}

void lower_network(const fs::path& stem) {
  const Model model = load_model(stem.string() + ".onnx");
  const Program program = lower(model, Policy::kExact);
  const NamedTensors inputs = load_npz(stem.string() + ".npz");
  check_memory(program, inputs);
  check_memory(lower(model, Policy::kAsWritten), inputs);
  save_model(with_values_exposed(model, program), stem.string() + ".file.onnx");
  save_model(with_values_exposed(to_model(program, {.unsigned_weights = true}), program),
             stem.string() + ".program.onnx");
}

void check_network(const fs::path& stem) {
  const Model model = load_model(stem.string() + ".onnx");
  const ReferenceEngine exact(lower(model, Policy::kExact), {.threads = 1});
  const ReferenceEngine runtime(lower(model, Policy::kOnnxRuntime), {.threads = 1});
  const ReferenceEngine written(lower(model, Policy::kAsWritten), {.threads = 1});
  for (const std::string_view run : {"file", "program", "plain"}) {
    const JudgeAnswer answer = read_answer(fmt::format("{}.{}.npz", stem.string(), run));
    const bool optimized = answer.runtime.find("without optimizations") == std::string::npos;  // it may fail to
    Verifier verifier(run != "plain" ? exact : optimized ? runtime : written);
    verifier.add(load_npz(stem.string() + ".npz"), answer);
    const Verification& found = verifier.result();
    std::int64_t elements = 0, differing = 0, near_ties = 0;
    for (const TensorVerdict& verdict : found.steps) {
      elements += verdict.is_float ? 0 : verdict.elements;
      differing += verdict.differing;
      near_ties += verdict.near_ties;
    }
    const char* verdict = found.identical() ? "equal" : found.agrees() ? "near-ties" : "differs";
    fmt::print("{} {} {} {} {} {}\n", stem.filename().string(), run, verdict, elements, differing, near_ties);
    for (const TensorVerdict& tensor : found.steps)
      if (!tensor.equal())
        fmt::print("  {} by {}: {} {}\n", tensor.tensor, tensor.computed_by, tensor.differing, tensor.wrong);
  }
}

}  // namespace
}  // namespace octet

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view what = argv[1];
  int result = 0;
  for (int k = 3; k < argc; ++k) {
    const std::filesystem::path stem = std::filesystem::path(argv[2]) / argv[k];
    try {
      what == "lower" ? octet::lower_network(stem) : octet::check_network(stem);
    } catch (const octet::Error& error) {
      fmt::print("{} error {}\n", argv[k], error.what());
      result = 1;
    }
  }
  return result;
}
