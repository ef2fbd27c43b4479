#include "octet/engine/fast/images.h"

#include <algorithm>

#include "octet/engine/fast/layouts.h"
#include "octet/spec/axes.h"
#include "octet/spec/operators.h"
#include "octet/spec/softmax_axis.h"

namespace octet::fast {
namespace {

// Some kinds of steps are known to keep images independent; all others are assumed to mix them.
class Images {
 public:
  Images(const Program& program, std::int64_t count) : program_(program), count_(count) {}

  // Whether the value has an image for each index of its first axis.
  bool has_them(ValueId value) const {
    if (value == kNoValue || is_constant(value)) return false;
    const auto& [name, dtype, declared, constant, quantization, meaning] = program_.values[value];
    if (!declared || dtype == DType::kUndefined || dtype == DType::kString) return false;
    const std::optional<Shape> shape = concrete(*declared);
    return shape && !shape->empty() && shape->front() == count_ && element_count(*shape) > 0;
  }

  bool is_per_sample(std::monostate) const { return false; }
  bool is_per_sample(const work::Convolution& work) const {
    return !work.sum.weights.empty() && work.x_zero_point == kNoValue && is_per_sample(work.epilogue, work.y);
  }
  // Rows of x are rows of y.
  bool is_per_sample(const work::MatrixProduct& work) const {
    return !work.sum.weights.empty() && work.x_zero_point == kNoValue && !work.x_transposed && !work.quantizes_x &&
           rank(work.x) >= 2 && rank(work.x) == rank(work.y) && is_per_sample(work.epilogue, work.y);
  }
  bool is_per_sample(const work::Pairwise& work) const {
    return broadcasts(work.a, work.y) && broadcasts(work.b, work.y) && is_per_sample(work.epilogue, work.y);
  }
  bool is_per_sample(const work::Pool& work) const { return is_per_sample(work.epilogue, work.y); }
  bool is_per_sample(const work::Concatenation& work) const {
    return work.axis >= 1 && std::ranges::none_of(work.parts, [&](const auto& part) { return is_constant(part.x); });
  }
  bool is_per_sample(const work::Selection& work) const {
    return broadcasts(work.condition, work.y) && broadcasts(work.a.x, work.y) && broadcasts(work.b.x, work.y);
  }
  bool is_per_sample(const work::Table&) const { return true; }
  bool is_per_sample(const work::ChannelTables& work) const { return work.axis >= 1; }
  bool is_per_sample(const work::SplitBytes&) const { return true; }
  bool is_per_sample(const work::JoinedSum& work) const {
    const bool differ = work.multipliers.size() > 1 || work.bias.size() > 1;
    return (!differ || work.axis >= 1) &&
           std::ranges::none_of(work.parts, [&](const auto& part) { return is_constant(part.x); });
  }
  bool is_per_sample(const work::Move& work) const {
    return work.indices.empty() &&
           std::ranges::all_of(work.boxes, [&](const work::MoveBox& box) { return is_per_sample(box, work); });
  }
  bool is_per_sample(const work::Softmax& work) const { return work.axis >= 1; }
  bool is_per_sample(const work::Quantize& work) const { return work.scales.size() == 1 || work.axis >= 1; }
  bool is_per_sample(const work::Dequantize& work) const { return work.scales.size() == 1 || work.axis >= 1; }
  bool is_per_sample(const work::QuantizeDynamically&) const { return false; }  // one scale for all
  bool is_per_sample(const work::FloatConvolution& work) const { return is_per_sample(work.epilogue, work.y); }
  bool is_per_sample(const work::FloatProduct& work) const {
    return rank(work.x) >= 2 && rank(work.x) == rank(work.y) && is_per_sample(work.epilogue, work.y);
  }
  bool is_per_sample(const work::FloatPool& work) const { return is_per_sample(work.epilogue, work.y); }
  bool is_per_sample(const work::FloatElements& work) const {
    return (!work.axis || *work.axis >= 1) && is_per_sample(work.epilogue, work.y);
  }
  bool is_per_sample(const work::FloatSoftmax& work) const { return work.axis >= 1; }

  // Whether its operations compute each image from itself, and name no number of images.
  bool operations_are_per_sample(const Step& step) const {
    for (const Operation& operation : step.operations)
      for (const ValueId input : operation.inputs)
        if (input != kNoValue && is_constant(input) && !broadcasts(input, operation.outputs.front())) return false;
    if (runs_in_any_layout(program_, step)) return true;
    if (step.operations.size() != 1) return false;
    const Operation& operation = step.operations.front();
    if (!is(operation.op, ops::kSoftmax) && !is(operation.op, ops::kLogSoftmax)) return false;
    return normalize_axis(softmax_axis(operation.attributes, operation.opset).axis, rank(operation.inputs.front()),
                          "") >= 1;
  }

 private:
  bool is_constant(ValueId value) const { return !program_.values[value].constant.empty(); }

  // 0 if there is no value or its shape is unknown.
  std::size_t rank(ValueId value) const {
    const std::optional<SymbolicShape>* shape = value == kNoValue ? nullptr : &program_.values[value].shape;
    return shape && *shape ? (*shape)->size() : 0;
  }

  // An operand that has images has those of y; a constant is the same for all.
  bool broadcasts(ValueId value, ValueId y) const {
    if (rank(y) == 0) return false;
    if (!is_constant(value)) return rank(value) == rank(y);
    const Shape& shape = program_.values[value].constant.shape();
    return shape.size() < rank(y) || shape.front() == 1;
  }

  bool is_per_sample(const std::vector<work::Stage>& stages, ValueId y) const {
    return std::ranges::all_of(stages, [&](const work::Stage& stage) {
      if (const auto* combine = std::get_if<work::Combine>(&stage))
        return has_them(combine->other) && program_.values[combine->other].shape == program_.values[y].shape;
      if (const auto* calculate = std::get_if<work::Calculate>(&stage); calculate && calculate->other != kNoValue)
        return has_them(calculate->other) && program_.values[calculate->other].shape == program_.values[y].shape;
      if (const auto* to_float = std::get_if<work::ToFloat>(&stage)) return to_float->scale == kNoValue;
      return std::holds_alternative<work::Requantize>(stage) || std::holds_alternative<work::Limit>(stage) ||
             std::holds_alternative<work::Clamp>(stage) || std::holds_alternative<work::LookUp>(stage) ||
             std::holds_alternative<work::Calculate>(stage);
    });
  }

  // The box is of all images, and what it takes for one of them is of that one, or of a constant.
  bool is_per_sample(const work::MoveBox& box, const work::Move& work) const {
    if (box.begin.empty() || box.begin.front() != 0 || box.shape.front() != count_) return false;
    if (!box.source) return true;
    const ValueId source = work.sources[*box.source];
    if (is_constant(source)) return box.strides.front() == 0;
    const std::int64_t image = element_count(*concrete(*program_.values[source].shape)) / count_;
    std::int64_t least = box.offset, greatest = box.offset;
    for (std::size_t d = 1; d < box.shape.size(); ++d)
      (box.strides[d] < 0 ? least : greatest) += box.strides[d] * (box.shape[d] - 1);
    return box.strides.front() == image && least >= 0 && greatest < image;
  }

  const Program& program_;
  const std::int64_t count_;
};

}  // namespace

std::int64_t images_of(const Program& program) {
  std::int64_t images = 1;
  for (const ProgramInput& input : program.inputs) {
    const std::optional<SymbolicShape>& shape = program.values[input.value].shape;
    const Dim first = shape && !shape->empty() ? shape->front() : Dim();
    if (!first.known() || (&input != &program.inputs.front() && first.value() != images)) return 1;
    images = first.value();
  }
  return images;
}

std::optional<Part> part_of(const Program& program, std::int64_t images) {
  const Images all(program, images_of(program));
  Part part{program, {}};
  const auto has_them = [&](ValueId value) { return all.has_them(value); };
  std::vector<bool> is_made(program.values.size());
  for (const Step& step : program.steps) {
    const std::vector<ValueId> outputs = outputs_of(program, step);
    if (!std::ranges::all_of(inputs_of(program, step), has_them) || !std::ranges::all_of(outputs, has_them))
      return std::nullopt;
    for (const ValueId output : outputs) is_made[output] = true;
    const bool operations = all.operations_are_per_sample(step);
    const auto is_per_sample = [&](const auto& kind) {
      // A constant is not among the inputs of a step: it would be x of all images at once.
      if constexpr (requires { kind.x; })
        if (!all.has_them(kind.x)) return false;
      return all.is_per_sample(kind);
    };
    if (!operations && !std::visit(is_per_sample, step.work)) return std::nullopt;
    part.operations_differ.push_back(!operations);
  }
  for (const ProgramInput& input : program.inputs)
    if (!all.has_them(input.value)) return std::nullopt;
  for (const ValueId output : program.outputs)
    if (!is_made[output]) return std::nullopt;
  for (ValueId value = 0; value < program.values.size(); ++value)
    if (all.has_them(value)) part.program.values[value].shape->front() = Dim(images);
  for (ProgramInput& input : part.program.inputs) input.type.shape = part.program.values[input.value].shape;
  for (Step& step : part.program.steps)
    if (auto* move = std::get_if<work::Move>(&step.work))
      for (work::MoveBox& box : move->boxes) box.shape.front() = images;
  return part;
}

}  // namespace octet::fast
