#include "octet/spec/quantized/matmul_integer.h"

#include <algorithm>

#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

void matmul_integer(const Tensor& a, const LineParameter<std::int32_t>& a_zero_points, const Tensor& b,
                    const LineParameter<std::int32_t>& b_zero_points, Tensor& y, const Arithmetic& arithmetic,
                    const Parallel& parallel) {
  const MatMulLayout layout(a.shape(), b.shape());
  std::int32_t* to = y.mutable_as<std::int32_t>().data();
  multiply_integers(layout, lines_of(a, Line::kRow, a_zero_points), lines_of(b, Line::kColumn, b_zero_points), {},
                    arithmetic, parallel,
                    [&](std::int64_t batch, std::int64_t m, std::span<const std::int32_t> accumulators) {
                      std::copy(accumulators.begin(), accumulators.end(), to + (batch * layout.m + m) * layout.n);
                    });
}

namespace {

void infer_matmul_integer(Inference& i) {
  require_8bit(i, 0, "matmul_integer_c1");
  require_8bit(i, 1, "matmul_integer_c1");
  require_dtype(i, 2, i.dtype(0), "matmul_integer_c1");
  require_dtype(i, 3, i.dtype(1), "matmul_integer_c1");
  const auto y = infer_matmul(i.input(0).shape, i.input(1).shape, "matmul_integer_c2");
  require_lines(i, 2, 0, Line::kRow, "matmul_integer_c3");
  require_lines(i, 3, 1, Line::kColumn, "matmul_integer_c3");
  i.set_output(0, DType::kInt32, y);
}

void compute_matmul_integer(Call& call) {
  matmul_integer(call.input(0), line_zero_points(call, 2, 0, Line::kRow), call.input(1),
                 line_zero_points(call, 3, 1, Line::kColumn), call.output(0), call.arithmetic(), call.parallel());
}

}  // namespace

const Operator ops::kMatMulInteger = {
    .name = "MatMulInteger",
    .versions = {10},
    .formula = "y = (a - a_zero_point) @ (b - b_zero_point), int32",
    .constraints = {{"matmul_integer_c1",
                     "a is int8 or uint8, b is int8 or uint8, each zero point has its operand's "
                     "type"},
                    {"matmul_integer_c2", "a is [batch..., M, K], b is [batch..., K, N]; the batches broadcast"},
                    {"matmul_integer_c3",
                     "a_zero_point has one element or one for each row of a; b_zero_point for "
                     "each column of b"}},
    .infer = infer_matmul_integer,
    .compute = compute_matmul_integer,
    .inputs = {Role::kX, Role::kW, Role::kXZeroPoint, Role::kWZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kMatMul,
    .macs = MacRule::kMatrix,
    .float_form = &ops::kMatMul,
};

}  // namespace octet
