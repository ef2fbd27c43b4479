#include "octet/engine/bound_run.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "octet/base/fail.h"

namespace octet {
namespace {

struct BoundMemory {
  const std::byte *begin, *end;
  bool is_output;
  const std::string* name;
};

[[noreturn]] void fail_overlap(const BoundMemory& one, const BoundMemory& other) {
  const bool swapped = !one.is_output || (other.is_output && *other.name < *one.name);
  const BoundMemory &output = swapped ? other : one, &second = swapped ? one : other;
  fail(ErrorCode::kUsage, "output {} is bound to memory of {} {}", *output.name, second.is_output ? "output" : "input",
       *second.name);
}

// Throws where an output shares bytes with an input or another output. In the order of addresses, each is compared with the
// input and the output before it that reach furthest.
void require_apart(const NamedBuffers& inputs, const NamedBuffers& outputs) {
  std::vector<BoundMemory> all;
  for (const NamedBuffers* buffers : {&inputs, &outputs})
    for (const auto& [name, buffer] : *buffers)
      if (!buffer.bytes.empty())
        all.push_back({buffer.bytes.data(), buffer.bytes.data() + buffer.bytes.size(), buffers == &outputs, &name});
  std::ranges::sort(all, std::less<>(), &BoundMemory::begin);
  const BoundMemory *furthest_input = nullptr, *furthest_output = nullptr;
  for (const BoundMemory& memory : all) {
    if (furthest_output && std::less<>()(memory.begin, furthest_output->end)) fail_overlap(*furthest_output, memory);
    if (memory.is_output && furthest_input && std::less<>()(memory.begin, furthest_input->end))
      fail_overlap(memory, *furthest_input);
    const BoundMemory*& furthest = memory.is_output ? furthest_output : furthest_input;
    if (!furthest || std::less<>()(furthest->end, memory.end)) furthest = &memory;
  }
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
  std::map<std::string_view, ValueId> ids;
  for (const ValueId output : program.outputs) ids.emplace(program.values[output].name, output);
  for (const auto& [name, buffer] : outputs) {
    const auto found = ids.find(name);
    if (found == ids.end()) fail(ErrorCode::kUsage, "the model has no output {}", name);
    require_whole("output " + name, buffer);
    bound_[found->second] = buffer;
  }
  require_apart(inputs, outputs);
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
