#include "octet/spec/quantized/parameters.h"

#include "octet/spec/check.h"

namespace octet {

void require_8bit(const Inference& i, std::size_t input, std::string_view label) {
  const DType found = i.dtype(input);
  if (found != DType::kInt8 && found != DType::kUint8)
    fail_constraint(label, "input {} is {}, wanted int8 or uint8", input, name(found));
}

void require_dtype(const Inference& i, std::size_t input, DType wanted, std::string_view label) {
  if (i.has(input) && i.dtype(input) != wanted)
    fail_constraint(label, "input {} is {}, wanted {}", input, name(i.dtype(input)), name(wanted));
}

void require_one_element(const Inference& i, std::size_t input, std::string_view label) {
  require_one_or(i, input, 1, label);
}

void require_one_or(const Inference& i, std::size_t input, const Dim& length, std::string_view label) {
  if (!i.has_shape(input)) return;
  const SymbolicShape& found = i.shape(input);
  if (found.empty() || (found.size() == 1 && (!surely_different(found[0], 1) || !surely_different(found[0], length))))
    return;
  fail_constraint(label, "input {} is {}, wanted one element{}", input, to_string(found),
                  length.is(1) ? "" : " or [" + to_string(length) + "]");
}

void require_quantization(const Inference& i, DType dtype, std::size_t scale, std::size_t zero_point,
                          const ParameterLabels& labels) {
  i.input(scale);  // throws when it is missing
  require_dtype(i, scale, DType::kFloat, labels.types);
  require_dtype(i, zero_point, dtype, labels.types);
  require_one_element(i, scale, labels.shapes);
  require_one_element(i, zero_point, labels.shapes);
}

DType dtype_attribute(const Attributes& attributes, std::string_view name) {
  const std::int64_t value = attributes.get_int(name, 0);
  if (value < 0 || value >= kDTypeCount)
    fail(ErrorCode::kModel, "attribute {} is {}, which is no element type", name, value);
  return static_cast<DType>(value);
}

Quantization quantization_at(const Call& call, std::size_t scale, std::size_t zero_point) {
  Quantization quantization;
  quantization.scale = static_cast<float>(call.input(scale).number_at(0));
  if (call.has(zero_point)) quantization.zero_point = static_cast<std::int32_t>(call.input(zero_point).int_at(0));
  return quantization;
}

std::vector<float> scales_at(const Call& call, std::size_t input) {
  if (!call.has(input)) return {};
  const auto values = call.input(input).as<float>();
  return {values.begin(), values.end()};
}

std::vector<std::int32_t> zero_points_at(const Call& call, std::size_t input) {
  std::vector<std::int32_t> values;
  if (!call.has(input)) return values;
  for (std::int64_t k = 0; k < call.input(input).size(); ++k)
    values.push_back(static_cast<std::int32_t>(call.input(input).int_at(k)));
  return values;
}

QuantizedOutput quantized_output(DType dtype, std::int32_t zero_point, ZeroPoint place) {
  return {.zero_point = zero_point,
          .range = integer_range(dtype),
          .place = place,
          .converts_first = place == ZeroPoint::kBeforeRounding};
}

}  // namespace octet
