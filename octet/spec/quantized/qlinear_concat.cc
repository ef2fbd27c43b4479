#include "octet/spec/quantized/qlinear_concat.h"

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// The first of the three inputs of each tensor.
template <typename Inputs>
std::vector<std::size_t> tensors(const Inputs& inputs) {
  std::vector<std::size_t> first;
  for (std::size_t k = 2; k < inputs.input_count(); k += 3) first.push_back(k);
  return first;
}

void infer_qlinear_concat(Inference& i) {
  if (i.input_count() < 5 || i.input_count() % 3 != 2)
    fail_constraint("qlinear_concat_c1", "{} inputs, wanted 2 and 3 for each tensor", i.input_count());
  require_8bit(i, 1, "qlinear_concat_c1");
  const DType dtype = i.dtype(1);
  require_quantization(i, dtype, 0, 1, {"qlinear_concat_c1", "qlinear_concat_c2"});
  for (const std::size_t x : tensors(i)) {
    i.input(x);
    require_dtype(i, x, dtype, "qlinear_concat_c1");
    require_quantization(i, dtype, x + 1, x + 2, {"qlinear_concat_c1", "qlinear_concat_c2"});
  }

  if (!i.attributes().has("axis")) fail_constraint("qlinear_concat_c3", "attribute axis is missing");
  std::optional<SymbolicShape> y;
  Dim length = 0;
  for (const std::size_t x : tensors(i)) {
    if (!i.has_shape(x)) return i.set_output(0, dtype, std::nullopt);
    const SymbolicShape& shape = i.shape(x);
    const std::size_t axis = normalize_axis(i.attributes().get_int("axis", 0), shape.size(), "qlinear_concat_c3");
    length = length + shape[axis];
    if (!y) y = shape;
    bool fits = y->size() == shape.size();
    for (std::size_t d = 0; fits && d < shape.size(); ++d) {
      fits = d == axis || !surely_different((*y)[d], shape[d]);
      if (shape[d].known() || !((*y)[d].known() || (*y)[d].is_symbol())) (*y)[d] = shape[d];
    }
    if (!fits)
      fail_constraint("qlinear_concat_c3", "input {} is {}, the first {}", x, to_string(shape), to_string(i.shape(2)));
    (*y)[axis] = length;
  }
  i.set_output(0, dtype, y);
}

void compute_qlinear_concat(Call& call) {
  const Shape& y_shape = call.output_shape(0);
  const std::size_t axis = normalize_axis(call.attributes().get_int("axis", 0), y_shape.size(), "qlinear_concat_c3");
  const auto inner = static_cast<std::size_t>(
      element_count(Shape(y_shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, y_shape.end())));
  const std::size_t row = static_cast<std::size_t>(y_shape[axis]) * inner;  // of Y, for one index of the outer axes
  const Quantization y = quantization_at(call, 0, 1);
  std::byte* to = call.output(0).mutable_bytes().data();
  for (const std::size_t k : tensors(call)) {
    const Tensor& x = call.input(k);
    const std::size_t part = static_cast<std::size_t>(x.shape()[axis]) * inner;
    if (part == 0) continue;
    const LookupTable table = rescaling_table(x.dtype(), quantization_at(call, k + 1, k + 2), y, call.arithmetic());
    const std::span<const std::byte> from = x.bytes();
    for (std::size_t o = 0; o < from.size() / part; ++o) look_up(table, from.subspan(o * part, part), to + o * row);
    to += part;
  }
}

}  // namespace

const Operator ops::kQLinearConcat = {
    .name = "QLinearConcat",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "Y = Concat(QuantizeLinear(DequantizeLinear(x)), ...); inputs with Y's scale and zero point are copied",
    .constraints = {{"qlinear_concat_c1",
                     "the inputs are Y_scale, Y_zero_point, then x, x_scale and x_zero_point for "
                     "each tensor; Y and every x are all int8 or all uint8, so are the zero "
                     "points; the scales are float32"},
                    {"qlinear_concat_c2", "each scale and zero point has one element"},
                    {"qlinear_concat_c3",
                     "axis is given and within the rank; the tensors have equal dimensions "
                     "except on axis"}},
    .infer = infer_qlinear_concat,
    .compute = compute_qlinear_concat,
    .inputs = {Role::kYScale, Role::kYZeroPoint, Role::kX, Role::kXScale, Role::kXZeroPoint},
    .outputs = {Role::kY},
    .repeated = 3,
    .kind = StepKind::kConcatenation,
    .float_form = &ops::kConcat,
};

}  // namespace octet
