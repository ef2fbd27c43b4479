// Kernels of values of 16 bits: Quantize and Dequantize, SplitBytes, and JoinedSum, which ends their sums.
#include "octet/engine/fast/words.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>

#include "octet/base/vectorize.h"
#include "octet/engine/fast/combination.h"
#include "octet/engine/fast/memory_order.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/quantize_linear.h"

namespace octet::fast {
namespace {

template <typename T>
T* elements_at(const ValuePointers& places, ValueId value) {
  return reinterpret_cast<T*>(places[value]);
}

// Runs of neighbours in memory that have one channel, or the channels one after the other.
class ChannelRuns {
 public:
  // `axis` is that of the channels; without it, all elements are one run.
  ChannelRuns(const Operand& y, std::optional<std::int64_t> axis)
      : size_(y.size()), behind_(std::max(size_, std::int64_t{1})) {
    if (!axis) return;
    const Shape shape = memory_shape(y);
    const std::size_t place = memory_axis(y.layout, shape.size(), static_cast<std::size_t>(*axis));
    channels_ = shape[place];
    behind_ = element_count(std::span(shape).subspan(place + 1));
  }

  // f(first, count, channel, step): channels go up by `step` from element to element, 0 or 1.
  template <typename F>
  void for_each(const Parallel& parallel, F f) const {
    const bool side_by_side = behind_ == 1;
    const std::int64_t length = side_by_side ? channels_ : behind_;
    parallel.for_each_block(size_, kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end;) {
        const std::int64_t count = std::min(length - k % length, end - k);
        if (side_by_side)
          f(k, count, k % length, std::int64_t{1});
        else
          f(k, count, k / length % channels_, std::int64_t{0});
        k += count;
      }
    });
  }

 private:
  std::int64_t size_;
  std::int64_t channels_ = 1, behind_;  // elements behind each of the channels' axis
};

std::optional<std::int64_t> axis_where(bool differ, std::int64_t axis) {
  return differ ? std::optional(axis) : std::nullopt;
}

// ---- between floats and words

template <typename T>
class QuantizeWordsKernel : public Kernel {
 public:
  QuantizeWordsKernel(const work::Quantize& work, const KernelContext& context)
      : work_(work), runs_(context.at(work.y), axis_where(work.scales.size() > 1, work.axis)) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = elements_at<const float>(places, work_.x);
    T* y = elements_at<T>(places, work_.y);
    runs_.for_each(parallel, [&](std::int64_t first, std::int64_t count, std::int64_t channel, std::int64_t step) {
      const std::int64_t alike = step == 0 ? count : 1;
      for (std::int64_t k = 0; k < count; k += alike) quantize(x + first + k, alike, channel + k * step, y + first + k);
    });
  }
  std::string describe() const override { return "words"; }

 private:
  void quantize(const float* x, std::int64_t count, std::int64_t channel, T* y) const {
    const IntegerRange range = integer_range(dtype_of<T>());
    const PlainQuantizer quantizer({one_or(work_.zero_points, channel), range, ZeroPoint::kAfterRounding});
    const float scale = one_or(work_.scales, channel);
    vectorized([=] {
      for (std::int64_t k = 0; k < count; ++k) y[k] = static_cast<T>(quantizer(x[k] / scale));
    });
  }

  work::Quantize work_;
  ChannelRuns runs_;
};

template <typename T>
class DequantizeWordsKernel : public Kernel {
 public:
  DequantizeWordsKernel(const work::Dequantize& work, const KernelContext& context)
      : work_(work), runs_(context.at(work.y), axis_where(work.scales.size() > 1, work.axis)) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const T* x = elements_at<const T>(places, work_.x);
    auto* y = elements_at<float>(places, work_.y);
    runs_.for_each(parallel, [&](std::int64_t first, std::int64_t count, std::int64_t channel, std::int64_t step) {
      const std::int64_t alike = step == 0 ? count : 1;
      for (std::int64_t k = 0; k < count; k += alike)
        dequantize(x + first + k, alike, channel + k * step, y + first + k);
    });
  }
  std::string describe() const override { return "words"; }

 private:
  void dequantize(const T* x, std::int64_t count, std::int64_t channel, float* y) const {
    const Quantization meaning{one_or(work_.scales, channel), one_or(work_.zero_points, channel)};
    vectorized([=] {
      for (std::int64_t k = 0; k < count; ++k) y[k] = dequantize_linear(x[k], meaning);
    });
  }

  work::Dequantize work_;
  ChannelRuns runs_;
};

// ---- sums of products of words

template <typename T>
class SplitBytesKernel : public Kernel {
 public:
  SplitBytesKernel(const work::SplitBytes& work, const KernelContext& context)
      : work_(work), size_(context.at(work.x).size()) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const T* x = elements_at<const T>(places, work_.x);
    std::uint8_t *high = bytes_at(places, work_.high), *low = bytes_at(places, work_.low);
    parallel.for_each_block(size_, kGrain, [&](std::int64_t begin, std::int64_t end) {
      split(x + begin, end - begin, high + begin, low + begin);
    });
  }
  std::string describe() const override { return "bytes of words"; }

 private:
  static void split(const T* x, std::int64_t count, std::uint8_t* high, std::uint8_t* low) {
    constexpr auto kLeast = static_cast<std::uint16_t>(std::numeric_limits<T>::min());
    vectorized([=] {
      for (std::int64_t k = 0; k < count; ++k) {
        const auto number = static_cast<std::uint16_t>(static_cast<std::uint16_t>(x[k]) - kLeast);
        high[k] = static_cast<std::uint8_t>(number >> 8);
        low[k] = static_cast<std::uint8_t>(number);
      }
    });
  }

  work::SplitBytes work_;
  std::int64_t size_;
};

// Sums in Int, which is the type's: int32 or int64.
template <typename Int>
class JoinedSumKernel : public Kernel {
 public:
  JoinedSumKernel(const work::JoinedSum& work, const KernelContext& context)
      : work_(work),
        runs_(context.at(work.y), axis_where(work.multipliers.size() > 1 || work.bias.size() > 1, work.axis)) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    auto* y = elements_at<float>(places, work_.y);
    runs_.for_each(parallel, [&](std::int64_t first, std::int64_t count, std::int64_t channel, std::int64_t step) {
      for (std::int64_t k = 0; k < count; k += kAtOnce)
        join(places, first + k, std::min(kAtOnce, count - k), channel + k * step, step, y + first + k);
    });
  }
  std::string describe() const override { return "joined sums"; }

 private:
  using Unsigned = std::make_unsigned_t<Int>;
  static constexpr std::int64_t kAtOnce = 512;  // sums that stay in the nearest cache

  // One number for all, or one for each channel.
  struct Numbers {
    const float* first;
    std::int64_t step;
  };
  static Numbers numbers(const std::vector<float>& all, std::int64_t channel, std::int64_t step) {
    if (all.size() == 1) return {all.data(), 0};
    return {all.data() + channel, step};
  }

  void join(const ValuePointers& places, std::int64_t first, std::int64_t count, std::int64_t channel,
            std::int64_t step, float* y) const {
    std::array<Unsigned, kAtOnce> sums;
    Unsigned* const acc = sums.data();
    std::fill_n(acc, count, Unsigned{0});
    for (const work::JoinedSum::Part& part : work_.parts) {
      const std::int32_t* x = elements_at<const std::int32_t>(places, part.x) + first;
      const auto factor = static_cast<Unsigned>(part.factor);
      vectorized([=] {
        for (std::int64_t k = 0; k < count; ++k) acc[k] += factor * static_cast<Unsigned>(x[k]);
      });
    }
    const Numbers multipliers = numbers(work_.multipliers, channel, step);
    vectorized([=] {
      for (std::int64_t k = 0; k < count; ++k)
        y[k] = static_cast<float>(static_cast<Int>(acc[k])) * multipliers.first[k * multipliers.step];
    });
    if (work_.bias.empty()) return;
    const Numbers bias = numbers(work_.bias, channel, step);
    vectorized([=] {
      for (std::int64_t k = 0; k < count; ++k) y[k] += bias.first[k * bias.step];
    });
  }

  work::JoinedSum work_;
  ChannelRuns runs_;
};

// Whether the numbers are one for all, or as many as there are channels.
bool numbers_fit(const std::vector<float>& numbers, const Operand& y, std::int64_t axis) {
  return numbers.size() <= 1 || (static_cast<std::size_t>(axis) < y.shape.size() &&
                                 std::ssize(numbers) == y.shape[static_cast<std::size_t>(axis)]);
}

}  // namespace

KernelPtr make_word_kernel(const work::Quantize& work, const KernelContext& context) {
  if (context.at(work.y).type == DType::kInt16)
    return std::make_unique<QuantizeWordsKernel<std::int16_t>>(work, context);
  return std::make_unique<QuantizeWordsKernel<std::uint16_t>>(work, context);
}

KernelPtr make_word_kernel(const work::Dequantize& work, const KernelContext& context) {
  if (context.at(work.x).type == DType::kInt16)
    return std::make_unique<DequantizeWordsKernel<std::int16_t>>(work, context);
  return std::make_unique<DequantizeWordsKernel<std::uint16_t>>(work, context);
}

bool fits(const work::SplitBytes& work, const KernelContext& context) {
  if (!context.known(work.x) || !has_words(context.at(work.x))) return false;
  const Operand& x = context.at(work.x);
  for (const ValueId bytes : {work.high, work.low})
    if (!context.known(bytes) || context.at(bytes).type != DType::kUint8 || context.at(bytes).shape != x.shape ||
        context.at(bytes).layout != x.layout)
      return false;
  return true;
}

KernelPtr make_kernel(const work::SplitBytes& work, const KernelContext& context) {
  if (context.at(work.x).type == DType::kInt16) return std::make_unique<SplitBytesKernel<std::int16_t>>(work, context);
  return std::make_unique<SplitBytesKernel<std::uint16_t>>(work, context);
}

bool fits(const work::JoinedSum& work, const KernelContext& context) {
  if (!context.known(work.y) || context.at(work.y).type != DType::kFloat) return false;
  const Operand& y = context.at(work.y);
  for (const work::JoinedSum::Part& part : work.parts)
    if (!context.known(part.x) || context.at(part.x).type != DType::kInt32 || context.at(part.x).shape != y.shape ||
        context.at(part.x).layout != y.layout)
      return false;
  return numbers_fit(work.multipliers, y, work.axis) && numbers_fit(work.bias, y, work.axis);
}

KernelPtr make_kernel(const work::JoinedSum& work, const KernelContext& context) {
  if (work.type == DType::kInt32) return std::make_unique<JoinedSumKernel<std::int32_t>>(work, context);
  return std::make_unique<JoinedSumKernel<std::int64_t>>(work, context);
}

}  // namespace octet::fast
