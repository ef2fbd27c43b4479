// gather_block_quantized.cc: the meaning of com.microsoft GatherBlockQuantized.
//
//   output[a..., i..., b...] = f32(q[n] - z[m]) * s[m]        n = [a..., indices[i...], b...], m = n with n[q] / block_size
//
// q is data, with axis gather_axis gathered as Gather does and blocks of block_size along quantize_axis, the last of which may be
// shorter; z and s are zero_points and scales. uint8 data have `bits` bits, packed from the lowest on along the last axis, and so
// have their zero points, which are 2^(bits - 1) unless given; of the 4-bit types they are 0. The difference is exact, and the
// product is rounded once. An index that is out of range gives zeros.
//
//   gather_block_quantized_c1  data are int4, uint4 or uint8, and zero_points have their type; indices are int32 or int64; scales
//                              are float32, float16 or bfloat16.
//   gather_block_quantized_c2  bits is 4 or 8 for uint8, block_size is a power of two of 16 or more, and the axes are within
//                              [-rank, rank - 1]; of uint8, gather_axis is 0 and not quantize_axis.
//   gather_block_quantized_c3  scales have data's shape with blocks for quantize_axis; zero_points have that of the scales, of
//                              uint8 packed.
#include <algorithm>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

struct BlockInput {
  enum Index : std::size_t { kData, kIndices, kScales, kZeroPoints };
};

struct BlockForm {
  std::int64_t bits, block, packed;  // `packed`: numbers in an element of data
  std::size_t gathered, quantized;

  BlockForm(const Attributes& attributes, DType data, std::size_t rank)
      : bits(data == DType::kUint8 ? attributes.get_int("bits", 4) : 4),
        block(attributes.get_int("block_size", 128)),
        packed(0),
        gathered(normalize_axis(attributes.get_int("gather_axis", 0), rank, "gather_block_quantized_c2")),
        quantized(normalize_axis(attributes.get_int("quantize_axis", 1), rank, "gather_block_quantized_c2")) {
    constexpr std::string_view kLabel = "gather_block_quantized_c2";
    if (bits != 4 && bits != 8) fail_constraint(kLabel, "bits is {}, wanted 4 or 8", bits);
    if (block < 16 || (block & (block - 1)) != 0)
      fail_constraint(kLabel, "block_size is {}, wanted a power of two of 16 or more", block);
    if (data == DType::kUint8 && (gathered != 0 || quantized == 0))
      fail_constraint(kLabel, "gather_axis is {} and quantize_axis {}, wanted 0 and another one for uint8", gathered,
                      quantized);
    packed = data == DType::kUint8 ? 8 / bits : 1;
  }
};

void infer_gather_block_quantized(Inference& i) {
  using enum BlockInput::Index;
  constexpr std::string_view kTypes = "gather_block_quantized_c1", kShapes = "gather_block_quantized_c3";
  const DType type = i.dtype(kData), real = i.dtype(kScales);
  if (type != DType::kUint8 && type != DType::kInt4 && type != DType::kUint4)
    fail_constraint(kTypes, "data are {}, wanted int4, uint4 or uint8", name(type));
  if (real != DType::kFloat && real != DType::kFloat16 && real != DType::kBFloat16)
    fail_constraint(kTypes, "scales are {}, wanted float32, float16 or bfloat16", name(real));
  require_index_type(i, kIndices, kTypes);
  require_dtype(i, kZeroPoints, type, kTypes);
  i.set_output(0, real, std::nullopt);
  if (!i.has_shape(kData)) return;
  SymbolicShape numbers = i.shape(kData);
  const BlockForm form(i.attributes(), type, numbers.size());
  numbers.back() = numbers.back() * form.packed;
  SymbolicShape scales = numbers;
  scales[form.quantized] = ceil_divide(numbers[form.quantized], form.block);
  require_rank(i, kScales, scales.size(), kShapes);
  require_shape(i, kScales, scales, kShapes);
  SymbolicShape zero_points = scales;
  zero_points.back() = ceil_divide(scales.back(), form.packed);
  require_shape(i, kZeroPoints, zero_points, kShapes);
  if (!i.has_shape(kIndices)) return;
  const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(form.gathered);
  SymbolicShape y(numbers.begin(), at);
  y.insert(y.end(), i.shape(kIndices).begin(), i.shape(kIndices).end());
  y.insert(y.end(), at + 1, numbers.end());
  i.set_output(0, real, std::move(y));
}

class BlockNumbers {
 public:
  explicit BlockNumbers(const Call& call)
      : data_(call.input(BlockInput::kData)),
        scales_(call.input(BlockInput::kScales).as<float>().data()),
        form_(call.attributes(), data_.dtype(), data_.shape().size()),
        shape_(data_.shape()) {
    shape_.back() *= form_.packed;
    blocks_ = call.input(BlockInput::kScales).shape();
    inner_ = strides_of(shape_)[form_.quantized];
    if (call.has(BlockInput::kZeroPoints)) zero_points_ = &call.input(BlockInput::kZeroPoints);
  }

  const Shape& shape() const { return shape_; }  // of the numbers, unpacked
  std::size_t gathered() const { return form_.gathered; }

  float operator[](std::int64_t n) const {
    const std::int64_t length = shape_[form_.quantized], line = n / inner_;
    const std::int64_t m =
        (line / length * blocks_[form_.quantized] + line % length / form_.block) * inner_ + n % inner_;
    const std::int64_t number = unpacked(data_, shape_.back(), n);
    return static_cast<float>(number - zero_point(m)) * scales_[m];
  }

 private:
  std::int64_t zero_point(std::int64_t m) const {
    if (zero_points_ != nullptr) return unpacked(*zero_points_, blocks_.back(), m);
    return data_.dtype() == DType::kUint8 ? std::int64_t{1} << (form_.bits - 1) : 0;
  }

  // Number `index` of a tensor whose last axis has `width` of them.
  std::int64_t unpacked(const Tensor& tensor, std::int64_t width, std::int64_t index) const {
    if (form_.packed == 1) return tensor.int_at(index);
    const std::int64_t bit = index % width * form_.bits;
    return tensor.int_at(index / width * tensor.shape().back() + bit / 8) >> (bit % 8) & 15;
  }

  const Tensor& data_;
  const float* scales_;
  BlockForm form_;
  Shape shape_, blocks_;
  std::int64_t inner_ = 1;
  const Tensor* zero_points_ = nullptr;
};

void compute_gather_block_quantized(Call& call) {
  if (call.output(0).size() == 0) return;
  const BlockNumbers numbers(call);
  const std::int64_t size = numbers.shape()[numbers.gathered()],
                     inner = strides_of(numbers.shape())[numbers.gathered()];
  const std::vector<std::int64_t> indices = call.input(BlockInput::kIndices).to_ints();
  const auto count = static_cast<std::int64_t>(indices.size());
  float* to = call.output(0).mutable_as<float>().data();
  const std::int64_t rows = call.output(0).size() / inner;
  call.parallel().for_each_block(rows, kElementGrain / inner, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t given = indices[static_cast<std::size_t>(row % count)], index = from_start(given, size);
      const bool within = index >= 0 && index < size;
      for (std::int64_t k = 0; k < inner; ++k)
        to[row * inner + k] = within ? numbers[(row / count * size + index) * inner + k] : 0;
    }
  });
}

}  // namespace

const Operator ops::kGatherBlockQuantized = {
    .name = "GatherBlockQuantized",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "output[a..., i..., b...] = (data[n] - zero_point) * scale, n = [a..., indices[i...], b...], a scale and a "
        "zero point for each block",
    .constraints = {{"gather_block_quantized_c1",
                     "data are int4, uint4 or uint8, and zero_points have their type; indices are int32 or int64; "
                     "scales are float32, "
                     "float16 or bfloat16"},
                    {"gather_block_quantized_c2",
                     "bits is 4 or 8 for uint8, block_size is a power of two of 16 or more, and the axes are within "
                     "[-rank, rank - 1]; "
                     "of uint8, gather_axis is 0 and not quantize_axis"},
                    {"gather_block_quantized_c3",
                     "scales have data's shape with blocks for quantize_axis; zero_points have that of the scales, of "
                     "uint8 packed"}},
    .infer = infer_gather_block_quantized,
    .compute = compute_gather_block_quantized,
};

}  // namespace octet
