// engine.h: what runs a program, and the list of those there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/base/progress.h"
#include "octet/program/program.h"
#include "octet/spec/arithmetic.h"

namespace octet {

struct EngineOptions {
  Arithmetic arithmetic;            // of the quantized operators; the default is ONNX Runtime's
  bool integer_steps_only = false;  // the others keep the default arithmetic
  int threads = 0;                  // 0: one per core. Results do not depend on it.
  // The threads to run with, which other engines may have, too; none: `threads` of its own. What is at work for one of them
  // does not serve another at the same time: that one runs in the calling thread.
  std::shared_ptr<const Parallel> pool = nullptr;
  // What plans of earlier input shapes may take together, in bytes, before those not used for the longest are dropped. The
  // latest is kept in any case; weights do not count.
  std::int64_t plan_bytes = std::int64_t{1} << 28;
};

// An input or output as the model declares it.
struct EngineValue {
  std::string name;
  DType dtype = DType::kUndefined;     // kUndefined: known when it runs
  std::optional<SymbolicShape> shape;  // absent: not even the rank is known
  bool has_default = false;            // an input that may be left out

  bool operator==(const EngineValue&) const = default;
};

struct RunOptions {
  bool keep_all = false;  // return every intermediate value too, not only the outputs
  // In steps, after each of them, by one thread at a time; what it throws ends the run. An engine that takes a batch through
  // the program a few images at a time counts a step for each of these parts.
  Progress progress;
  // May be asked by any thread: ends the run before its next step, or the next iteration of a loop, with kCancelled.
  std::stop_token stop;
  // Sees every value as soon as its step is computed, in the calling thread, while it is still in the cache.
  std::function<void(const std::string& name, const Tensor& value)> observe;
};

using NamedTensors = std::map<std::string, Tensor>;

// Elements in memory of the caller: size_of(dtype) * element_count(shape) bytes, aligned for the type.
struct Buffer {
  DType dtype = DType::kUndefined;
  Shape shape;
  std::span<std::byte> bytes;
};

// What computes a step.
struct StepKernel {
  std::string step, kernel;
};

// What one step of a run took.
struct StepTime {
  std::string name, kernel;        // of the step, and of what computed it
  std::int64_t multiply_adds = 0;  // products that are summed (work.h); 0 where its work does not say
  double nanoseconds = 0;          // the median
  bool in_float = false;           // what is multiplied
};

// What is the same for all engines: inputs are checked, steps run in order, values are released after their last use,
// and errors say at which step they happened. An engine adds how a step is computed. May be used by several threads.
class Engine {
 public:
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;  // as engines() has it
  const Program& program() const { return program_; }
  // The threads that it runs with, for those who compute beside it.
  const Parallel& parallel() const { return *parallel_; }

  // In the model's order.
  std::vector<EngineValue> inputs() const;
  std::vector<EngineValue> outputs() const;

  // Gets ready for inputs of these shapes, so that no run with them has to. Inputs that have a default may be left out. Throws
  // kUsage for shapes that do not fit the model, or one another.
  void prepare(const std::map<std::string, Shape>& shapes) const;

  // Inputs by name; those that have a default may be left out. Types and known dimensions are checked, and symbols
  // must mean one number throughout a call. A MemoryBudget around the call (base/memory_budget.h) bounds what the values
  // alive at one time take; the step that would exceed it is named (kLimit).
  NamedTensors run(const NamedTensors& inputs, const RunOptions& options = {}) const;

  // What run starts from: the inputs, checked as there, and the defaults of those that are left out.
  NamedTensors checked_inputs(const NamedTensors& inputs) const;

  // One step alone: the value of each of its outputs, inner ones included, from the values it reads. Values that are
  // not constants and not given throw kUsage.
  NamedTensors run_step(std::size_t step, const NamedTensors& inputs) const;

  // What computes each step, where symbols that shapes leave open mean 1.
  virtual std::vector<StepKernel> kernels() const;

  // Where the time of a run goes, over so many of them, at least one. Inputs as in run. An engine that does the work of
  // several steps at once says so in the entry of one of them.
  virtual std::vector<StepTime> time_steps(const NamedTensors& inputs, int repetitions) const;

 protected:
  Engine(Program program, int threads);
  // With the pool of the options, or threads of its own.
  Engine(Program program, const EngineOptions& options);

  // Called for each value as soon as it is produced, perhaps more than once. May be empty.
  using ValueCallback = std::function<void(ValueId, const Tensor&)>;
  // The whole program. `values`, by ValueId, holds the inputs and gets the outputs; constants are the program's.
  virtual void compute_all(std::vector<Tensor>& values, const ValueCallback& made, const RunOptions& options) const;
  // The whole program, of inputs that stay; outputs that have bytes in `bound`, by ValueId, go there.
  virtual void compute_bound(std::vector<Tensor>& values, std::span<const Buffer> bound,
                             const RunOptions& options) const;
  // One step: `values` holds what it reads and gets what it makes.
  virtual void compute_step(std::size_t step, std::vector<Tensor>& values, const ValueCallback& made,
                            const std::stop_token& stop) const;

  // For inputs of these shapes, in the program's order, which fit what it declares.
  virtual void prepare_shapes(const std::vector<Shape>& shapes) const;

  // The program step by step, from one on whose forerunners' results are among the values.
  void walk(std::size_t first, std::vector<Tensor>& values, const ValueCallback& made, const RunOptions& options) const;
  // The inputs, once they have been checked, by ValueId.
  std::vector<Tensor> initial_values(const NamedTensors& inputs) const;
  // Copies the outputs, constants included, to the buffers they are bound to, and frees them.
  void deliver(std::vector<Tensor>& values, std::span<const Buffer> bound) const;

 private:
  friend class BoundRun;

  // The step's results from what it reads, both in `values`.
  virtual void compute(std::size_t step, std::vector<Tensor>& values, const std::stop_token& stop) const = 0;

  void require_known(const std::set<std::string>& given) const;
  const std::string& name_of(ValueId value) const { return program_.values[value].name; }
  // An empty tensor for each value of the program: one that an earlier step left, if there is any.
  std::vector<Tensor> no_values() const;

  const Program program_;
  const std::shared_ptr<const Parallel> parallel_;
  std::vector<std::vector<ValueId>> last_used_;  // by step: the values that no later step needs
  mutable std::mutex spare_mutex_;
  mutable std::vector<std::vector<Tensor>> spare_;  // so that a step alone takes no time for all values
};

struct NamedEngine {
  std::string_view name, meaning;
  bool any_arithmetic;  // else the default one alone
  std::unique_ptr<const Engine> (*make)(Program program, const EngineOptions& options);
};

// The reference engine first, which can run everything; then the others, whose results equal its own.
std::span<const NamedEngine> engines();
inline constexpr const char* kDefaultEngine = "fast";
// Throws kUsage for an unknown name, with what may have been meant and the known ones.
const NamedEngine& engine_named(std::string_view name);

bool can_run(const NamedEngine& engine, const EngineOptions& options);
// The engine of that name; of an empty one the default engine, or the reference engine where that can't run it.
const NamedEngine& engine_for(std::string_view name, const EngineOptions& options);
// Throws kUsage for what the engine can't run.
std::unique_ptr<const Engine> make_engine(const NamedEngine& engine, Program program,
                                          const EngineOptions& options = {});
std::unique_ptr<const Engine> make_engine(std::string_view name, Program program, const EngineOptions& options = {});

}  // namespace octet
