// matmul_nbits.cc: the meaning of com.microsoft MatMulNBits.
//
//   w[n, k] = q[n, k] - z[n, k / block_size],        s = scales[n, k / block_size]
//   y[..., n] = Sum_k A[..., k] * (w[n, k] * s) [+ bias[n]]
//
// q has `bits` bits, packed from the lowest on along K in blocks; the last block is filled up. z is packed likewise, a row
// for each n; or has A's type, and is then any real number; or is 2^(bits - 1). Everything is float32 (A's float16 is
// widened): each weight is rounded, the sum is MatMul's.
//
// accuracy_level = 4 lets ONNX Runtime quantize A, and it does where z is not real and, for 2 bits, blocks have 32 elements
// or more. A block of a row of A has the scale t = max |a| / 127 and the integers p = round(a * (127 / max |a|)), ties to
// even, and
//
//   y[..., n] = Sum over blocks of f32(Sum_k p * w) * (t * s) [+ bias[n]]       the inner sums exact, in int32
//
// with float32 operations in the order of the blocks. Other levels compute in float32.
//
//   matmul_nbits_c1  A, scales and bias have the same type, float32, float16 or bfloat16; B is uint8; zero_points are uint8
//                    or of A's type.
//   matmul_nbits_c2  bits is 2, 4 or 8; block_size is a power of two from 16 to 16384; K and N are 1 or more.
//   matmul_nbits_c3  A's last dimension is K; B is [N, blocks, block_size * bits / 8]; scales have N * blocks elements, and
//                    so have real zero points; packed ones have N * ceil(blocks * bits / 8); bias is [N].
//   matmul_nbits_c4  there is no g_idx, and weight_prepacked is 0.
#include <algorithm>
#include <cmath>

#include "octet/base/vectorize.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/rounding.h"
#include "octet/spec/support/product.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

struct MatMulNBitsInput {
  enum Index : std::size_t { kA, kB, kScales, kZeroPoints, kGroups, kBias };
};

struct NBits {
  std::int64_t k, n, bits, block, blocks;

  explicit NBits(const Attributes& attributes)
      : k(attributes.get_int("K", 0)),
        n(attributes.get_int("N", 0)),
        bits(attributes.get_int("bits", 4)),
        block(attributes.get_int("block_size", 0)),
        blocks(0) {
    constexpr std::string_view kLabel = "matmul_nbits_c2";
    if (bits != 2 && bits != 4 && bits != 8) fail_constraint(kLabel, "bits is {}, wanted 2, 4 or 8", bits);
    if (block < 16 || block > 16384 || (block & (block - 1)) != 0)
      fail_constraint(kLabel, "block_size is {}, wanted a power of two from 16 to 16384", block);
    if (k < 1 || n < 1) fail_constraint(kLabel, "K is {} and N is {}, wanted 1 or more", k, n);
    blocks = (k - 1) / block + 1;
  }

  std::int64_t block_bytes() const { return block * bits / 8; }
  std::int64_t zero_point_bytes() const { return (blocks * bits + 7) / 8; }  // of a row

  // Number `index` of those that begin at `bytes`.
  std::int32_t unpacked(const std::uint8_t* bytes, std::int64_t index) const {
    const std::int64_t bit = index * bits;
    return (bytes[bit / 8] >> (bit % 8)) & ((1 << bits) - 1);
  }
};

void require_elements(const Inference& i, std::size_t input, std::int64_t rows, std::int64_t columns) {
  if (!i.has_shape(input)) return;
  const std::optional<Shape> shape = concrete(i.shape(input));
  if (shape && element_count(*shape) != (Dim(rows) * Dim(columns)).value())
    fail_constraint("matmul_nbits_c3", "input {} is {}, wanted {} x {} elements", input, to_string(*shape), rows,
                    columns);
}

void infer_matmul_nbits(Inference& i) {
  using enum MatMulNBitsInput::Index;
  const DType real = i.dtype(kA);
  if (real != DType::kFloat && real != DType::kFloat16 && real != DType::kBFloat16)
    fail_constraint("matmul_nbits_c1", "A is {}, wanted float32, float16 or bfloat16", name(real));
  for (const std::size_t input : {kB, kScales}) i.input(input);
  require_dtype(i, kB, DType::kUint8, "matmul_nbits_c1");
  require_dtype(i, kScales, real, "matmul_nbits_c1");
  require_dtype(i, kBias, real, "matmul_nbits_c1");
  if (i.has(kZeroPoints) && i.dtype(kZeroPoints) != DType::kUint8)
    require_dtype(i, kZeroPoints, real, "matmul_nbits_c1");
  if (i.has(kGroups))
    fail_constraint("matmul_nbits_c4", "g_idx is given, wanted none: groups are blocks of neighbours along K");
  if (i.attributes().get_int("weight_prepacked", 0) != 0)
    fail_constraint("matmul_nbits_c4", "weight_prepacked is {}, wanted 0: other layouts belong to one processor",
                    i.attributes().get_int("weight_prepacked", 0));

  const NBits size(i.attributes());
  if (i.has_shape(kA) && (i.shape(kA).empty() || surely_different(i.shape(kA).back(), size.k)))
    fail_constraint("matmul_nbits_c3", "A is {}, wanted {} for its last dimension", to_string(i.shape(kA)), size.k);
  require_shape(i, kB, {size.n, size.blocks, size.block_bytes()}, "matmul_nbits_c3");
  require_elements(i, kScales, size.n, size.blocks);
  if (i.has(kZeroPoints))
    require_elements(i, kZeroPoints, size.n,
                     i.dtype(kZeroPoints) == DType::kUint8 ? size.zero_point_bytes() : size.blocks);
  require_shape(i, kBias, {size.n}, "matmul_nbits_c3");
  std::optional<SymbolicShape> y = i.input(kA).shape;
  if (y) y->back() = size.n;
  i.set_output(0, real, std::move(y));
}

// B as the kernel reads it.
class NBitsWeights {
 public:
  NBitsWeights(const Call& call, const NBits& size)
      : size_(size),
        bytes_(call.input(MatMulNBitsInput::kB).as<std::uint8_t>().data()),
        scales_(call.input(MatMulNBitsInput::kScales).as<float>().data()) {
    if (!call.has(MatMulNBitsInput::kZeroPoints)) return;
    const Tensor& zero_points = call.input(MatMulNBitsInput::kZeroPoints);
    if (zero_points.dtype() == DType::kUint8)
      packed_ = zero_points.as<std::uint8_t>().data();
    else
      real_ = zero_points.as<float>().data();
  }

  bool has_float_zero_points() const { return real_ != nullptr; }
  float scale(std::int64_t row, std::int64_t block) const { return scales_[row * size_.blocks + block]; }
  std::int32_t zero_point(std::int64_t row, std::int64_t block) const {
    return packed_ ? size_.unpacked(packed_ + row * size_.zero_point_bytes(), block) : 1 << (size_.bits - 1);
  }
  std::int32_t number(std::int64_t row, std::int64_t k) const {
    return size_.unpacked(bytes_ + row * size_.blocks * size_.block_bytes(), k);
  }
  // The weights of a row, [k].
  void unpack(std::int64_t row, float* w) const {
    for (std::int64_t block = 0; block < size_.blocks; ++block) {
      const float z = real_ ? real_[row * size_.blocks + block] : static_cast<float>(zero_point(row, block));
      const std::int64_t first = block * size_.block, count = std::min(size_.block, size_.k - first);
      const std::uint8_t* bytes = bytes_ + (row * size_.blocks + block) * size_.block_bytes();
      switch (size_.bits) {
        case 2: unpack_block<2>(bytes, count, z, scale(row, block), w + first); break;
        case 4: unpack_block<4>(bytes, count, z, scale(row, block), w + first); break;
        default: unpack_block<8>(bytes, count, z, scale(row, block), w + first);
      }
    }
  }

 private:
  // w[k] = (q[k] - z) * scale, where a byte holds the numbers q from its lowest bits on.
  template <int kBits>
  static void unpack_block(const std::uint8_t* bytes, std::int64_t count, float z, float scale, float* w) {
    constexpr std::int64_t kInByte = 8 / kBits;
    const auto number = [=](std::int64_t byte, std::int64_t part) {
      return (static_cast<float>((bytes[byte] >> (part * kBits)) & ((1 << kBits) - 1)) - z) * scale;
    };
    const std::int64_t whole = count / kInByte;
    vectorized([=] {
      for (std::int64_t byte = 0; byte < whole; ++byte)
        for (std::int64_t part = 0; part < kInByte; ++part) w[byte * kInByte + part] = number(byte, part);
    });
    for (std::int64_t k = whole * kInByte; k < count; ++k) w[k] = number(whole, k - whole * kInByte);
  }

  const NBits& size_;
  const std::uint8_t* bytes_;
  const float* scales_;
  const std::uint8_t* packed_ = nullptr;
  const float* real_ = nullptr;
};

// Columns of y whose weights are unpacked at once: a bound on the memory for them.
constexpr std::int64_t kColumnsAtOnce = 64;

void multiply_floats(Call& call, const NBits& size, const NBitsWeights& weights, std::int64_t rows) {
  const float* a = call.input(MatMulNBitsInput::kA).as<float>().data();
  float* y = call.output(0).mutable_as<float>().data();
  const std::int64_t most = std::min(kColumnsAtOnce, size.n);
  Tensor some_weights(DType::kFloat, {most, size.k}), some_results(DType::kFloat, {rows, most});
  float *w = some_weights.mutable_as<float>().data(), *result = some_results.mutable_as<float>().data();
  for (std::int64_t first = 0; first < size.n; first += most) {
    const std::int64_t columns = std::min(most, size.n - first);
    call.parallel().for_each_block(columns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) weights.unpack(first + c, w + c * size.k);
    });
    const PackedMatrix<float> packed(Matrix<float>::column_major(w, size.k, columns), call.parallel());
    multiply(Matrix<float>::row_major(a, rows, size.k), packed, result, call.parallel());
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(result + row * columns, columns, y + row * size.n + first);
  }
}

void multiply_quantized(Call& call, const NBits& size, const NBitsWeights& weights, std::int64_t rows) {
  const float* a = call.input(MatMulNBitsInput::kA).as<float>().data();
  float* y = call.output(0).mutable_as<float>().data();
  Tensor quantized(DType::kInt8, {rows, size.k}), steps(DType::kFloat, {rows, size.blocks});
  std::int8_t* p = quantized.mutable_as<std::int8_t>().data();
  float* t = steps.mutable_as<float>().data();
  call.parallel().for_each_block(rows * size.blocks, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index) {
      const std::int64_t first = index / size.blocks * size.k + index % size.blocks * size.block;
      const std::int64_t count = std::min(size.block, size.k - index % size.blocks * size.block);
      float largest = 0;
      for (std::int64_t k = 0; k < count; ++k) largest = std::max(largest, std::abs(a[first + k]));
      t[index] = largest / 127;
      const float inverse = largest == 0 ? 0 : 127 / largest;
      for (std::int64_t k = 0; k < count; ++k) {
        const float scaled = a[first + k] * inverse;  // NaN where a is not finite
        p[first + k] =
            static_cast<std::int8_t>(std::isnan(scaled) ? 0 : round_ties_even(std::clamp(scaled, -128.0F, 127.0F)));
      }
    }
  });
  call.parallel().for_each_block(size.n, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int16_t> w(static_cast<std::size_t>(size.k));
    for (std::int64_t n = begin; n < end; ++n) {
      for (std::int64_t k = 0; k < size.k; ++k)
        w[static_cast<std::size_t>(k)] =
            static_cast<std::int16_t>(weights.number(n, k) - weights.zero_point(n, k / size.block));
      for (std::int64_t row = 0; row < rows; ++row) {
        float sum = 0;
        for (std::int64_t block = 0; block < size.blocks; ++block) {
          const std::int64_t first = block * size.block, last = std::min(first + size.block, size.k);
          std::int32_t acc = 0;
          for (std::int64_t k = first; k < last; ++k) acc += p[row * size.k + k] * w[static_cast<std::size_t>(k)];
          sum += static_cast<float>(acc) * (t[row * size.blocks + block] * weights.scale(n, block));
        }
        y[row * size.n + n] = sum;
      }
    }
  });
}

void compute_matmul_nbits(Call& call) {
  const NBits size(call.attributes());
  const std::int64_t rows = call.input(MatMulNBitsInput::kA).size() / size.k;
  if (rows == 0) return;
  const NBitsWeights weights(call, size);
  const bool quantizes = call.attributes().get_int("accuracy_level", 0) == 4 && !weights.has_float_zero_points() &&
                         (size.bits != 2 || size.block >= 32);
  quantizes ? multiply_quantized(call, size, weights, rows) : multiply_floats(call, size, weights, rows);
  if (!call.has(MatMulNBitsInput::kBias)) return;
  const float* bias = call.input(MatMulNBitsInput::kBias).as<float>().data();
  float* y = call.output(0).mutable_as<float>().data();
  for (std::int64_t k = 0; k < rows * size.n; ++k) y[k] += bias[k % size.n];
}

}  // namespace

const Operator ops::kMatMulNBits = {
    .name = "MatMulNBits",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "y[n] = Sum_k A[k] * (B[n,k] - zero_point) * scale + bias[n], a scale and a zero point for each block of k",
    .constraints =
        {{"matmul_nbits_c1",
          "A, scales and bias have the same type, float32, float16 or bfloat16; B is uint8; zero_points are "
          "uint8 or of A's type"},
         {"matmul_nbits_c2", "bits is 2, 4 or 8; block_size is a power of two from 16 to 16384; K and N are 1 or more"},
         {"matmul_nbits_c3",
          "A's last dimension is K; B is [N, blocks, block_size * bits / 8]; scales have N * blocks elements, "
          "and so have real zero points; packed ones have N * ceil(blocks * bits / 8); bias is [N]"},
         {"matmul_nbits_c4", "there is no g_idx, and weight_prepacked is 0"}},
    .infer = infer_matmul_nbits,
    .compute = compute_matmul_nbits,
    .traits = {Trait::kManyTerms},
    .macs = MacRule::kMatrix,
};

}  // namespace octet
