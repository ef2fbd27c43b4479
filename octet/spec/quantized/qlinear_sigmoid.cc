#include "octet/spec/quantized/qlinear_sigmoid.h"

#include "octet/spec/operators.h"
#include "octet/spec/ort_sigmoid.h"

namespace octet {

LookupTable qlinear_sigmoid(DType dtype, const Quantization& x, const Quantization& y, const Arithmetic& arithmetic) {
  return make_lookup_table(dtype, x, y, ort_sigmoid, arithmetic);
}

namespace {

void infer_qlinear_sigmoid(Inference& i) { infer_lookup(i, {"qlinear_sigmoid_c1", "qlinear_sigmoid_c2"}); }

void compute_qlinear_sigmoid(Call& call) {
  compute_lookup(call, qlinear_sigmoid(call.input(0).dtype(), quantization_at(call, 1, 2), quantization_at(call, 3, 4),
                                       call.arithmetic()));
}

}  // namespace

const Operator ops::kQLinearSigmoid = {
    .name = "QLinearSigmoid",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "Y = QuantizeLinear(Sigmoid(DequantizeLinear(X)))",
    .constraints = {{"qlinear_sigmoid_c1",
                     "X and Y are both int8 or both uint8, so are the zero points; the scales "
                     "are float32"},
                    {"qlinear_sigmoid_c2", "each scale and zero point has one element"}},
    .infer = infer_qlinear_sigmoid,
    .compute = compute_qlinear_sigmoid,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kYScale, Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kTable,
    .on_elements = true,
    .float_form = &ops::kSigmoid,
};

}  // namespace octet
