#include "octet/engine/bound_run.h"

#include <algorithm>
#include <functional>

#include "octet/base/fail.h"

namespace octet {
namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return !a.empty() && !b.empty() && std::less<>()(a.data(), b.data() + b.size()) &&
         std::less<>()(b.data(), a.data() + a.size());
}

// Throws unless the buffer holds what it says.
void require_whole(const std::string& name, const Buffer& buffer) {
  const std::size_t size = size_of(buffer.dtype);
  if (size == 0 || buffer.dtype == DType::kString)
    fail(ErrorCode::kUsage, "{} can't be bound to memory of {}", name, octet::name(buffer.dtype));
  const std::size_t alignment = std::min<std::size_t>(size, 16);
  if (reinterpret_cast<std::uintptr_t>(buffer.bytes.data()) % alignment != 0)
    fail(ErrorCode::kUsage, "{} is bound to memory that is not aligned to {} bytes", name, alignment);
  const auto elements = static_cast<std::size_t>(element_count(buffer.shape));
  if (buffer.bytes.size() / size != elements || buffer.bytes.size() % size != 0)
    fail(ErrorCode::kUsage, "{} is bound to {} bytes, and {}{} has {} elements of {}", name, buffer.bytes.size(),
         octet::name(buffer.dtype), to_string(buffer.shape), elements, size);
}

}  // namespace

Buffer buffer_of(Tensor& tensor) { return {tensor.dtype(), tensor.shape(), tensor.mutable_bytes()}; }

BoundRun::BoundRun(const Engine& engine, const NamedBuffers& inputs, const NamedBuffers& outputs)
    : engine_(engine), bound_(engine.program().values.size()) {
  const Program& program = engine.program();
  NamedTensors given;
  for (const auto& [name, buffer] : inputs) {
    require_whole("input " + name, buffer);
    given[name] = Tensor(buffer.dtype, buffer.shape, buffer.bytes, nullptr);
  }
  inputs_ = engine.initial_values(given);
  values_ = inputs_;
  for (const auto& [name, buffer] : outputs) {
    const auto is_named = [&, &wanted = name](ValueId value) { return program.values[value].name == wanted; };
    const auto found = std::ranges::find_if(program.outputs, is_named);
    if (found == program.outputs.end()) fail(ErrorCode::kUsage, "the model has no output {}", name);
    require_whole("output " + name, buffer);
    for (const NamedBuffers* others : {&inputs, &outputs})
      for (const auto& [other, memory] : *others)
        if (&memory != &buffer && overlap(memory.bytes, buffer.bytes))
          fail(ErrorCode::kUsage, "output {} is bound to memory of {} {}", name, others == &inputs ? "input" : "output",
               other);
    bound_[*found] = buffer;
  }
}

void BoundRun::operator()(const RunOptions& options) {
  try {
    engine_.compute_bound(values_, bound_, options);
  } catch (...) {
    values_ = inputs_;
    throw;
  }
}

}  // namespace octet
