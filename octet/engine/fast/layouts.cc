#include "octet/engine/fast/layouts.h"

#include <algorithm>
#include <cstring>

#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

bool has_channels(const Operand& operand) { return operand.type != DType::kUndefined && operand.shape.size() >= 3; }

// What the work reads and makes pixel by pixel, all channels at a time.
template <typename Visit>
void for_each_image(const Work& work, Visit visit) {
  if (const auto* convolution = std::get_if<work::Convolution>(&work)) {
    visit(convolution->x);
    visit(convolution->y);
  } else if (const auto* pool = std::get_if<work::Pool>(&work); pool && !pool->channels_last) {
    visit(pool->x);
    visit(pool->y);
  } else if (const auto* reals = std::get_if<work::RealConvolution>(&work)) {
    visit(reals->x);
    visit(reals->y);
  } else if (const auto* real_pool = std::get_if<work::RealPool>(&work)) {
    visit(real_pool->x);
    visit(real_pool->y);
  }
}

// Whether results may stand as the operands do.
bool follows_operands(const Program& program, const Step& step) {
  return std::holds_alternative<work::Concatenation>(step.work) ||
         std::holds_alternative<work::ChannelTables>(step.work) ||
         std::holds_alternative<work::RealElements>(step.work) || runs_in_any_layout(program, step);
}

}  // namespace

bool layouts_coincide(const Shape& shape) {
  if (shape.size() < 3 || shape[1] == 1) return true;
  return std::all_of(shape.begin() + 2, shape.end(), [](std::int64_t size) { return size == 1; });
}

bool runs_in_any_layout(const Program& program, const Step& step) {
  for (const Operation& operation : step.operations) {
    if (!operation.op->on_elements || operation.outputs.empty() || operation.outputs[0] == kNoValue) return false;
    const std::optional<SymbolicShape>& shape = program.values[operation.outputs[0]].shape;
    for (const ValueId input : operation.inputs) {
      if (input == kNoValue) continue;
      const ProgramValue& value = program.values[input];
      const bool single = !value.constant.empty() && value.constant.size() == 1;
      if (!single && (!value.shape || value.shape != shape || !value.constant.empty())) return false;
      // A single number of higher rank than the result would add axes to it.
      if (single && shape && value.shape && value.shape->size() > shape->size()) return false;
    }
  }
  return true;
}

std::vector<Operand> lay_out(const Program& program) {
  std::vector<Operand> operands(program.values.size());
  for (ValueId id = 0; id < operands.size(); ++id) {
    const ProgramValue& value = program.values[id];
    const std::optional<Shape> shape = value.shape ? concrete(*value.shape) : std::nullopt;
    if (!shape || value.dtype == DType::kUndefined || value.dtype == DType::kString) continue;
    operands[id] = {id, value.dtype, *shape, Layout::kAsDeclared};
  }
  std::vector<bool> fixed(operands.size());  // they come from outside, as they are
  for (const ProgramInput& input : program.inputs) fixed[input.value] = true;
  const auto last = [&](ValueId id) { return id != kNoValue && operands[id].layout == Layout::kChannelsLast; };
  const auto put_last = [&](ValueId id) {
    if (id == kNoValue || fixed[id] || !program.values[id].constant.empty() || !has_channels(operands[id])) return;
    operands[id].layout = Layout::kChannelsLast;
  };
  for (const Step& step : program.steps) {
    for_each_image(step.work, put_last);
    const std::vector<ValueId> inputs = inputs_of(program, step);
    if (follows_operands(program, step) && std::any_of(inputs.begin(), inputs.end(), last))
      for (const ValueId output : outputs_of(program, step)) put_last(output);
  }
  return operands;
}

void change_layout(const Simd& simd, const Operand& operand, Layout from, const std::byte* x, std::byte* y) {
  const Shape& shape = operand.shape;
  const auto size = static_cast<std::int64_t>(size_of(operand.type));
  const std::int64_t channels = shape[1];
  const std::int64_t pixels = channels == 0 || shape[0] == 0 ? 0 : operand.size() / channels / shape[0];
  const std::int64_t rows = from == Layout::kAsDeclared ? channels : pixels, columns = channels + pixels - rows;
  for (std::int64_t n = 0; n < shape[0]; ++n, x += channels * pixels * size, y += channels * pixels * size) {
    if (size == 1)
      simd.elements.transpose8(reinterpret_cast<const std::uint8_t*>(x), columns, rows, columns,
                               reinterpret_cast<std::uint8_t*>(y), rows);
    else if (size == 4)
      simd.elements.transpose32(reinterpret_cast<const std::uint32_t*>(x), columns, rows, columns,
                                reinterpret_cast<std::uint32_t*>(y), rows);
    else
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
          std::memcpy(y + (c * rows + r) * size, x + (r * columns + c) * size, static_cast<std::size_t>(size));
  }
}

}  // namespace octet::fast
