// make_unsigned.cc: what ONNX Runtime does on x86 before it fuses: a QuantizeLinear to int8 and the one
// DequantizeLinear that reads it, with the same zero point and itself read once at most, go over to uint8, 128 added to
// the zero point. (A DequantizeLinear that is read more often it first copies for each reader.) Weights stay int8.
#include <algorithm>

#include "octet/program/support/patterns.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// How many inputs of nodes a value is.
std::size_t uses(const Draft& draft, const std::string& value) {
  std::size_t count = 0;
  for (const std::size_t reader : draft.readers(value))
    for (const Node& node : draft.step(reader).nodes)
      count += static_cast<std::size_t>(std::count(node.inputs.begin(), node.inputs.end(), value));
  return count;
}

}  // namespace

void make_unsigned(Draft& draft) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> result = result_at(draft, i);
    if (!result || result->dtype != DType::kInt8) continue;
    const std::optional<std::size_t> reader = draft.only_reader(result->integers);
    if (!reader || !draft.is(*reader, ops::kDequantizeLinear) || draft.node(*reader).inputs[0] != result->integers)
      continue;
    const Node& dequantize = draft.node(*reader);
    if (dequantize.inputs.size() < 3 || draft.node(i).inputs.size() < 3) continue;
    const std::optional<Operand> operand = find_operand(draft, dequantize.outputs[0]);
    if (!operand || operand->scales.size() != 1 || operand->zero_points[0] != result->quantization.zero_point ||
        uses(draft, dequantize.outputs[0]) > 1)
      continue;
    const auto shifted = [&](std::size_t step, std::int32_t zero_point) {
      DraftStep changed = draft.step(step);
      Node& node = changed.nodes[0];
      node.inputs[2] = draft.add_constant(node.inputs[2] + "_unsigned",
                                          convert(Tensor::scalar(std::int64_t{zero_point} + 128), DType::kUint8));
      draft.replace(step, std::move(changed));
    };
    shifted(i, result->quantization.zero_point);
    shifted(*reader, operand->zero_points[0]);
    draft.set_dtype(result->integers, DType::kUint8);
  }
}

}  // namespace octet
