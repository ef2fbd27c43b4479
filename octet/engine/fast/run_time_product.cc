#include "octet/engine/fast/run_time_product.h"

#include <algorithm>
#include <utility>

#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/sum_kernel.h"
#include "octet/spec/matmul_shape.h"

namespace octet::fast {
namespace {

constexpr std::int64_t kPackedAtOnce = 256 << 10;               // bytes of packed matrices, in the second cache
constexpr std::int64_t kRowSums = 16'384, kRowInputs = 12'288;  // of a piece: both stay in the first one

// Where the matrices are, each of w as [K, N].
MatMulLayout matrices_of(const work::MatrixProduct& work, const KernelContext& context) {
  Shape w = context.at(work.w).shape;
  if (work.w_transposed) std::swap(w[w.size() - 2], w[w.size() - 1]);
  MatMulLayout found(context.at(work.x).shape, w);
  if (context.at(work.w).size() != found.k * found.n) return found;
  // One matrix for all rows.
  found.m *= std::exchange(found.batches, 1);
  return found;
}

class RunTimeProduct final : public Kernel {
 public:
  RunTimeProduct(const work::MatrixProduct& work, const KernelContext& context)
      : products_(context.simd.products),
        x_(context.at(work.x)),
        w_(context.at(work.w)),
        y_(context.at(work.y)),
        matrices_(matrices_of(work, context)),
        input_(work.x_zero_point, work.sum.x_zero_point),
        transposed_(work.w_transposed),
        epilogue_(work.epilogue, context, matrices_.n) {
    // int8 w is (byte ^ 128) - 128.
    const bool is_signed = w_.type == DType::kInt8;
    flip_ = is_signed ? 0x80 : 0;
    offset_ = work.sum.w_zero_points[0] + (is_signed ? 128 : 0);
    units_ = (matrices_.k + 1) / 2;
    blocks_ = (matrices_.n + block_width() - 1) / block_width();
    if (!work.sum.bias.empty()) starts_.assign(static_cast<std::size_t>(blocks_ * block_width()), work.sum.bias[0]);
    at_once_ = std::clamp<std::int64_t>(kPackedAtOnce / matrix_bytes(), 1, matrices_.batches);
    const std::int64_t most = std::min(kRowSums / (blocks_ * block_width()), kRowInputs / matrices_.k);
    pieces_ = pieces_of(geometry_of_rows(matrices_.m, matrices_.k), std::max<std::int64_t>(most, 4),
                        matrices_.k * matrices_.n);
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::int32_t zero_point = input_.zero_point(x_.type, places);
    const float scale = epilogue_.scale(places);
    const std::int64_t pieces = std::ssize(pieces_);
    for (std::int64_t first = 0; first < matrices_.batches; first += at_once_) {
      const std::int64_t count = std::min(at_once_, matrices_.batches - first);
      std::byte* const packed = scratch(static_cast<std::size_t>(count * matrix_bytes()), Use::kWhole);
      parallel.for_each_block(count * blocks_, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k)
          pack(bytes_at(places, w_.id) + matrices_.operands(first + k / blocks_).b * matrices_.k * matrices_.n,
               k % blocks_, reinterpret_cast<std::int16_t*>(packed + k * block_bytes()));
      });
      parallel.for_each_block(count * pieces, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k)
          multiply(first + k / pieces, pieces_[static_cast<std::size_t>(k % pieces)],
                   packed + k / pieces * matrix_bytes(), zero_point, scale, places);
      });
    }
  }

  std::string describe() const override { return "pairs of int16, packed in each run"; }

 private:
  // Columns of y that are computed together: two vectors, or one where those that are left fill no more.
  std::int64_t block_width() const { return 2 * products_.lanes; }
  std::int64_t block_bytes() const { return units_ * block_width() * 4; }
  std::int64_t matrix_bytes() const { return blocks_ * block_bytes(); }
  std::int64_t vectors(std::int64_t block) const {
    return matrices_.n - block * block_width() > products_.lanes ? 2 : 1;
  }

  // [unit][column], pairs of w - zero point; 0 beyond the last of both.
  void pack(const std::uint8_t* w, std::int64_t block, std::int16_t* to) const {
    const std::int64_t first = block * block_width(), width = vectors(block) * products_.lanes;
    const std::int64_t columns = std::min(width, matrices_.n - first), depth = matrices_.k;
    const std::int64_t row_step = transposed_ ? 1 : matrices_.n, column_step = transposed_ ? depth : 1;
    std::fill_n(to, units_ * width * 2, std::int16_t{0});
    for (std::int64_t k = 0; k < depth; ++k) {
      const std::uint8_t* const row = w + k * row_step + first * column_step;
      std::int16_t* const pairs = to + k / 2 * width * 2 + k % 2;
      for (std::int64_t c = 0; c < columns; ++c)
        pairs[c * 2] = static_cast<std::int16_t>((row[c * column_step] ^ flip_) - offset_);
    }
  }

  void multiply(std::int64_t matrix, const Piece& piece, const std::byte* packed, std::int32_t zero_point, float scale,
                const ValuePointers& places) const {
    static constexpr std::int32_t kOneRun = 0;
    constexpr std::int64_t kSlack = 64;  // a unit may reach beyond the last element
    const std::int64_t depth = matrices_.k, rows = piece.columns, width = blocks_ * block_width();
    const std::int64_t strip_bytes = (rows * depth * 2 + kSlack + 63) / 64 * 64;
    std::byte* const strip =
        scratch(static_cast<std::size_t>(strip_bytes + rows * width * std::int64_t{sizeof(std::int32_t)}));
    auto* const acc = reinterpret_cast<std::int32_t*>(strip + strip_bytes);
    const std::int64_t row = matrices_.operands(matrix).a * matrices_.m + piece.column;
    products_.widen({.x = bytes_at(places, x_.id) + row * depth,
                     .x_step = depth,
                     .rows = 1,
                     .pixels = rows,
                     .channels = depth,
                     .y = reinterpret_cast<std::int16_t*>(strip)},
                    zero_point, x_.type == DType::kInt8);
    for (std::int64_t block = 0; block < blocks_; ++block)
      products_.pairs({.x = strip,
                       .pixel_step = depth * 2,
                       .runs = &kOneRun,
                       .run_count = 1,
                       .run_units = units_,
                       .w = packed + block * block_bytes(),
                       .start = starts_.empty() ? nullptr : starts_.data() + block * block_width(),
                       .acc = acc + block * block_width(),
                       .acc_step = width},
                      rows, vectors(block));
    const std::int64_t element = (matrix * matrices_.m + piece.column) * matrices_.n;
    epilogue_.apply({.sums = {acc, width, rows, matrices_.n},
                     .element = element,
                     .y = places[y_.id] + element * static_cast<std::int64_t>(size_of(y_.type)),
                     .y_step = matrices_.n},
                    scale, places);
  }

  const Products& products_;
  const Operand x_, w_, y_;
  const MatMulLayout matrices_;
  const InputZeroPoint input_;
  const bool transposed_;  // w is [N, K]
  const Epilogue epilogue_;
  int flip_ = 0;
  std::int32_t offset_ = 0;
  std::int64_t units_ = 0, blocks_ = 0;  // of a matrix: pairs of rows, and blocks of columns
  std::int64_t at_once_ = 1;             // matrices that are packed together
  std::vector<std::int32_t> starts_;
  std::vector<Piece> pieces_;  // of the rows of a matrix
};

}  // namespace

bool fits_run_time_product(const work::MatrixProduct& work, const KernelContext& context) {
  if (work.x_transposed || work.quantizes_x || !context.known(work.w)) return false;
  const Operand &x = context.at(work.x), &w = context.at(work.w), &y = context.at(work.y);
  if (!has_bytes(x) || !has_bytes(w) || x.size() == 0 || w.size() == 0 || y.size() == 0) return false;
  for (const Operand* operand : {&x, &w, &y})
    if (operand->layout != Layout::kAsDeclared) return false;
  if (x.shape.empty() || w.shape.size() < (work.w_transposed ? 2 : 1)) return false;
  return work.sum.w_zero_points.size() == 1 && work.sum.bias.size() <= 1;
}

KernelPtr make_run_time_product(const work::MatrixProduct& work, const KernelContext& context) {
  return std::make_unique<RunTimeProduct>(work, context);
}

}  // namespace octet::fast
