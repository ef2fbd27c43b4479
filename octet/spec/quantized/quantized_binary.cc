#include "octet/spec/quantized/quantized_binary.h"

#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/support/broadcast_runs.h"

namespace octet {

void infer_quantized_binary(Inference& i, const BinaryLabels& labels) {
  require_8bit(i, 0, labels.parameters.types);
  i.input(3);
  require_dtype(i, 3, i.dtype(0), labels.parameters.types);
  require_quantization(i, i.dtype(0), 1, 2, labels.parameters);
  require_quantization(i, i.dtype(0), 4, 5, labels.parameters);
  require_quantization(i, i.dtype(0), 6, 7, labels.parameters);
  std::optional<SymbolicShape> c;
  if (i.has_shape(0) && i.has_shape(3)) {
    c = broadcast(i.shape(0), i.shape(3));
    if (!c)
      fail_constraint(labels.broadcast, "A is {}, B {}: they don't broadcast", to_string(i.shape(0)),
                      to_string(i.shape(3)));
  }
  i.set_output(0, i.dtype(0), c);
}

BinaryQuantizations quantized_operands(const Call& call) {
  return {quantization_at(call, 1, 2), quantization_at(call, 4, 5), quantization_at(call, 6, 7)};
}

void compute_quantized_binary(Call& call, const QuantizedBinary& f) {
  const Tensor &a = call.input(0), &b = call.input(3);
  Tensor& c = call.output(0);
  const BroadcastRuns runs({a.shape(), b.shape()}, c.shape());
  const std::int64_t a_step = runs.moves(0) ? 1 : 0, b_step = runs.moves(1) ? 1 : 0;
  // Drawn numbers shall not depend on how many samples run together.
  const bool draws = call.arithmetic().stochastic && c.rank() > 0;
  const std::int64_t per_sample =
      draws ? std::max<std::int64_t>(1, c.size() / std::max<std::int64_t>(1, c.shape()[0])) : 1;
  visit_8bit(c.dtype(), [&]<typename T>() {
    const T *from_a = a.as<T>().data(), *from_b = b.as<T>().data();
    T* to = c.mutable_as<T>().data();
    runs.for_each(call.parallel(), [&](const BroadcastRuns::Run& run) {
      for (std::int64_t k = 0; k < run.count; ++k)
        to[run.output + k] = static_cast<T>(f(from_a[run.inputs[0] + k * a_step], from_b[run.inputs[1] + k * b_step],
                                              draws ? (run.output + k) % per_sample : 0));
    });
  });
}

}  // namespace octet
