#include "walk.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "octet/analyze/bounds_csv.h"
#include "octet/analyze/explain.h"
#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "octet/engine/fast/batch_split.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "octet/graph/validate.h"
#include "octet/inspect/inspect.h"
#include "octet/inspect/report_json.h"
#include "octet/inspect/report_text.h"
#include "octet/program/lower.h"
#include "octet/program/memory_plan.h"
#include "octet/program/program_json.h"
#include "octet/program/program_text.h"
#include "octet/quantize/dynamic.h"
#include "octet/quantize/plan.h"
#include "tests/program/memory_plan_check.h"

namespace octet {
namespace {

constexpr std::int64_t kBudget = std::int64_t{32} << 20;
constexpr std::int64_t kMostInput = std::int64_t{1} << 16;  // elements

template <typename Stage>
void survive(Stage&& stage) {
  const MemoryBudget budget(kBudget);
  try {
    stage();
  } catch (const Error&) {
  }
}

// What can be made up for the inputs; an input that is left out ends the run with an error.
NamedTensors made_up_inputs(const Program& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  NamedTensors inputs;
  for (const ProgramInput& input : program.inputs) {
    if (!input.default_value.empty() || !input.type.shape) continue;
    Shape shape;
    for (const Dim& dim : *input.type.shape) shape.push_back(dim.known() ? dim.value() : 2);
    if (element_count(shape) > kMostInput || input.type.dtype == DType::kString) continue;
    Tensor tensor(input.type.dtype, shape);
    if (input.type.dtype == DType::kFloat)
      for (float& element : tensor.mutable_as<float>()) element = static_cast<float>(random() % 64) / 8 - 4;
    else if (input.type.dtype == DType::kInt8 || input.type.dtype == DType::kUint8)
      for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(random());
    inputs[program.values[input.value].name] = std::move(tensor);
  }
  return inputs;
}

// Ends loops that a hostile file lets run for ever.
class Deadline {
 public:
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread waits_{[this](const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    over_.wait_for(lock, over, std::chrono::milliseconds(200), [] { return false; });
    if (!over.stop_requested()) source_.request_stop();
  }};
};

NamedTensors run_in_time(const Engine& engine, const NamedTensors& inputs, bool keep_all) {
  const bool loops = std::ranges::any_of(engine.program().steps, [](const Step& step) {
    return std::ranges::any_of(step.operations, [](const Operation& operation) { return !operation.graphs.empty(); });
  });
  if (!loops) return engine.run(inputs, {.keep_all = keep_all});
  const Deadline deadline;
  return engine.run(inputs, {.keep_all = keep_all, .stop = deadline.token()});
}

EngineOptions one_thread() {
  EngineOptions options;
  options.threads = 1;
  return options;
}

void explain_steps(const ReferenceEngine& engine, const NamedTensors& values) {
  const Program& program = engine.program();
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const ValueId output : outputs_of(program, program.steps[s])) {
      const std::string& name = program.values[output].name;
      const auto value = values.find(name);
      if (value == values.end() || value->second.size() == 0) continue;
      Shape last = value->second.shape();
      for (std::int64_t& index : last) --index;
      survive([&] { explain_element(program, s, name, last, values); });
    }
}

// A wrong plan ends the walk: it is no octet::Error.
void require_right_plan(const Program& program) {
  const MemoryPlan plan = plan_memory(program);
  if (!plan.bytes) return;
  if (const std::string wrong = wrong_with_plan(program, plan, {}); !wrong.empty()) throw std::logic_error(wrong);
}

// What a run ends with: results, or an error.
struct Ending {
  NamedTensors results;
  std::optional<ErrorCode> error;
};

Ending ending_of(const Engine& engine, const NamedTensors& inputs, bool keep_all) {
  const MemoryBudget budget(kBudget);
  try {
    return {run_in_time(engine, inputs, keep_all), std::nullopt};
  } catch (const Error& error) {
    return {{}, error.code()};
  }
}

// Engines need not run out of memory, or of time, at the same time.
void require_the_same(const Ending& found, const Ending& wanted) {
  for (const ErrorCode end : {ErrorCode::kLimit, ErrorCode::kCancelled})
    if (found.error == end || wanted.error == end) return;
  if (found.error != wanted.error) throw std::logic_error("one engine ends with an error, or with another one");
  for (const auto& [name, tensor] : wanted.results)
    if (const auto value = found.results.find(name); value == found.results.end() || !value->second.identical(tensor))
      throw std::logic_error(name + " differs from engine to engine");
}

Ranges made_up_ranges(const std::set<std::string>& tensors) {
  Ranges ranges;
  for (const std::string& tensor : tensors) ranges[tensor] = {-1, 2};
  return ranges;
}

}  // namespace

void walk_inspection(const Model& model) {
  survive([&] {
    const ModelReport report = inspect(model);
    report_text(report, {.width = 60, .attributes = true, .values = true});
    report_text(report, {.width = 0, .layers = true});
    report_json(report);
  });
}

void walk_run(const Model& model, std::uint64_t seed) {
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact, Policy::kOnnxRuntime}) {
    Program program;
    survive([&] { program = lower(model, policy); });
    if (policy == Policy::kExact) {
      survive([&] { program_json(program, plan_memory(program), "model"); });
      survive([&] { program_text(program, plan_memory(program), 80); });
    }
    survive([&] { require_right_plan(program); });
    survive([&] { validate(to_model(program)); });
    survive([&] { validate(to_model(program, {.unsigned_weights = true})); });
    survive([&] { bounds(program); });
    survive([&] {
      const NamedTensors inputs = made_up_inputs(program, seed);
      const ReferenceEngine engine(program, one_thread());
      NamedTensors values = run_in_time(engine, inputs, true);
      values.insert(inputs.begin(), inputs.end());
      std::vector<StepBounds> found = bounds(program);
      observe(found, program, values, engine.parallel());
    });
  }
}

void walk_engines(const Model& model, std::uint64_t seed) {
  const std::span<const fast::Simd> targets = fast::simd_targets();
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact, Policy::kOnnxRuntime})
    survive([&] {
      const Program program = lower(model, policy);
      const NamedTensors inputs = made_up_inputs(program, seed);
      const ReferenceEngine reference(program, one_thread());
      constexpr fast::BatchSplit kAlways{.near = 1, .least = 0};
      const FastEngine fast(program, one_thread(), targets[seed % targets.size()],
                            seed % 2 == 0 ? fast::BatchSplit() : kAlways);
      for (const bool keep_all : {false, true})
        require_the_same(ending_of(fast, inputs, keep_all), ending_of(reference, inputs, keep_all));
    });
}

void walk_explanation(const Model& model, std::uint64_t seed) {
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact})
    survive([&] {
      const ReferenceEngine engine(lower(model, policy), one_thread());
      const NamedTensors inputs = made_up_inputs(engine.program(), seed);
      NamedTensors values = run_in_time(engine, inputs, true);
      values.insert(inputs.begin(), inputs.end());
      explain_steps(engine, values);
    });
}

void walk_quantization(const Model& model) {
  Model simplified;
  survive([&] { simplified = simplify_for_quantization(model); });
  for (const QuantizedFormat format : {QuantizedFormat::kQdq, QuantizedFormat::kOperator})
    survive([&] {
      StaticOptions options;
      options.format = format;
      const Selection all;
      const Plan made = plan(simplified, made_up_ranges(tensors_to_observe(simplified, options, all)), options, all);
      validate(format == QuantizedFormat::kQdq ? write_qdq(made) : write_operators(made));
    });
  for (const bool uint8_activations : {false, true})
    survive([&] { validate(quantize_dynamic(model, {.uint8_activations = uint8_activations}, Selection()).model); });
}

}  // namespace octet
