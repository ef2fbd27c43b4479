#include "octet/base/one_nan.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "octet/base/vectorize.h"

namespace octet {
namespace {

// A floating-point type by its bits: NaN is above infinity, the sign aside.
template <typename Bits>
struct Format {
  using Element = Bits;
  Bits sign, infinity, nan;

  bool is_other_nan(Bits bits) const { return (bits & ~sign) > infinity && bits != nan; }
};
constexpr Format<std::uint16_t> kHalf{0x8000, 0x7C00, 0x7E00}, kBrainHalf{0x8000, 0x7F80, 0x7FC0};
constexpr Format<std::uint32_t> kSingle{0x80000000, 0x7F800000, 0x7FC00000};
constexpr Format<std::uint64_t> kDoubled{1ULL << 63, 0x7FFULL << 52, 0xFFFULL << 51};

// f(format), where the type has one.
template <typename F>
void with_format(DType dtype, const F& f) {
  if (dtype == DType::kFloat) f(kSingle);
  if (dtype == DType::kDouble) f(kDoubled);
  if (dtype == DType::kFloat16) f(kHalf);
  if (dtype == DType::kBFloat16) f(kBrainHalf);
}

template <typename Format>
bool has_other_nan(const Format& format, std::span<const std::byte> elements) {
  using Bits = typename Format::Element;
  using Signed = std::make_signed_t<Bits>;
  const std::span bits(reinterpret_cast<const Bits*>(elements.data()), elements.size() / sizeof(Bits));
  // Most tensors have no NaN at all, which takes one comparison of signed numbers, as vectors have them on every processor.
  const auto magnitudes = static_cast<Bits>(~format.sign);
  const auto infinity = static_cast<Signed>(format.infinity);
  Signed found = 0;
  vectorized([=, to = &found] {
    Signed any = 0;
    for (const Bits each : bits)
      any = static_cast<Signed>(any | -static_cast<Signed>(static_cast<Signed>(each & magnitudes) > infinity));
    *to = any;
  });
  return found != 0 && std::ranges::any_of(bits, [&](Bits each) { return format.is_other_nan(each); });
}

}  // namespace

void unify_nans(DType dtype, std::span<std::byte> elements) {
  with_format(dtype, [&](const auto& format) {
    using Bits = typename std::decay_t<decltype(format)>::Element;
    if (!has_other_nan(format, elements)) return;
    const std::span bits(reinterpret_cast<Bits*>(elements.data()), elements.size() / sizeof(Bits));
    for (Bits& each : bits) each = format.is_other_nan(each) ? format.nan : each;  // without branches: they may be many
  });
}

Tensor with_one_nan(const Tensor& tensor) {
  Tensor result = tensor;
  with_format(tensor.dtype(), [&](const auto& format) {
    if (has_other_nan(format, tensor.bytes())) unify_nans(tensor.dtype(), result.mutable_bytes());
  });
  return result;
}

}  // namespace octet
