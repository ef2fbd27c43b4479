// resolve_elementwise.cc: the work of quantized operators that add up no products: pairs, pools, concatenations, tables,
// softmax; and of the border between float and integers.
#include <algorithm>
#include <array>

#include "octet/program/support/resolving.h"
#include "octet/spec/axes.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/nhwc_max_pool.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/quantized/qlinear_average_pool.h"
#include "octet/spec/quantized/quantize_linear.h"
#include "octet/spec/softmax_axis.h"

namespace octet {
namespace {

constexpr const char* kRunTimeScale = "a scale or zero point is computed at run time";
constexpr const char* kUnknownShape = "a shape is not known before the run";

Resolution opaque_because(std::string why) { return {std::monostate(), std::move(why), {}}; }

std::optional<Quantization> meaning_of_x(const Program& program, const Operation& operation, std::size_t n = 0) {
  return quantization_at(program, operation, Role::kXScale, Role::kXZeroPoint, n);
}
std::optional<Quantization> meaning_of_w(const Program& program, const Operation& operation) {
  return quantization_at(program, operation, Role::kWScale, Role::kWZeroPoint);
}
std::optional<Quantization> meaning_of_y(const Program& program, const Operation& operation) {
  return quantization_at(program, operation, Role::kYScale, Role::kYZeroPoint);
}

// Dimensions that are not known, as `size`.
Shape with_unknown_as(const SymbolicShape& shape, std::int64_t size) {
  Shape result;
  for (const Dim& dim : shape) result.push_back(dim.known() ? dim.value() : size);
  return result;
}

// Nothing where it depends on a dimension that is not known.
std::optional<bool> add_swaps(const std::optional<SymbolicShape>& a, const std::optional<SymbolicShape>& b) {
  if (!a || !b) return std::nullopt;
  std::optional<bool> answer;
  const bool same = std::equal(a->begin(), a->end(), b->begin(), b->end(), surely_equal);
  for (const std::int64_t a_size : {1, 2})
    for (const std::int64_t b_size : {1, 2}) {
      if (same && a_size != b_size) continue;
      const bool swaps = qlinear_add_swaps(with_unknown_as(*a, a_size), with_unknown_as(*b, b_size));
      if (answer && *answer != swaps) return std::nullopt;
      answer = swaps;
    }
  return answer;
}

work::Concatenation::Part part(ValueId x, DType type, const Quantization& meaning, const Quantization& y) {
  static const Arithmetic arithmetic;
  return {x, meaning, rescaling_table(type, meaning, y, arithmetic)};
}

SymbolicShape spatial_dimensions(const SymbolicShape& x, bool channels_last) {
  return channels_last ? SymbolicShape(x.begin() + 1, x.end() - 1) : SymbolicShape(x.begin() + 2, x.end());
}

bool is_known(const SymbolicShape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.known(); });
}

// For a quantize or dequantize operator: per-tensor gives 0, per-channel its axis, blocked nothing.
std::optional<std::int64_t> parameter_axis(const Program& program, const Operation& operation, std::size_t parameters) {
  const ProgramValue* x = find_input(program, operation, Role::kX);
  if (parameters == 1) return 0;
  if (!x || !x->shape || operation.attributes.get_int("block_size", 0) != 0) return std::nullopt;
  return static_cast<std::int64_t>(normalize_axis(operation.attributes.get_int("axis", 1), x->shape->size(), ""));
}

// What is added to a byte before it is looked up, where there are tables for each channel: [channels, 1, ...], of fewer
// dimensions than x.
const Tensor* channel_starts(const Program& program, const Step& step) {
  if (step.operations.size() != 3 || !is(step.operations[1].op, ops::kAdd)) return nullptr;
  const Tensor& starts = program.values[step.operations[1].inputs[1]].constant;
  return starts.rank() >= 1 ? &starts : nullptr;
}

// Requires a shape whose only dimensions above 1 are the channels, at the end.
Tensor every_byte(DType type, const Shape& shape, std::int64_t channels) {
  Tensor bytes(type, shape);
  for (std::size_t k = 0; k < bytes.mutable_bytes().size(); ++k)
    bytes.mutable_bytes()[k] = static_cast<std::byte>(k / static_cast<std::size_t>(channels));
  return bytes;
}

// What a step of one input and one output makes of it.
Tensor through_operations(const Program& program, const Step& step, Tensor x) {
  static const Arithmetic arithmetic;
  static const Parallel parallel(1);
  std::map<ValueId, Tensor> made;
  made[inputs_of(program, step)[0]] = std::move(x);
  for (const Operation& operation : step.operations) {
    std::vector<Tensor> arguments;
    for (const ValueId input : operation.inputs) {
      const auto computed = made.find(input);
      arguments.push_back(input == kNoValue        ? Tensor()
                          : computed != made.end() ? computed->second
                                                   : program.values[input].constant);
    }
    std::vector<Tensor> results = execute(*operation.op, operation.opset, operation.attributes, arguments,
                                          operation.outputs.size(), {arithmetic, parallel});
    for (std::size_t i = 0; i < results.size(); ++i)
      if (operation.outputs[i] != kNoValue) made[operation.outputs[i]] = std::move(results[i]);
  }
  return made.at(outputs_of(program, step)[0]);
}

template <typename Border>
Resolution resolve_border(const Program& program, const Operation& operation, Role scale, Role zero_point,
                          const ProgramValue* integers, const ProgramValue* reals) {
  Border work{.x = input_id(operation, Role::kX),
              .y = output_id(operation, Role::kY),
              .scales = floats_at(program, operation, scale),
              .zero_points = integers_at(program, operation, zero_point)};
  if (work.scales.empty()) return opaque_because(kRunTimeScale);
  if (work.zero_points.empty() && input_id(operation, zero_point) != kNoValue) return opaque_because(kRunTimeScale);
  if (work.zero_points.empty()) work.zero_points.assign(work.scales.size(), 0);
  if (!integers || !is_integer(integers->dtype) || !reals || reals->dtype != DType::kFloat)
    return opaque_because("not between float32 and integers");
  if (!divides_in_float32(operation.attributes)) return opaque_because("another precision than float32");
  const std::optional<std::int64_t> axis = parameter_axis(program, operation, work.scales.size());
  if (!axis) return opaque_because("scales of blocks");
  work.axis = *axis;
  return {std::move(work), {}, {}};
}

}  // namespace

Resolution resolve_pairwise(const Program& program, const Operation& operation) {
  const auto a = meaning_of_x(program, operation), b = meaning_of_w(program, operation),
             y = meaning_of_y(program, operation);
  if (!a || !b || !y) return opaque_because(kRunTimeScale);
  work::Pairwise work{.product = operation.op->kind == StepKind::kMultiplication,
                      .a = input_id(operation, Role::kX),
                      .b = input_id(operation, Role::kW),
                      .y = output_id(operation, Role::kY),
                      .a_meaning = *a,
                      .b_meaning = *b,
                      .y_meaning = *y};
  Resolution resolution;
  if (!work.product) {
    const std::optional<bool> swaps = add_swaps(program.values[work.a].shape, program.values[work.b].shape);
    work.swapped = swaps.value_or(false);
    if (!swaps) resolution.opaque = "which operand is added first depends on shapes that are not known before the run";
  }
  resolution.work = std::move(work);
  return resolution;
}

Resolution resolve_average_pool(const Program& program, const Operation& operation) {
  const auto x = meaning_of_x(program, operation), y = meaning_of_y(program, operation);
  if (!x || !y) return opaque_because(kRunTimeScale);
  work::Pool work{.x = input_id(operation, Role::kX),
                  .y = output_id(operation, Role::kY),
                  .channels_last = operation.attributes.get_int("channels_last", 0) != 0,
                  .x_meaning = *x,
                  .y_meaning = *y};
  if (!operation.attributes.has("kernel_shape")) return {std::move(work), {}, {}};  // the whole image
  const std::optional<SymbolicShape>& shape = program.values[work.x].shape;
  if (!shape) {
    work.sums_in_float = true;
    return {std::move(work), kUnknownShape, {}};
  }
  const SymbolicShape image = spatial_dimensions(*shape, work.channels_last);
  Window window = average_pool_window(operation.attributes, image);
  const std::optional<Shape> known = concrete(image);
  if (known && is_whole_image(window, *known)) return {std::move(work), {}, {}};
  work.window = std::move(window);
  work.sums_in_float = true;
  work.count_include_pad = operation.attributes.get_int("count_include_pad", 0) != 0;
  return {std::move(work), known ? "" : kUnknownShape, {}};
}

Resolution resolve_max_pool(const Program& program, const Operation& operation) {
  work::Pool work{.x = input_id(operation, Role::kX),
                  .y = output_id(operation, Role::kY),
                  .channels_last = operation.op->channels_last,
                  .maximum = true};
  if (operation.outputs.size() > 1) return opaque_because("the places of the largest are wanted too");
  const std::optional<SymbolicShape>& shape = program.values[work.x].shape;
  if (!shape || shape->size() < 3) return opaque_because(kUnknownShape);
  const SymbolicShape image = spatial_dimensions(*shape, work.channels_last);
  work.window = work.channels_last
                    ? nhwc_max_pool_window(operation.attributes, image)
                    : resolve_window(operation.attributes, image, operation.attributes.get_ints("kernel_shape"),
                                     operation.attributes.get_int("ceil_mode", 0) != 0, "");
  return {std::move(work), is_known(image) ? "" : kUnknownShape, {}};
}

Resolution resolve_concatenation(const Program& program, const Operation& operation) {
  const auto y = meaning_of_y(program, operation);
  const ValueId result = output_id(operation, Role::kY);
  if (!y) return opaque_because(kRunTimeScale);
  const DType type = program.values[result].dtype;
  if (type != DType::kInt8 && type != DType::kUint8) return opaque_because("not of 8 bits");
  if (const ValueId condition = input_id(operation, Role::kCondition); condition != kNoValue) {
    const auto a = meaning_of_x(program, operation), b = meaning_of_w(program, operation);
    if (!a || !b) return opaque_because(kRunTimeScale);
    return {work::Selection{condition, part(input_id(operation, Role::kX), type, *a, *y),
                            part(input_id(operation, Role::kW), type, *b, *y), result, *y},
            {},
            {}};
  }
  work::Concatenation work{.y = result, .y_meaning = *y};
  for (std::size_t n = 0; input_id(operation, Role::kX, n) != kNoValue; ++n) {
    const auto meaning = meaning_of_x(program, operation, n);
    if (!meaning) return opaque_because(kRunTimeScale);
    work.parts.push_back(part(input_id(operation, Role::kX, n), type, *meaning, *y));
  }
  const std::optional<SymbolicShape>& shape = program.values[result].shape;
  if (!shape) return {std::move(work), kUnknownShape, {}};
  work.axis = static_cast<std::int64_t>(normalize_axis(operation.attributes.get_int("axis", 0), shape->size(), ""));
  return {std::move(work), {}, {}};
}

Resolution resolve_softmax(const Program& program, const Operation& operation) {
  const auto x = meaning_of_x(program, operation), y = meaning_of_y(program, operation);
  if (!x || !y) return opaque_because(kRunTimeScale);
  const SoftmaxAxis written = qlinear_softmax_axis(operation.attributes);
  work::Softmax work{.x = input_id(operation, Role::kX),
                     .y = output_id(operation, Role::kY),
                     .flattens = written.flattens,
                     .x_meaning = *x,
                     .y_meaning = *y};
  const std::optional<SymbolicShape>& shape = program.values[work.x].shape;
  if (!shape) return {work, kUnknownShape, {}};
  work.axis = static_cast<std::int64_t>(normalize_axis(written.axis, shape->size(), ""));
  return {work, {}, {}};
}

Resolution resolve_quantize(const Program& program, const Operation& operation) {
  if (const ValueId scale = output_id(operation, Role::kYScale); scale != kNoValue)
    return {work::QuantizeDynamically{input_id(operation, Role::kX), output_id(operation, Role::kY), scale,
                                      output_id(operation, Role::kYZeroPoint)},
            {},
            {}};
  return resolve_border<work::Quantize>(program, operation, Role::kYScale, Role::kYZeroPoint,
                                        find_output(program, operation, Role::kY),
                                        find_input(program, operation, Role::kX));
}

Resolution resolve_dequantize(const Program& program, const Operation& operation) {
  return resolve_border<work::Dequantize>(program, operation, Role::kXScale, Role::kXZeroPoint,
                                          find_input(program, operation, Role::kX),
                                          find_output(program, operation, Role::kY));
}

Resolution resolve_table(const Program& program, const Step& step) {
  const std::vector<ValueId> inputs = inputs_of(program, step), outputs = outputs_of(program, step);
  if (inputs.size() != 1 || outputs.size() != 1) return opaque_because(kRunTimeScale);
  const DType x = program.values[inputs[0]].dtype;
  if (x != DType::kInt8 && x != DType::kUint8) return opaque_because("not of 8 bits");
  const std::optional<SymbolicShape>& shape = program.values[inputs[0]].shape;
  std::int64_t channels = 1;
  Shape all = {256};  // every byte, of each channel
  std::size_t axis = 0;
  if (const Tensor* starts = channel_starts(program, step)) {
    if (!shape) return opaque_because(kUnknownShape);
    axis = shape->size() - starts->shape().size();
    channels = starts->size();
    all.assign(shape->size(), 1);
    all[axis] = channels;
    all[0] = 256;
  }
  const Tensor y = through_operations(program, step, every_byte(x, all, channels));
  if (y.dtype() != DType::kInt8 && y.dtype() != DType::kUint8) return opaque_because("not of 8 bits");
  std::vector<LookupTable> tables(static_cast<std::size_t>(channels));
  for (std::size_t k = 0; k < y.bytes().size(); ++k)
    tables[k % tables.size()][k / tables.size()] = static_cast<std::uint8_t>(y.bytes()[k]);
  if (axis == 0) return {work::Table{inputs[0], outputs[0], x, y.dtype(), tables[0]}, {}, {}};
  return {work::ChannelTables{inputs[0], outputs[0], x, y.dtype(), static_cast<std::int64_t>(axis), std::move(tables)},
          {},
          {}};
}

}  // namespace octet
