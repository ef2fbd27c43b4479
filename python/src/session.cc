#include "python/src/session.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>

#include "octet/base/fail.h"
#include "octet/base/trip_limit.h"
#include "octet/engine/bound_run.h"
#include "octet/engine/engine.h"
#include "octet/program/lower.h"
#include "octet/spec/operators.h"
#include "octet/text/closest_names.h"
#include "python/src/arrays.h"
#include "python/src/forks.h"
#include "python/src/options.h"
#include "python/src/program.h"

namespace octet::python {
namespace {

using Clock = std::chrono::steady_clock;

// Threads that several sessions share.
class ThreadPool {
 public:
  explicit ThreadPool(int threads) : threads_(threads) {}

  std::shared_ptr<const Parallel> threads() const {
    const std::lock_guard lock(mutex_);
    if (!pool_ || made_ != forks()) {
      made_ = forks();
      pool_ = {new Parallel(threads_), DeleteUnlessForked()};
    }
    return pool_;
  }
  int count() const { return threads()->threads(); }

 private:
  int threads_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Parallel> pool_;
  mutable std::uint64_t made_ = 0;
};

// Ends a run when a signal came; asked after every step.
class Signals {
 public:
  Progress progress() {
    return [this](std::size_t, std::size_t) {
      constexpr std::chrono::milliseconds kInterval(50);
      const Clock::time_point now = Clock::now();
      if (now < next_) return;
      next_ = now + kInterval;
      const nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
  }

 private:
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
};

// Operators that read any bytes without trusting them: they compute with elements, whose shape alone says where results go.
bool reads_elements_alone(const Operation& operation) {
  static const std::set<const Operator*> kPlain = {&ops::kQuantizeLinear,
                                                   &ops::kConv,
                                                   &ops::kQLinearConv,
                                                   &ops::kMatMul,
                                                   &ops::kGemm,
                                                   &ops::kAdd,
                                                   &ops::kSub,
                                                   &ops::kMul,
                                                   &ops::kDiv,
                                                   &ops::kRelu,
                                                   &ops::kQLinearMatMul,
                                                   &ops::kQLinearAdd,
                                                   &ops::kDynamicQuantizeLinear,
                                                   &ops::kClip};
  return kPlain.contains(operation.op);
}

// The inputs whose memory may be the caller's while a run reads it, even if the caller changes it.
std::set<std::string> borrowable_inputs(const Program& program) {
  std::set<std::string> names;
  for (const ProgramInput& input : program.inputs) {
    const auto reads = [&](const Operation& operation) {
      return std::ranges::find(operation.inputs, input.value) != operation.inputs.end();
    };
    const bool all_plain = std::ranges::all_of(program.steps, [&](const Step& step) {
      return std::ranges::all_of(step.operations, [&](const Operation& operation) {
        return !reads(operation) || reads_elements_alone(operation);
      });
    });
    const bool is_output = std::ranges::find(program.outputs, input.value) != program.outputs.end();
    if (all_plain && !is_output) names.insert(program.values[input.value].name);
  }
  return names;
}

nb::object shape_object(const std::optional<SymbolicShape>& shape) {
  if (!shape) return nb::none();
  nb::list dims;
  for (const Dim& dim : *shape)
    dims.append(dim.known()       ? nb::object(nb::int_(dim.value()))
                : dim.is_symbol() ? to_name(dim.symbol())
                                  : nb::object(nb::none()));
  return dims;
}

nb::list values_object(const std::vector<EngineValue>& values) {
  nb::list list;
  for (const EngineValue& value : values)
    list.append(nb::make_tuple(to_name(value.name), std::string(name(value.dtype)).c_str(), shape_object(value.shape),
                               value.has_default));
  return list;
}

class Session {
 public:
  Session(const PythonProgram& of, nb::dict values) : program_(of.program), compiled_(of.model->compiled) {
    const Options options("InferenceSession", std::move(values));
    engine_name_ = options.text("engine");
    options_.arithmetic = arithmetic_named(options.text("arithmetic"));
    options_.threads = static_cast<int>(options.integer("threads", 0, 1024));
    if (const std::optional<std::int64_t> bytes = options.bytes("plan_memory")) options_.plan_bytes = *bytes;
    memory_ = options.bytes("memory");
    if (const nb::object pool = options.object("pool"); !pool.is_none())
      pool_ = nb::cast<std::shared_ptr<ThreadPool>>(pool);
    borrowable_ = borrowable_inputs(*program_);
    const nb::gil_scoped_release released;
    const std::shared_ptr<const Engine> made = engine();
    inputs_ = made->inputs();
    outputs_ = made->outputs();
  }

  nb::list inputs() const { return values_object(inputs_); }
  nb::list outputs() const { return values_object(outputs_); }
  std::string engine_name() const { return std::string(engine()->name()); }

  nb::list run(nb::handle names, nb::handle feed) const {
    const std::vector<std::string> wanted = wanted_outputs(names);
    NamedTensors inputs = inputs_from(feed), results;
    {
      const nb::gil_scoped_release released;
      results = run_released(inputs);
    }
    nb::list arrays;
    for (const std::string& name : wanted) arrays.append(to_array(results.at(name)));
    return arrays;
  }

  // Into arrays of the caller: their names are those of the outputs that are wanted.
  void run_into(nb::handle feed, nb::dict out) const {
    NamedTensors inputs = inputs_from(feed);
    std::vector<WritableArray> arrays;
    NamedBuffers from, to;
    for (const auto& [key, array] : nb::steal<nb::dict>(PyDict_Copy(out.ptr()))) {
      const std::string name = name_from(key, "a key of out");
      require_output(name);
      arrays.emplace_back(array, fmt::format("out {}", name));
      to[name] = arrays.back().buffer();
    }
    for (const auto& [name, tensor] : inputs) from[name] = readable(tensor);
    const nb::gil_scoped_release released;
    const Scope scope(memory_);
    const std::shared_ptr<const Engine> engine = this->engine();
    Signals signals;
    const TripLimit trips(std::numeric_limits<std::int64_t>::max(), signals.progress());
    BoundRun(*engine, from, to)({.progress = signals.progress()});
  }

  void prepare(nb::dict shapes) const {
    std::map<std::string, Shape> sizes;
    for (const auto& [key, shape] : shapes) {
      const std::string name = name_from(key, "a key of shapes");
      const nb::object list = nb::steal(PySequence_List(shape.ptr()));
      if (!list.is_valid()) {
        PyErr_Clear();
        fail(ErrorCode::kUsage, "the shape of {} is {}; wanted a tuple of whole numbers", name, shown(shape));
      }
      Shape& dims = sizes[name];
      for (const nb::handle dim : list) {
        const nb::object index = nb::steal(PyNumber_Index(dim.ptr()));
        if (!index.is_valid()) {
          PyErr_Clear();
          fail(ErrorCode::kUsage, "the shape of {} is {}; wanted whole numbers", name, shown(shape));
        }
        dims.push_back(nb::cast<std::int64_t>(index));
      }
    }
    const nb::gil_scoped_release released;
    const Scope scope(memory_);
    engine()->prepare(sizes);
  }

 private:
  class Scope {
   public:
    explicit Scope(const std::optional<std::int64_t>& memory) {
      if (memory) budget_.emplace(*memory, MemoryBudget::Around::kReplaced);
    }

   private:
    std::optional<MemoryBudget> budget_;
  };

  // Without Python's lock.
  NamedTensors run_released(const NamedTensors& inputs) const {
    const Scope scope(memory_);
    const std::shared_ptr<const Engine> running = engine();
    Signals signals;
    const TripLimit trips(std::numeric_limits<std::int64_t>::max(), signals.progress());
    return running->run(inputs, {.progress = signals.progress()});
  }

  std::unique_ptr<const Engine> make() const {
    if (compiled_) return compiled_engine(compiled_, *program_);
    EngineOptions options = options_;
    if (pool_) options.pool = pool_->threads();
    return make_engine(engine_for(engine_name_, options), *program_, options);
  }

  // In a child process another one, because threads of the parent are not there.
  std::shared_ptr<const Engine> engine() const {
    const std::lock_guard lock(mutex_);
    if (!engine_ || made_ != forks()) {
      engine_ = {make().release(), DeleteUnlessForked()};
      made_ = forks();
    }
    return engine_;
  }

  std::vector<std::string> wanted_outputs(nb::handle names) const {
    std::vector<std::string> wanted;
    if (names.is_none()) {
      for (const EngineValue& output : outputs_) wanted.push_back(output.name);
      return wanted;
    }
    const nb::object list = nb::steal(PySequence_List(names.ptr()));
    if (!list.is_valid() || PyUnicode_Check(names.ptr()) != 0) {
      PyErr_Clear();
      fail(ErrorCode::kUsage, "the names of outputs are {}; wanted a list of str, or None", shown(names));
    }
    for (const nb::handle name : list) {
      wanted.push_back(name_from(name, "the name of an output"));
      require_output(wanted.back());
    }
    return wanted;
  }

  void require_output(const std::string& name) const {
    std::vector<std::string> known;
    for (const EngineValue& output : outputs_) known.push_back(output.name);
    if (std::ranges::find(known, name) == known.end())
      fail(ErrorCode::kUsage, "there is no output {}; there is {}", name, closest_names(name, known));
  }

  NamedTensors inputs_from(nb::handle feed) const {
    if (PyDict_Check(feed.ptr()) == 0)
      fail(ErrorCode::kUsage, "the inputs are {}; wanted a dict of arrays by name", shown(feed));
    NamedTensors inputs;
    for (const auto& [key, array] : nb::steal<nb::dict>(PyDict_Copy(feed.ptr()))) {
      std::string name = name_from(key, "the name of an input");
      const bool borrows = borrowable_.contains(name);
      Tensor tensor = tensor_from(array, borrows ? Elements::kBorrowed : Elements::kCopied, name);
      inputs.insert_or_assign(std::move(name), std::move(tensor));
    }
    return inputs;
  }

  // BoundRun never writes to its inputs.
  static Buffer readable(const Tensor& tensor) {
    const std::span<const std::byte> bytes = tensor.bytes();
    return {tensor.dtype(), tensor.shape(), {const_cast<std::byte*>(bytes.data()), bytes.size()}};
  }

  std::shared_ptr<const Program> program_;
  std::shared_ptr<const CompiledNetwork> compiled_;
  std::string engine_name_;
  EngineOptions options_;
  std::optional<std::int64_t> memory_;
  std::shared_ptr<ThreadPool> pool_;
  std::set<std::string> borrowable_;
  std::vector<EngineValue> inputs_, outputs_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Engine> engine_;
  mutable std::uint64_t made_ = 0;
};

}  // namespace

void bind_session(nb::module_& m) {
  nb::class_<ThreadPool>(m, "ThreadPool")
      .def(nb::new_([](nb::dict values) {
        const std::int64_t threads = Options("ThreadPool", std::move(values)).integer("threads", 0, 1024);
        return std::make_shared<ThreadPool>(static_cast<int>(threads));
      }))
      .def_prop_ro("threads", &ThreadPool::count);
  nb::class_<Session>(m, "Session")
      .def(nb::init<const PythonProgram&, nb::dict>())
      .def_prop_ro("inputs", &Session::inputs)
      .def_prop_ro("outputs", &Session::outputs)
      .def_prop_ro("engine", [](const Session& session) { return session.engine_name(); })
      .def("run", &Session::run, nb::arg("names").none(), nb::arg("feed").none())
      .def("run_into", &Session::run_into, nb::arg("feed").none(), nb::arg("out"))
      .def("prepare", &Session::prepare);
}

}  // namespace octet::python
