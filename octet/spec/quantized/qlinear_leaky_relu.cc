#include "octet/spec/quantized/qlinear_leaky_relu.h"

#include "octet/spec/operators.h"

namespace octet {

LookupTable qlinear_leaky_relu(DType dtype, const Quantization& x, const Quantization& y, float alpha,
                               const Arithmetic& arithmetic) {
  return make_lookup_table(
      dtype, x, y, [alpha](float v) { return v >= 0 ? v : alpha * v; }, arithmetic);
}

namespace {

void infer_qlinear_leaky_relu(Inference& i) { infer_lookup(i, {"qlinear_leaky_relu_c1", "qlinear_leaky_relu_c2"}); }

void compute_qlinear_leaky_relu(Call& call) {
  compute_lookup(call,
                 qlinear_leaky_relu(call.input(0).dtype(), quantization_at(call, 1, 2), quantization_at(call, 3, 4),
                                    call.attributes().get_float("alpha", 0.01F), call.arithmetic()));
}

}  // namespace

const Operator ops::kQLinearLeakyRelu = {
    .name = "QLinearLeakyRelu",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "Y = QuantizeLinear(LeakyRelu(DequantizeLinear(X)))",
    .constraints = {{"qlinear_leaky_relu_c1",
                     "X and Y are both int8 or both uint8, so are the zero points; the "
                     "scales are float32"},
                    {"qlinear_leaky_relu_c2", "each scale and zero point has one element"}},
    .infer = infer_qlinear_leaky_relu,
    .compute = compute_qlinear_leaky_relu,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kYScale, Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kTable,
    .on_elements = true,
    .float_form = &ops::kLeakyRelu,
};

}  // namespace octet
