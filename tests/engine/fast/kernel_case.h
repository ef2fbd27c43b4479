// kernel_case.h: kernels held to plain loops (work_evaluator.h) on random shapes, layouts and numbers: each instruction set, with
// one thread and with several.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "octet/engine/fast/epilogue.h"
#include "octet/engine/fast/kernel.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/weight_store.h"
#include "tests/program/work_evaluator.h"
#include "tests/support/sanitized.h"

namespace octet::fast {

inline constexpr unsigned kKernelCases = kSanitized ? 15 : 60;

// [N, spatial..., C] of [N, C, spatial...], and back.
inline std::vector<std::byte> turned(std::span<const std::byte> from, const Operand& operand, bool back) {
  const auto size = static_cast<std::int64_t>(size_of(operand.type));
  const std::int64_t images = operand.shape[0], channels = operand.shape[1];
  const std::int64_t pixels = element_count(std::span(operand.shape).subspan(2));
  std::vector<std::byte> to(from.size());
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t p = 0; p < pixels; ++p) {
        const std::int64_t first = ((n * channels + c) * pixels + p) * size,
                           last = ((n * pixels + p) * channels + c) * size;
        std::memcpy(to.data() + (back ? first : last), from.data() + (back ? last : first),
                    static_cast<std::size_t>(size));
      }
  return to;
}

// Some values, random ones, and the kernels of a work on them.
class KernelCase {
 public:
  explicit KernelCase(unsigned seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  bool coin() { return number(0, 1) == 1; }
  float scale() {
    return std::ldexp(1.0F + static_cast<float>(number(0, 1000)) / 1001.0F, -static_cast<int>(number(3, 8)));
  }
  Quantization meaning(DType type) {
    const IntegerRange range = integer_range(type);
    return {scale(), static_cast<std::int32_t>(number(range.min, range.max))};
  }
  DType byte_type() { return coin() ? DType::kInt8 : DType::kUint8; }
  Layout layout() { return coin() ? Layout::kChannelsLast : Layout::kAsDeclared; }
  LookupTable table() {
    LookupTable table;
    for (std::uint8_t& byte : table) byte = static_cast<std::uint8_t>(number(0, 255));
    return table;
  }
  // Sometimes large enough for several threads.
  Shape image_shape() {
    const std::int64_t most = number(0, 5) == 0 ? 24 : 6;
    return {number(1, 3), number(1, 4 * most), number(1, most), number(1, most)};
  }

  ValueId add(DType type, const Shape& shape, Layout layout = Layout::kAsDeclared) {
    const ValueId id = values_.size();
    values_.push_back({.name = std::to_string(id), .dtype = type, .shape = symbolic(shape)});
    operands_.push_back({id, type, shape, layout});
    return id;
  }
  // With elements.
  ValueId given(DType type, const Shape& shape, Layout layout = Layout::kAsDeclared) {
    const ValueId id = add(type, shape, layout);
    Tensor tensor(type, shape);
    if (type == DType::kFloat)
      for (float& real : tensor.mutable_as<float>()) real = static_cast<float>(number(-20000, 20000)) / 128.0F;
    else
      for (std::byte& byte : tensor.mutable_bytes())
        byte = static_cast<std::byte>(number(0, type == DType::kBool ? 1 : 255));
    given_[id] = tensor;
    return id;
  }

  // Clamps, tables and combinations behind y, which is there already; what they read gets added.
  std::vector<work::Stage> stages(DType type, ValueId y) {
    std::vector<work::Stage> stages;
    for (std::int64_t count = number(0, 4); count-- > 0;) {
      const std::int64_t kind = number(0, 2);
      if (kind == 0) {
        const Quantization low = meaning(type), high = meaning(type);
        stages.emplace_back(
            work::Clamp{std::min(low.zero_point, high.zero_point), std::max(low.zero_point, high.zero_point)});
      } else if (kind == 1) {
        stages.emplace_back(work::LookUp{table(), type});
      } else {
        const Operand operand = operands_[y];
        const ValueId other = given(type, operand.shape, operand.layout);
        stages.emplace_back(work::Combine{coin(), other, coin(), meaning(type), meaning(type), meaning(type)});
      }
    }
    return stages;
  }

  template <typename W>
  void expect_kernel(const W& work) {
    const TensorsById wanted = evaluate_work(work, values_, given_);
    Program program;
    program.values = values_;
    WeightStore weights(program);
    for (const Simd& simd : simd_targets())
      for (const int threads : {1, 3}) {
        const KernelContext context{program, operands_, simd, weights};
        ASSERT_TRUE(fits(work, context));
        const KernelPtr kernel = make_kernel(work, context);
        std::vector<std::vector<std::byte>> memory(values_.size());
        for (const auto& [id, tensor] : given_) memory[id] = standing(id, tensor.bytes(), false);
        for (const auto& [id, tensor] : wanted) memory[id].assign(tensor.byte_size(), std::byte{0x5A});
        ValuePointers places;
        for (std::vector<std::byte>& bytes : memory) places.push_back(bytes.data());
        kernel->run(places, Parallel(threads));
        for (const auto& [id, tensor] : wanted) {
          const std::vector<std::byte> found = standing(id, memory[id], true);
          ASSERT_TRUE(std::ranges::equal(found, tensor.bytes()))
              << simd.name << ", " << threads << " threads, value " << id << " " << to_string(tensor.shape());
        }
      }
  }
  // Some channels of some rows at a time, from the accumulators that the same product leaves without an epilogue.
  void expect_epilogue(const work::MatrixProduct& work, std::int64_t rows, std::int64_t channels) {
    const Tensor wanted = evaluate_work(work, values_, given_).at(work.y);
    work::MatrixProduct plain = work;
    plain.epilogue.clear();
    const Tensor sums = evaluate_work(plain, values_, given_).at(work.y);
    Program program;
    program.values = values_;
    WeightStore weights(program);
    for (const Simd& simd : simd_targets()) {
      const Epilogue epilogue(work.epilogue, {program, operands_, simd, weights}, channels);
      ValuePointers places(values_.size());
      for (auto& [id, tensor] : given_) places[id] = tensor.mutable_bytes().data();
      Tensor y(wanted.dtype(), wanted.shape());
      const std::int64_t at_once = number(1, channels), height = number(1, rows);
      for (std::int64_t row = 0; row < rows; row += height)
        for (std::int64_t channel = 0; channel < channels; channel += at_once) {
          const std::int64_t element = row * channels + channel;
          const SumMatrix block = {sums.as<std::int32_t>().data() + element, channels, std::min(height, rows - row),
                                   std::min(at_once, channels - channel)};
          std::byte* to = y.mutable_bytes().data() + element * static_cast<std::int64_t>(size_of(y.dtype()));
          epilogue.apply({block, channel, element, to, channels}, epilogue.scale(places), places);
        }
      ASSERT_EQ(y, wanted) << simd.name;
    }
  }
  template <typename W>
  bool has_kernel(const W& work) {
    Program program;
    program.values = values_;
    WeightStore weights(program);
    return fits(work, {program, operands_, simd_targets().front(), weights});
  }

 private:
  std::vector<std::byte> standing(ValueId id, std::span<const std::byte> bytes, bool back) const {
    const Operand& operand = operands_[id];
    if (operand.layout == Layout::kAsDeclared) return {bytes.begin(), bytes.end()};
    return turned(bytes, operand, back);
  }

  std::mt19937 random_;
  std::vector<ProgramValue> values_;
  std::vector<Operand> operands_;
  TensorsById given_;
};

}  // namespace octet::fast
