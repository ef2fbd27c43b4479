// Values are released after their last use, and the fast engine keeps its memory. Tensors allocate with an alignment, so
// counting the bytes that pass through the aligned operator new counts the tensors that are alive. What passes through either
// operator new is an allocation.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "octet/engine/bound_run.h"
#include "octet/engine/fast_engine.h"
#include "octet/onnx/model_file.h"
#include "tests/support/engines.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace {

std::atomic<std::ptrdiff_t> live{0}, peak{0};
std::atomic<int> allocations{0};

// The size is kept in front of the memory that is handed out.
void* allocate(std::size_t size, std::size_t alignment) {
  char* const memory = static_cast<char*>(std::aligned_alloc(alignment, (size / alignment + 2) * alignment));
  if (!memory) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(memory) = size;
  ++allocations;
  live += static_cast<std::ptrdiff_t>(size);
  peak = std::max(peak.load(), live.load());
  return memory + alignment;
}

void release(void* p, std::size_t alignment) {
  if (!p) return;
  char* const memory = static_cast<char*>(p) - alignment;
  live -= static_cast<std::ptrdiff_t>(*reinterpret_cast<std::size_t*>(memory));
  std::free(memory);
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept try {
  return allocate(size, static_cast<std::size_t>(alignment));
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* p, std::align_val_t alignment) noexcept { release(p, static_cast<std::size_t>(alignment)); }
void operator delete(void* p, std::size_t, std::align_val_t alignment) noexcept {
  release(p, static_cast<std::size_t>(alignment));
}

namespace octet {
namespace {

// Of operators that every engine runs by their operations.
TEST(Values, AreReleasedAfterTheirLastUse) {
  constexpr std::int64_t kSide = 256, kBytes = kSide * kSide * 4;
  Model model = model_from("main (x) => (v49) { }", {value("x", DType::kFloat, {{kSide, kSide}})});
  for (int i = 0; i < 50; ++i) {
    Node node;
    node.op_type = "Abs";
    node.inputs = {i == 0 ? "x" : fmt::format("v{}", i - 1)};
    node.outputs = {fmt::format("v{}", i)};
    model.graph.nodes.push_back(node);
  }
  const NamedTensors inputs = {{"x", Tensor(DType::kFloat, {kSide, kSide})}};
  for (const auto& engine : every_engine(lowered(model, Policy::kAsWritten), {.threads = 1})) {
    peak = live.load();
    std::ptrdiff_t before = live;
    engine->run(inputs);
    EXPECT_GE(peak - before, 2 * kBytes) << "the count does not see tensors";
    EXPECT_LT(peak - before, 3 * kBytes) << engine->name();

    peak = live.load();
    before = live;
    engine->run(inputs, {.keep_all = true});
    EXPECT_GE(peak - before, 50 * kBytes) << engine->name();
    EXPECT_EQ(live, before) << engine->name();
  }
}

// Its input and output in memory of the test.
void require_no_allocation(const Program& program, Tensor x, Tensor y, int threads) {
  const FastEngine engine(program, {.threads = threads});
  BoundRun run(engine, {{program.values[program.inputs[0].value].name, buffer_of(x)}},
               {{program.values[program.outputs[0]].name, buffer_of(y)}});
  run();
  // Of threads that share the work, each has memory of its own for some of it, since its first block.
  for (int i = 0; threads > 1 && i < 200; ++i) run();
  allocations = 0;
  run();
  EXPECT_EQ(allocations, 0) << threads << " threads";
}

// The steps of a network of the box, but for its softmax.
void require_no_allocation(const std::string& file, std::int64_t batch, int threads) {
  SCOPED_TRACE(fmt::format("{} of {}", file, batch));
  Program program = lowered(load_model("models/" + file), Policy::kExact);
  program.steps.pop_back();
  program.outputs = outputs_of(program, program.steps.back());
  require_no_allocation(program, Tensor(DType::kFloat, {batch, 3, 32, 32}), Tensor(DType::kFloat, {batch, 10}),
                        threads);
}

TEST(Values, OfTheFastEngineAreAllocatedByTheFirstRunAlone) {
  for (const int threads : {1, 2})
    for (const std::int64_t batch : {1, 4}) {
      require_no_allocation("resnet8_int8.onnx", batch, threads);
      require_no_allocation("resnet8_uint8.onnx", batch, threads);
      require_no_allocation("resnet8.onnx", batch, threads);
    }
}

// A convolution that may leave its padding out, one that may not, a pool and a product.
TEST(Values, OfFloatStepsAreAllocatedByTheFirstRunAlone) {
  Model model = model_from(
      "main (x) => (y) { a = Conv <pads: ints = [1, 1, 1, 1]> (x, w, b)\n c = Conv <pads: ints = [1, 1, 1, 1]> (a, w)\n"
      " r = Relu (c)\n g = GlobalAveragePool (r)\n f = Flatten (g)\n y = MatMul (f, m) }",
      {value("x", DType::kFloat, {{2, 3, 8, 8}})});
  add_initializer(model, "w", Tensor(DType::kFloat, {3, 3, 3, 3}));
  add_initializer(model, "b", Tensor(DType::kFloat, {3}));
  add_initializer(model, "m", Tensor(DType::kFloat, {3, 5}));
  require_no_allocation(lowered(model, Policy::kExact), Tensor(DType::kFloat, {2, 3, 8, 8}),
                        Tensor(DType::kFloat, {2, 5}), 1);
}

}  // namespace
}  // namespace octet
