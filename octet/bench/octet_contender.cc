#include "octet/bench/octet_contender.h"

#include <chrono>

#include "octet/base/fail.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/version.h"

namespace octet {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

}  // namespace

OctetContender::OctetContender(const std::filesystem::path& model, Policy policy, const std::string& engine,
                               const MakeEngine& make, int threads, NamedTensors inputs)
    : inputs_(std::move(inputs)) {
  Clock::time_point start = Clock::now();
  Program program = lower(load_model(model), policy);
  engine_ = make ? make(std::move(program), {.threads = threads})
                 : make_engine(engine, std::move(program), {.threads = threads});
  facts_ = {.name = fmt::format("Octet, {}", engine),
            .runtime = fmt::format("Octet {}", kVersion),
            .settings = fmt::format("--engine {} --policy {} --threads {}", engine, name(policy), threads),
            .load = nanoseconds_since(start)};
  start = Clock::now();
  outputs_ = engine_->run(inputs_);
  facts_.first_run = nanoseconds_since(start);
  for (const auto& [name, tensor] : outputs_) written_[name] = Tensor(tensor.dtype(), tensor.shape());
  const auto buffers_of = [](NamedTensors& tensors) {
    NamedBuffers buffers;
    for (auto& [name, tensor] : tensors)
      if (tensor.dtype() != DType::kString) buffers[name] = buffer_of(tensor);
    return buffers;
  };
  bound_.emplace(*engine_, buffers_of(inputs_), buffers_of(written_));
}

std::vector<double> OctetContender::run(int times) {
  std::vector<double> nanoseconds;
  for (int i = 0; i < times; ++i) {
    const Clock::time_point start = Clock::now();
    (*bound_)();
    nanoseconds.push_back(nanoseconds_since(start));
  }
  return nanoseconds;
}

}  // namespace octet
