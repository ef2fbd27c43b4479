#include "octet/base/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "octet/base/fail.h"
#include "octet/base/memory.h"
#include "octet/base/memory_budget.h"
#include "octet/base/visit.h"

namespace octet {
namespace {

std::size_t byte_count(DType dtype, std::int64_t elements) {
  std::size_t bytes;
  if (__builtin_mul_overflow(static_cast<std::size_t>(elements), size_of(dtype), &bytes) ||
      bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    fail(ErrorCode::kLimit, "{} elements of {} do not fit this machine's memory", elements, name(dtype));
  return bytes;
}

// The memory budget counts them, but not the characters of long ones.
std::shared_ptr<std::vector<std::string>> counted_strings(std::size_t count) {
  struct Counted {
    MemoryCharge charge;
    std::vector<std::string> strings;
  };
  std::size_t bytes;
  if (__builtin_mul_overflow(count, sizeof(std::string), &bytes) || bytes > PTRDIFF_MAX)
    fail(ErrorCode::kLimit, "{} strings do not fit this machine's memory", count);
  MemoryCharge charge(bytes);
  const auto counted = std::make_shared<Counted>(Counted{std::move(charge), std::vector<std::string>(count)});
  return {counted, &counted->strings};
}

}  // namespace

Tensor Tensor::uninitialized(DType dtype, Shape shape) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.size_ = element_count(shape);
  tensor.shape_ = std::move(shape);
  tensor.writable_ = true;
  if (dtype == DType::kString) {
    tensor.owner_ = counted_strings(static_cast<std::size_t>(tensor.size_));
  } else {
    std::shared_ptr<std::byte> memory = allocate_bytes(byte_count(dtype, tensor.size_));
    tensor.data_ = memory.get();
    tensor.owner_ = std::move(memory);
  }
  return tensor;
}

Tensor::Tensor(DType dtype, Shape shape) : Tensor(uninitialized(dtype, std::move(shape))) {
  if (data_) std::memset(mutable_data(), 0, byte_size());
}

Tensor::Tensor(DType dtype, Shape shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  const std::int64_t count = element_count(shape);
  if (byte_count(dtype, count) != bytes.size() || dtype == DType::kString)
    fail(ErrorCode::kFormat, "{} bytes for {} elements of {}", bytes.size(), count, name(dtype));
  const std::size_t alignment = std::min<std::size_t>(std::max<std::size_t>(size_of(dtype), 1), 16);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
    *this = uninitialized(dtype, std::move(shape));
    if (!bytes.empty()) std::memcpy(mutable_data(), bytes.data(), bytes.size());
    return;
  }
  dtype_ = dtype;
  size_ = count;
  shape_ = std::move(shape);
  data_ = bytes.data();
  owner_ = std::move(owner);
}

Tensor Tensor::from_strings(Shape shape, std::vector<std::string> values) {
  Tensor tensor(DType::kString, std::move(shape));
  if (static_cast<std::int64_t>(values.size()) != tensor.size_)
    fail(ErrorCode::kFormat, "{} strings for {} elements", values.size(), tensor.size_);
  tensor.mutable_strings() = std::move(values);
  return tensor;
}

void Tensor::require_storage(bool ok) const {
  if (!ok) fail(ErrorCode::kUnsupported, "a tensor of {} was read as another type", name(dtype_));
}

std::byte* Tensor::mutable_data() {
  if (data_ && (!writable_ || owner_.use_count() > 1)) {
    const std::size_t bytes = byte_size();
    std::shared_ptr<std::byte> memory = allocate_bytes(bytes);
    if (bytes > 0) std::memcpy(memory.get(), data_, bytes);
    data_ = memory.get();
    owner_ = std::move(memory);
    writable_ = true;
  }
  return const_cast<std::byte*>(data_);  // our own allocation, which is not const
}

const std::vector<std::string>& Tensor::strings() const {
  require_storage(dtype_ == DType::kString);
  return *static_cast<const std::vector<std::string>*>(owner_.get());
}

std::vector<std::string>& Tensor::mutable_strings() {
  require_storage(dtype_ == DType::kString);
  if (owner_.use_count() > 1) {
    const auto copy = counted_strings(strings().size());
    *copy = strings();
    owner_ = copy;
  }
  return *const_cast<std::vector<std::string>*>(&strings());
}

Tensor Tensor::reshaped(Shape shape) const {
  if (element_count(shape) != size_)
    fail(ErrorCode::kModel, "shape {} has {} elements, {} has {}", to_string(shape_), size_, to_string(shape),
         element_count(shape));
  Tensor tensor = *this;
  tensor.shape_ = std::move(shape);
  return tensor;
}

namespace {

// Block by block, so that the lines of memory that a block touches stay in the cache.
template <std::size_t kSize>
void transpose(const std::byte* from, std::int64_t rows, std::int64_t columns, std::byte* to) {
  constexpr std::int64_t kBlock = 32, kStep = kSize;
  for (std::int64_t top = 0; top < rows; top += kBlock)
    for (std::int64_t left = 0; left < columns; left += kBlock)
      for (std::int64_t column = left; column < std::min(left + kBlock, columns); ++column)
        for (std::int64_t row = top; row < std::min(top + kBlock, rows); ++row)
          std::memcpy(to + (column * rows + row) * kStep, from + (row * columns + column) * kStep, kSize);
}

}  // namespace

Tensor Tensor::transposed() const {
  const std::int64_t rows = shape_.at(0), columns = shape_.at(1);
  Tensor result = uninitialized(dtype_, {columns, rows});
  std::byte* to = result.mutable_bytes().data();
  switch (size_of(dtype_)) {
    case 1: transpose<1>(data_, rows, columns, to); break;
    case 2: transpose<2>(data_, rows, columns, to); break;
    case 4: transpose<4>(data_, rows, columns, to); break;
    case 8: transpose<8>(data_, rows, columns, to); break;
    case 16: transpose<16>(data_, rows, columns, to); break;
    default: require_storage(false);  // strings
  }
  return result;
}

Tensor Tensor::retyped(DType dtype) const {
  if (size_of(dtype) != size_of(dtype_) || dtype == DType::kString || dtype_ == DType::kString)
    fail(ErrorCode::kUnsupported, "{} can't be read as {}", name(dtype_), name(dtype));
  Tensor tensor = *this;
  tensor.dtype_ = dtype;
  return tensor;
}

double Tensor::number_at(std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  if (dtype_ == DType::kBool) return as<bool>()[i] ? 1 : 0;
  if (dtype_ == DType::kFloat16) return to_float(as<Float16>()[i]);
  if (dtype_ == DType::kBFloat16) return to_float(as<BFloat16>()[i]);
  if (is_minifloat(dtype_)) return minifloat_values(dtype_)[as<std::uint8_t>()[i] & ((1U << bits(dtype_)) - 1)];
  return visit_numeric(dtype_, [&]<typename T>() { return static_cast<double>(as<T>()[i]); });
}

std::vector<std::int64_t> Tensor::to_ints() const {
  std::vector<std::int64_t> values(static_cast<std::size_t>(size_));
  for (std::int64_t i = 0; i < size_; ++i) values[static_cast<std::size_t>(i)] = int_at(i);
  return values;
}

bool Tensor::identical(const Tensor& other) const {
  if (dtype_ != other.dtype_ || shape_ != other.shape_) return false;
  if (dtype_ == DType::kString) return strings() == other.strings();
  return byte_size() == 0 || std::memcmp(data_, other.data_, byte_size()) == 0;
}

namespace {

template <typename T>
auto widened(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return to_float(value);
  else
    return value;
}

template <typename To, typename From>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>) {
    const auto number = [&] {
      if constexpr (std::is_same_v<From, float>)
        return value;
      else
        return static_cast<double>(value);
    }();
    if constexpr (std::is_same_v<To, Float16>)
      return to_float16(number);
    else
      return to_bfloat16(number);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Outside the wide type the C++ conversion is undefined; x86 gives its minimum, and so does this.
    if constexpr (std::is_same_v<To, std::uint64_t>) {
      if (value >= static_cast<From>(9223372036854775808.0) && value < static_cast<From>(18446744073709551616.0))
        return static_cast<std::uint64_t>(value);
    }
    constexpr bool kNarrow = sizeof(To) < 4 || std::is_same_v<To, std::int32_t>;
    using Wide = std::conditional_t<kNarrow, std::int32_t, std::int64_t>;
    constexpr From kLimit = -static_cast<From>(std::numeric_limits<Wide>::min());
    const bool inside = value >= -kLimit && value < kLimit;
    return static_cast<To>(inside ? static_cast<Wide>(value) : std::numeric_limits<Wide>::min());
  } else {
    return static_cast<To>(value);
  }
}

template <typename F>
void visit_convertible(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kBool: return f.template operator()<bool>();
    case DType::kFloat16: return f.template operator()<Float16>();
    case DType::kBFloat16: return f.template operator()<BFloat16>();
    default: return visit_numeric(dtype, static_cast<F&&>(f));
  }
}

// Keeps the low bits of a sub-byte type and extends its sign.
void wrap_to_width(Tensor& tensor) {
  const int unused = 8 - bits(tensor.dtype());
  if (tensor.dtype() == DType::kInt4 || tensor.dtype() == DType::kInt2) {
    for (std::int8_t& v : tensor.mutable_as<std::int8_t>())
      v = static_cast<std::int8_t>(static_cast<std::int8_t>(static_cast<std::uint8_t>(v) << unused) >> unused);
  } else if (tensor.dtype() == DType::kUint4 || tensor.dtype() == DType::kUint2) {
    for (std::uint8_t& v : tensor.mutable_as<std::uint8_t>()) v = static_cast<std::uint8_t>(v & (0xff >> unused));
  }
}

Tensor decoded_minifloats(const Tensor& tensor) {
  const std::span<const float> values = minifloat_values(tensor.dtype());
  Tensor result = Tensor::uninitialized(DType::kFloat, tensor.shape());
  const std::span<const std::uint8_t> codes = tensor.as<std::uint8_t>();
  const std::span<float> numbers = result.mutable_as<float>();
  for (std::size_t i = 0; i < codes.size(); ++i) numbers[i] = values[codes[i] & (values.size() - 1)];
  return result;
}

// Requires float32, or float64 where that is needed to hold the numbers.
Tensor encoded_minifloats(const Tensor& tensor, DType dtype, const MinifloatRounding& rounding) {
  Tensor result = Tensor::uninitialized(dtype, tensor.shape());
  const std::span<std::uint8_t> codes = result.mutable_as<std::uint8_t>();
  visit_float(tensor.dtype(), [&]<typename Real>() {
    const std::span<const Real> numbers = tensor.as<Real>();
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = minifloat_code(numbers[i], dtype, rounding);
  });
  return result;
}

bool fits_float(DType dtype) { return bits(dtype) <= 16 || dtype == DType::kFloat; }

}  // namespace

std::int64_t Tensor::int_at(std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  if (dtype_ == DType::kBool) return as<bool>()[i] ? 1 : 0;
  if (is_half(dtype_)) return converted<std::int64_t>(number_at(index));
  return visit_numeric(dtype_, [&]<typename T>() { return converted<std::int64_t>(as<T>()[i]); });
}

Tensor convert(const Tensor& tensor, DType dtype, const MinifloatRounding& rounding) {
  if (tensor.dtype() == dtype) return tensor;
  if (is_minifloat(tensor.dtype())) return convert(decoded_minifloats(tensor), dtype, rounding);
  if (is_minifloat(dtype))
    return encoded_minifloats(convert(tensor, fits_float(tensor.dtype()) ? DType::kFloat : DType::kDouble), dtype,
                              rounding);
  Tensor result = Tensor::uninitialized(dtype, tensor.shape());
  visit_convertible(tensor.dtype(), [&]<typename From>() {
    visit_convertible(dtype, [&]<typename To>() {
      const std::span<const From> in = tensor.as<From>();
      const std::span<To> out = result.mutable_as<To>();
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = converted<To>(widened(in[i]));
    });
  });
  wrap_to_width(result);
  return result;
}

}  // namespace octet
