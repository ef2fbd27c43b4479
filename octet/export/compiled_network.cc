#include "octet/export/compiled_network.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "octet/base/error.h"
#include "octet/base/fail.h"
#include "octet/engine/operations.h"
#include "octet/engine/run_checks.h"
#include "octet/engine/step_clock.h"
#include "octet/export/support/library_file.h"
#include "octet/export/support/library_interface.h"

namespace octet {
namespace {

Shape shape_of(const OctetTensor& tensor) { return {tensor.dims, tensor.dims + tensor.rank}; }

// From the order in memory to the program's.
Tensor tensor_of(const OctetTensor& described, const void* elements) {
  const Shape shape = shape_of(described);
  Tensor tensor = Tensor::uninitialized(static_cast<DType>(described.type), shape);
  const auto* from = static_cast<const std::byte*>(elements);
  std::byte* to = tensor.mutable_bytes().data();
  if (described.channels_last == 0) {
    if (tensor.byte_size() > 0) std::memcpy(to, from, tensor.byte_size());
    return tensor;
  }
  const std::size_t size = size_of(tensor.dtype());
  const std::int64_t channels = shape[1], pixels = element_count(std::span(shape).subspan(2));
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t p = 0; p < pixels; ++p)
        std::memcpy(to + static_cast<std::size_t>((n * channels + c) * pixels + p) * size,
                    from + static_cast<std::size_t>((n * pixels + p) * channels + c) * size, size);
  return tensor;
}

class CompiledEngine final : public Engine {
 public:
  CompiledEngine(std::shared_ptr<const CompiledNetwork> network, Program program)
      : Engine(std::move(program), 1), network_(std::move(network)) {
    const OctetLibrary& library = network_->library();
    if (library.policy != octet::name(this->program().policy))
      fail(ErrorCode::kUsage, "the library was compiled with --policy {}, and the program has {}", library.policy,
           octet::name(this->program().policy));
    check("inputs", library.inputs, this->program().inputs.size());
    check("outputs", library.outputs, this->program().outputs.size());
    for (std::int32_t k = 0; k < library.inputs; ++k)
      check(library.input[k], this->program().inputs[static_cast<std::size_t>(k)].value);
    for (std::int32_t k = 0; k < library.outputs; ++k)
      check(library.output[k], this->program().outputs[static_cast<std::size_t>(k)]);
    for (std::int32_t k = 0; k < library.tensors; ++k)
      check(library.tensor[k], static_cast<ValueId>(library.tensor[k].value));
  }

  std::string_view name() const override { return "compiled"; }

  std::vector<StepKernel> kernels() const override {
    std::vector<StepKernel> found;
    for (const Step& step : program().steps) found.push_back({step.name, kKernel});
    return found;
  }

  // The library tells of every value as soon as it is made: what passed since the one before is its step's time.
  std::vector<StepTime> time_steps(const NamedTensors& inputs, int repetitions) const override {
    const std::vector<Step>& steps = program().steps;
    std::vector<std::size_t> maker(program().values.size());
    for (std::size_t s = 0; s < steps.size(); ++s)
      for (const ValueId value : outputs_of(program(), steps[s])) maker[value] = s;
    StepClock clock(steps.size());
    const std::vector<Tensor> given = initial_values(inputs);
    Outputs outputs(program());
    for (int i = 0; i < std::max(repetitions, 1); ++i) {
      std::vector<double> spent(steps.size());
      StepClock::Clock::time_point started = StepClock::Clock::now();
      call(given, outputs.places, {}, [&](const OctetTensor& tensor, const void*) {
        spent[maker[static_cast<std::size_t>(tensor.value)]] += StepClock::nanoseconds_since(started);
        started = StepClock::Clock::now();
      });
      for (std::size_t s = 0; s < steps.size(); ++s) clock.add(s, spent[s]);
    }
    std::vector<StepTime> times;
    for (const Step& step : steps) {
      const ValueId y = step.operations.back().outputs.front();
      times.push_back({step.name, kKernel,
                       multiply_adds(step.work, element_count(concrete(*program().values[y].shape).value())),
                       clock.median_nanoseconds(times.size()), computes_in_float(step.work)});
    }
    return times;
  }

 private:
  static constexpr const char* kKernel = "compiled C";

  // Tensors for what the network gives, and where their elements stand.
  struct Outputs {
    explicit Outputs(const Program& program) {
      for (const ValueId output : program.outputs) {
        const ProgramValue& value = program.values[output];
        tensors.push_back(Tensor::uninitialized(value.dtype, concrete(*value.shape).value()));
        places.push_back(tensors.back().mutable_bytes().data());
      }
    }
    std::vector<Tensor> tensors;
    std::vector<void*> places;
  };
  static void check(const char* what, std::int64_t found, std::size_t wanted) {
    if (found != static_cast<std::int64_t>(wanted))
      fail(ErrorCode::kUsage, "the library has {} {}, the program {}: it was made of another", found, what, wanted);
  }
  void check(const OctetTensor& tensor, ValueId value) const {
    const bool known = tensor.value >= 0 && static_cast<std::size_t>(tensor.value) < program().values.size() &&
                       static_cast<ValueId>(tensor.value) == value;
    const bool same = known && program().values[value].dtype == static_cast<DType>(tensor.type) &&
                      program().values[value].shape && concrete(*program().values[value].shape) == shape_of(tensor) &&
                      library_name(program().values[value].name) == tensor.name;
    if (!same) fail(ErrorCode::kUsage, "the library's {} is not the program's: it was made of another", tensor.name);
  }

  void compute_all(std::vector<Tensor>& values, const ValueCallback& made, const RunOptions& options) const override {
    const Outputs outputs(program());
    CompiledNetwork::See see;
    if (made)
      see = [&](const OctetTensor& tensor, const void* elements) {
        made(static_cast<ValueId>(tensor.value), tensor_of(tensor, elements));
      };
    call(values, outputs.places, options, see);
    for (std::size_t k = 0; k < outputs.tensors.size(); ++k) values[program().outputs[k]] = outputs.tensors[k];
  }

  void compute_bound(std::vector<Tensor>& values, std::span<const Buffer> bound,
                     const RunOptions& options) const override {
    std::vector<void*> outputs;
    for (const ValueId output : program().outputs) {
      const ProgramValue& value = program().values[output];
      if (bound[output].bytes.empty()) return Engine::compute_bound(values, bound, options);
      require_bound_as(value.name, bound[output], value.dtype, concrete(*value.shape).value());
      outputs.push_back(bound[output].bytes.data());
    }
    call(values, outputs, options, {});
  }

  void call(const std::vector<Tensor>& values, const std::vector<void*>& outputs, const RunOptions& options,
            const CompiledNetwork::See& see) const {
    end_if_asked(options);
    std::vector<const void*> inputs;
    for (const ProgramInput& input : program().inputs) inputs.push_back(values[input.value].bytes().data());
    network_->run(inputs, outputs, see);
    if (options.progress) options.progress(program().steps.size(), program().steps.size());
  }

  // A single step runs by the reference operators: the library has no entry for it.
  void compute(std::size_t step, std::vector<Tensor>& values, const std::stop_token& stop) const override {
    static const Arithmetic arithmetic;
    run_operations(program(), program().steps[step], values, {arithmetic, parallel(), stop}, &arithmetic);
  }

  std::shared_ptr<const CompiledNetwork> network_;
};

// The same mutex for every object that has opened the library: the loader gives all of them one memory.
std::shared_ptr<std::mutex> turn_of(const OctetLibrary* library) {
  static std::mutex mutex;
  static std::map<const OctetLibrary*, std::weak_ptr<std::mutex>> turns;
  const std::lock_guard lock(mutex);
  std::erase_if(turns, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<std::mutex> turn = turns[library].lock();
  if (!turn) turns[library] = turn = std::make_shared<std::mutex>();
  return turn;
}

// Tells `see` of what the library computes, until it goes out of scope, also by an exception of `see`.
class ScopedTrace {
 public:
  ScopedTrace(const OctetLibrary& library, const CompiledNetwork::See& see) : library_(library), see_(see) {
    library.set_trace(
        [](void* context, int tensor, const void* elements) {
          const auto& trace = *static_cast<const ScopedTrace*>(context);
          trace.see_(trace.library_.tensor[tensor], elements);
        },
        this);
  }
  ~ScopedTrace() { library_.set_trace(nullptr, nullptr); }
  ScopedTrace(const ScopedTrace&) = delete;
  ScopedTrace& operator=(const ScopedTrace&) = delete;

 private:
  const OctetLibrary& library_;
  const CompiledNetwork::See& see_;
};

}  // namespace

CompiledNetwork::CompiledNetwork(const std::filesystem::path& file) {
  require_octet_library(file);
  handle_ = ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    const char* why = ::dlerror();
    throw Error(ErrorCode::kIo, std::string("can't be opened as a library: ") + (why ? why : "no reason"),
                file.string());
  }
  library_ = static_cast<const OctetLibrary*>(::dlsym(handle_, "octet_library"));
  std::string wrong;
  if (!library_ || library_->mark != kLibraryMark)
    wrong = "is no network that octet compile made: it has no octet_library";
  else if (library_->version != kLibraryVersion || library_->bytes != sizeof(OctetLibrary))
    wrong = fmt::format("has version {} of the interface, wanted {}: compile the network again", library_->version,
                        kLibraryVersion);
  if (wrong.empty()) {
    turn_ = turn_of(library_);
    return;
  }
  ::dlclose(handle_);
  throw Error(ErrorCode::kFormat, wrong, file.string());
}

CompiledNetwork::~CompiledNetwork() { ::dlclose(handle_); }

std::span<const std::byte> CompiledNetwork::model() const {
  return std::as_bytes(std::span(library_->model, library_->model_end));
}

std::string CompiledNetwork::policy() const { return library_->policy; }

void CompiledNetwork::run(std::span<const void* const> inputs, std::span<void* const> outputs, const See& see) const {
  const std::lock_guard turn(*turn_);
  std::optional<ScopedTrace> trace;
  if (see) trace.emplace(*library_, see);
  library_->run(inputs.data(), outputs.data());
}

std::unique_ptr<const Engine> compiled_engine(std::shared_ptr<const CompiledNetwork> network, Program program) {
  return std::make_unique<const CompiledEngine>(std::move(network), std::move(program));
}

}  // namespace octet
