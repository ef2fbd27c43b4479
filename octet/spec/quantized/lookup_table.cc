#include "octet/spec/quantized/lookup_table.h"

#include "octet/spec/quantized/dequantize_linear.h"

namespace octet {

LookupTable make_lookup_table(DType dtype, const Quantization& x, const Quantization& y,
                              const std::function<float(float)>& f, const Arithmetic& arithmetic) {
  const QuantizedOutput output = resolve(quantized_output(dtype, y.zero_point, ZeroPoint::kAfterRounding), arithmetic);
  LookupTable table;
  for (auto q = static_cast<std::int32_t>(output.range.min); q <= output.range.max; ++q)
    table[static_cast<std::uint8_t>(q)] =
        static_cast<std::uint8_t>(quantize_real(f(dequantize_linear(q, x)) / y.scale, output, arithmetic.rounding));
  return table;
}

LookupTable rescaling_table(DType dtype, const Quantization& x, const Quantization& y, const Arithmetic& arithmetic) {
  if (x == y) {
    LookupTable identity;
    for (std::size_t k = 0; k < identity.size(); ++k) identity[k] = static_cast<std::uint8_t>(k);
    return identity;
  }
  return make_lookup_table(
      dtype, x, y, [](float v) { return v; }, arithmetic);
}

void look_up(const LookupTable& table, std::span<const std::byte> x, std::byte* y) {
  for (std::size_t k = 0; k < x.size(); ++k) y[k] = static_cast<std::byte>(table[static_cast<std::size_t>(x[k])]);
}

void infer_lookup(Inference& i, const ParameterLabels& labels) {
  require_8bit(i, 0, labels.types);
  require_quantization(i, i.dtype(0), 1, 2, labels);
  require_quantization(i, i.dtype(0), 3, 4, labels);
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_lookup(Call& call, const LookupTable& table) {
  look_up(table, call.input(0).bytes(), call.output(0).mutable_bytes().data());
}

}  // namespace octet
