// resolve_stages.cc: what the operations behind a step's first one make of its result, element by element.
#include <algorithm>
#include <array>

#include "octet/program/support/resolving.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/qlinear_add.h"

namespace octet {
namespace {

std::vector<work::Stage>* epilogue_in(Work& work) {
  return const_cast<std::vector<work::Stage>*>(epilogue_of(work));  // of a work that is not const
}

ValueId* result_in(Work& work) {
  return std::visit(
      []<typename T>(T& kind) -> ValueId* {
        if constexpr (requires { kind.epilogue; })
          return &kind.y;
        else
          return nullptr;
      },
      work);
}

// A parameter that differs from channel to channel at most: one element, or one for each index of the channels' axis.
std::optional<std::vector<float>> by_channel(const Tensor& tensor, std::size_t rank, std::size_t axis,
                                             std::int64_t channels) {
  if (tensor.dtype() != DType::kFloat || tensor.shape().size() > rank) return std::nullopt;
  Shape shape(rank - tensor.shape().size(), 1);
  shape.insert(shape.end(), tensor.shape().begin(), tensor.shape().end());
  for (std::size_t d = 0; d < rank; ++d)
    if (shape[d] != 1 && (d != axis || shape[d] != channels)) return std::nullopt;
  return std::vector<float>(tensor.as<float>().begin(), tensor.as<float>().end());
}

// The operations behind one of a step, as stages of its work.
class StageResolver {
 public:
  static constexpr const char* kNotBehind = "an operation behind it is not one on each element of its result";

  StageResolver(const Program& program, const Step& step, Work& work)
      : program_(program), step_(step), work_(work), epilogue_(*epilogue_in(work)), result_(*result_in(work)) {}

  std::string add(std::size_t& next) {
    const Operation& operation = step_.operations[next];
    const auto reads = std::count(operation.inputs.begin(), operation.inputs.end(), result_);
    if (reads != 1) return kNotBehind;
    if (program_.values[result_].dtype == DType::kInt32) return add_scaling(next);
    ++next;
    if (computes_in_float(work_)) return add_real(operation);
    if (program_.values[result_].dtype == DType::kFloat) return add_limit(operation);
    if (input_number(*operation.op, Role::kLow)) return add_clamp(operation);
    if (operation.op->kind == StepKind::kAddition || operation.op->kind == StepKind::kMultiplication)
      return add_combination(operation);
    if (operation.op->kind == StepKind::kTable) return add_table({operation});
    if (next < step_.operations.size() && is_gather_from_table(operation, step_.operations[next])) {
      ++next;
      return add_table({operation, step_.operations[next - 1]});
    }
    return kNotBehind;
  }

 private:
  bool is_8bit(ValueId value) const {
    return program_.values[value].dtype == DType::kInt8 || program_.values[value].dtype == DType::kUint8;
  }

  std::string add_clamp(const Operation& operation) {
    if (!is_8bit(result_) || input_id(operation, Role::kX) != result_) return kNotBehind;
    const IntegerRange range = integer_range(program_.values[result_].dtype);
    const auto end = [&](Role role, std::int64_t otherwise) -> std::optional<std::int32_t> {
      if (input_id(operation, role) == kNoValue) return static_cast<std::int32_t>(otherwise);
      const std::vector<std::int32_t> constant = integers_at(program_, operation, role);
      return constant.size() == 1 ? std::optional(constant[0]) : std::nullopt;
    };
    const auto low = end(Role::kLow, range.min), high = end(Role::kHigh, range.max);
    if (!low || !high) return "the bounds of a clamp are computed at run time";
    result_ = output_id(operation, Role::kY);
    epilogue_.emplace_back(work::Clamp{*low, *high});
    return "";
  }

  // Behind a scaling to float.
  std::string add_limit(const Operation& operation) {
    const std::optional<work::Limit> limit = limit_of(program_, operation);
    if (!limit || epilogue_.empty() || operation.inputs[0] != result_) return kNotBehind;
    result_ = operation.outputs[0];
    epilogue_.emplace_back(*limit);
    return "";
  }

  // Behind float32.
  std::string add_real(const Operation& operation) {
    std::optional<FloatStages> found = float_stages(program_, operation, result_);
    if (!found) return kNotBehind;
    if (epilogue_.size() + found->stages.size() > work::kMaxFloatStages)
      return "too many operations behind one another";
    if (found->axis) {
      const auto rank = static_cast<std::int64_t>(program_.values[result_].shape->size());
      std::optional<std::int64_t> axis = 1;
      if (auto* elements = std::get_if<work::FloatElements>(&work_)) {
        if (!elements->axis) elements->axis = found->axis;
        axis = elements->axis;
      } else if (std::holds_alternative<work::FloatProduct>(work_)) {
        axis = rank - 1;
      }
      if (found->axis != axis) return "numbers that differ along another axis";
    }
    result_ = found->y;
    epilogue_.insert(epilogue_.end(), found->stages.begin(), found->stages.end());
    return "";
  }

  std::string add_combination(const Operation& operation) {
    const auto a = quantization_at(program_, operation, Role::kXScale, Role::kXZeroPoint),
               b = quantization_at(program_, operation, Role::kWScale, Role::kWZeroPoint),
               y = quantization_at(program_, operation, Role::kYScale, Role::kYZeroPoint);
    if (!a || !b || !y) return "a scale or zero point is computed at run time";
    const bool second = input_id(operation, Role::kW) == result_;
    const ValueId other = input_id(operation, second ? Role::kX : Role::kW);
    const std::optional<SymbolicShape>&shape = program_.values[result_].shape, &with = program_.values[other].shape;
    if (!shape || !with || !is_8bit(result_) ||
        !std::equal(shape->begin(), shape->end(), with->begin(), with->end(), surely_equal))
      return "two operands of different shapes";
    // Equal shapes change places only where all dimensions are 1.
    const bool may_be_one =
        std::all_of(shape->begin(), shape->end(), [](const Dim& dim) { return !dim.known() || dim.is(1); });
    const bool is_one = std::all_of(shape->begin(), shape->end(), [](const Dim& dim) { return dim.is(1); });
    if (may_be_one && !is_one)
      return "which operand is added first depends on shapes that are not known before the run";
    const bool product = operation.op->kind == StepKind::kMultiplication;
    const bool swaps = is_one && !product;
    epilogue_.emplace_back(work::Combine{.product = product,
                                         .other = other,
                                         .other_first = second != swaps,
                                         .q = second ? *b : *a,
                                         .with = second ? *a : *b,
                                         .y = *y});
    result_ = output_id(operation, Role::kY);
    return "";
  }

  // Whether it looks up one index in a constant of 256 bytes.
  bool is_gather_from_table(const Operation& cast, const Operation& gather) const {
    const Tensor* table = find_constant(program_, gather, Role::kMoved);
    return is(cast.op, ops::kCast) && is(gather.op, ops::kGather) && table && table->shape() == Shape{256} &&
           cast.outputs == std::vector<ValueId>{input_id(gather, Role::kIndex)};
  }

  std::string add_table(std::vector<Operation> operations) {
    const ValueId y = operations.back().outputs.front();
    Resolution table = resolve_table(program_, Step{.kind = StepKind::kTable, .operations = std::move(operations)});
    const auto* found = std::get_if<work::Table>(&table.work);
    if (!found) return table.opaque;
    epilogue_.emplace_back(work::LookUp{found->bytes, found->output});
    result_ = y;
    return "";
  }

  // ---- what dynamic quantizers write behind an integer sum: Cast, Mul by the product of the scales, Add of a bias

  const Operation* made_by(ValueId value) const {
    const auto found = std::find_if(step_.operations.begin(), step_.operations.end(), [&](const Operation& operation) {
      return std::find(operation.outputs.begin(), operation.outputs.end(), value) != operation.outputs.end();
    });
    return found == step_.operations.end() ? nullptr : &*found;
  }

  // The other operand of a sum or a product.
  static ValueId other_than(const Operation& operation, ValueId one) {
    return operation.inputs[0] == one ? operation.inputs[1] : operation.inputs[0];
  }

  std::optional<std::vector<float>> constant_by_channel(ValueId value) const {
    const ProgramValue& known = program_.values[value];
    const std::optional<SymbolicShape>& y = program_.values[result_].shape;
    const work::Sum& sum = *sum_of(work_);
    if (known.constant.empty() || !y) return std::nullopt;
    const bool convolution = std::holds_alternative<work::Convolution>(work_);
    return by_channel(known.constant, y->size(), convolution ? 1 : y->size() - 1, sum.channels);
  }

  bool is_scalar_at_run_time(ValueId value) const {
    const std::optional<Shape> shape = shape_at(program_, value);
    return program_.values[value].dtype == DType::kFloat && shape && element_count(*shape) == 1 && shape->size() <= 1;
  }

  std::string add_scaling(std::size_t& next) {
    const std::string no = "what is behind the sum is not a scaling by channel";
    const auto& operations = step_.operations;
    const Operation& cast = operations[next++];
    if (!sum_of(work_) || !epilogue_.empty() || !is_operation(cast, ops::kCast) ||
        program_.values[cast.outputs[0]].dtype != DType::kFloat)
      return no;
    ValueId made = cast.outputs[0];
    const auto reader = [&] {
      while (next < operations.size() && std::find(operations[next].inputs.begin(), operations[next].inputs.end(),
                                                   made) == operations[next].inputs.end())
        ++next;  // what makes the factor, which is looked at below
      return next < operations.size() ? &operations[next++] : nullptr;
    };
    const Operation* scale = reader();
    if (!scale || !is_operation(*scale, ops::kMul)) return no;
    work::ToFloat to;
    const ValueId by = other_than(*scale, made);
    const Operation* factors = made_by(by);
    if (const auto known = constant_by_channel(by)) {
      to.multipliers = *known;
    } else if (!factors) {
      to.multipliers = {1.0F};
      to.scale = by;
    } else if (is_operation(*factors, ops::kMul)) {
      const bool first = !program_.values[factors->inputs[1]].constant.empty();
      const auto constant = constant_by_channel(factors->inputs[first ? 1 : 0]);
      if (!constant) return no;
      to.multipliers = *constant;
      to.scale = factors->inputs[first ? 0 : 1];
    }
    if (to.multipliers.empty() || (to.scale != kNoValue && !is_scalar_at_run_time(to.scale))) return no;
    made = scale->outputs[0];
    if (next < operations.size()) {
      const Operation* behind = reader();
      if (behind && is_operation(*behind, ops::kAdd)) {
        const auto bias = constant_by_channel(other_than(*behind, made));
        if (!bias) return no;
        to.bias = *bias;
        made = behind->outputs[0];
      } else if (behind) {
        --next;  // a stage of its own
      } else {
        return no;
      }
    }
    result_ = made;
    epilogue_.emplace_back(std::move(to));
    return "";
  }

  const Program& program_;
  const Step& step_;
  Work& work_;
  std::vector<work::Stage>& epilogue_;
  ValueId& result_;
};

// Clamps behind bytes that come through tables: the tables give clamped bytes.
template <typename Parts>
std::string clamp_tables(const Program& program, const Step& step, ValueId& y, const Parts& parts) {
  Step clamps{.kind = StepKind::kTable, .operations = {step.operations.begin() + 1, step.operations.end()}};
  const bool only_clamps =
      std::all_of(clamps.operations.begin(), clamps.operations.end(),
                  [](const Operation& operation) { return input_number(*operation.op, Role::kLow); });
  const Resolution resolution = only_clamps ? resolve_table(program, clamps) : Resolution();
  const auto* clamped = std::get_if<work::Table>(&resolution.work);
  if (!clamped || clamped->x != y) return StageResolver::kNotBehind;
  for (work::Concatenation::Part* part : parts)
    for (std::uint8_t& byte : part->table) byte = clamped->bytes[byte];
  y = clamped->y;
  return "";
}

}  // namespace

std::string add_stages(const Program& program, const Step& step, Work& work) {
  if (auto* concatenation = std::get_if<work::Concatenation>(&work)) {
    std::vector<work::Concatenation::Part*> parts;
    for (work::Concatenation::Part& part : concatenation->parts) parts.push_back(&part);
    return clamp_tables(program, step, concatenation->y, parts);
  }
  if (auto* selection = std::get_if<work::Selection>(&work))
    return clamp_tables(program, step, selection->y, std::array{&selection->a, &selection->b});
  if (!result_in(work)) return StageResolver::kNotBehind;
  StageResolver resolver(program, step, work);
  for (std::size_t next = 1; next < step.operations.size();)
    if (std::string why = resolver.add(next); !why.empty()) return why;
  return "";
}

}  // namespace octet
