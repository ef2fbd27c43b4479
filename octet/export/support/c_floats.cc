#include "octet/export/support/c_floats.h"

#include <algorithm>

#include "octet/export/support/c_dynamic.h"
#include "octet/export/support/c_float_pools.h"
#include "octet/export/support/c_float_stages.h"
#include "octet/export/support/c_float_sums.h"
#include "octet/export/support/c_moves.h"
#include "octet/export/support/c_nest.h"
#include "octet/export/support/c_operators.h"
#include "octet/export/support/c_softmax.h"
#include "octet/export/support/c_wide_sums.h"

namespace octet {
namespace {

// An array, or the only number.
std::string one_or_each(CStep& step, const std::string& what, const std::vector<std::int32_t>& numbers,
                        const std::string& channel) {
  if (numbers.size() == 1) return c_number(numbers[0]);
  return fmt::format("{}[{}]", step.constant(what, "int32_t", numbers), channel);
}

void write_step(CStep& step, const work::Quantize& work) {
  step.say("  y = saturate(round_ties_even(x / scale) + zero_point), a true division");
  const std::string x = step.reads(work.x, "x"), y = step.writes(work.y, "y");
  const CValue& to = step.value(work.y);
  const CNest nest(step, to.shape, {to.strides(), step.value(work.x).strides(), channel_strides(to.shape, work.axis)});
  const IntegerRange range = integer_range(to.type);
  step.line("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
  step.line("  {}[{}] = ({}){}({}[{}] / {}, {}, {}, {});", y, nest.at(0), c_type(to.type), step.use("quantize"), x,
            nest.at(1), real_constant(step, "scales", work.scales, nest.at(2)),
            one_or_each(step, "zero_points", work.zero_points, nest.at(2)), range.min, range.max);
}

void write_step(CStep& step, const work::Dequantize& work) {
  step.say("  y = f32(x - zero_point) * scale");
  const std::string x = step.reads(work.x, "x"), y = step.writes(work.y, "y");
  const CValue& to = step.value(work.y);
  const CNest nest(step, to.shape, {to.strides(), step.value(work.x).strides(), channel_strides(to.shape, work.axis)});
  const std::string zero_point = one_or_each(step, "zero_points", work.zero_points, nest.at(2));
  std::string difference = fmt::format("{}[{}] - {}", x, nest.at(1), zero_point);
  if (step.value(work.x).type == DType::kInt32)
    difference = fmt::format("{}((uint32_t){}[{}] - (uint32_t){})", step.use("wrap"), x, nest.at(1), zero_point);
  step.line("for (ptrdiff_t i = 0; i < {}; ++i) {}[{}] = (float)({}) * {};", nest.count(), y, nest.at(0), difference,
            real_constant(step, "scales", work.scales, nest.at(2)));
}

void write_step(CStep& step, const work::FloatElements& work) {
  step.say("  r = x");
  say_float_stages(step, work.epilogue);
  const std::string x = step.reads(work.x, "x");
  const CValue& to = step.value(work.y);
  std::vector<ValueId> known = {work.y, work.x};
  std::vector<std::vector<std::int64_t>> strides = {to.strides(), step.value(work.x).strides()};
  for (const work::Stage& stage : work.epilogue)
    if (const auto* calculate = std::get_if<work::Calculate>(&stage); calculate && calculate->other != kNoValue) {
      known.push_back(calculate->other);
      strides.push_back(step.value(calculate->other).strides());
    }
  strides.push_back(channel_strides(to.shape, work.axis.value_or(0)));
  step.writes(work.y, "y");
  const CNest nest(step, to.shape, strides);
  step.line("float r[{}];", std::max<std::int64_t>(nest.longest(), 1));
  step.line("for (ptrdiff_t i = 0; i < {}; ++i) r[i] = {}[{}];", nest.count(), x, nest.at(1));
  const auto at = [&](ValueId id) {
    return nest.at(static_cast<std::size_t>(std::find(known.begin(), known.end(), id) - known.begin()));
  };
  write_float_stages(step, work.epilogue, 0, {"r", nest.count(), nest.at(strides.size() - 1), at}, work.y);
}

void write_step(CStep& step, const work::SplitBytes& work) { write_split(step, work); }
void write_step(CStep& step, const work::JoinedSum& work) { write_joined_sum(step, work); }
void write_step(CStep& step, const work::Move& work) { write_move(step, work); }
void write_step(CStep& step, const work::QuantizeDynamically& work) { write_dynamic(step, work); }
void write_step(CStep& step, const work::Convolution& work) { write_dynamic(step, work); }
void write_step(CStep& step, const work::MatrixProduct& work) { write_dynamic(step, work); }
void write_step(CStep& step, const work::Pool& work) { write_real(step, work); }
void write_step(CStep& step, const work::Softmax& work) { write_softmax(step, work); }
void write_step(CStep& step, const work::FloatConvolution& work) { write_real(step, work); }
void write_step(CStep& step, const work::FloatProduct& work) { write_real(step, work); }
void write_step(CStep& step, const work::FloatPool& work) { write_real(step, work); }
void write_step(CStep& step, const work::FloatSoftmax& work) { write_softmax(step, work); }

// What one of these functions writes; any other work is refused.
template <typename W>
concept Written = requires(CStep& step, const W& work) {
  write_step(step, work);
};

std::string type_refusal(const Program& program, const Step& step) {
  for (const std::vector<ValueId>& values : {inputs_of(program, step), outputs_of(program, step)})
    for (const ValueId id : values) {
      const ProgramValue& value = program.values[id];
      if (c_type(value.dtype).empty()) return fmt::format("{} is {}", value.name, name(value.dtype));
      if (!value.shape || !concrete(*value.shape)) return fmt::format("the shape of {} is not known", value.name);
    }
  return "";
}

}  // namespace

std::string c_refusal(const Program& program, const CValues& values, const Step& step) {
  if (std::string why = type_refusal(program, step); !why.empty()) return why;
  if (!step.opaque.empty())
    return is_c_operator(program, step) ? "" : fmt::format("exported C has no kernel for it: {}", step.opaque);
  const Work& work = step.work;
  if (const auto* pool = std::get_if<work::Pool>(&work)) {
    const bool fits = pool->sums_in_float &&
                      std::all_of(pool->epilogue.begin(), pool->epilogue.end(),
                                  [](const work::Stage& stage) { return std::holds_alternative<work::Clamp>(stage); });
    return fits ? "" : "exported C has no such pool";
  }
  if (std::holds_alternative<std::monostate>(work)) return "its work is not known";
  if (const auto* softmax = std::get_if<work::Softmax>(&work)) return softmax_refusal(values, *softmax);
  if (const auto* quantize = std::get_if<work::Quantize>(&work))
    return program.values[quantize->x].dtype == DType::kFloat ? "" : "it does not read float32";
  if (const auto* dequantize = std::get_if<work::Dequantize>(&work))
    return program.values[dequantize->y].dtype == DType::kFloat ? "" : "it does not make float32";
  if (std::holds_alternative<work::Convolution>(work) || std::holds_alternative<work::MatrixProduct>(work))
    return dynamic_refusal(values, work);
  const bool written = std::visit([]<typename W>(const W&) { return Written<W>; }, work);
  return written ? "" : "exported C has no such step";
}

void write_floats(CStep& to, const Step& step) {
  if (!step.opaque.empty()) return write_operator(to, step);
  std::visit(
      [&]<typename W>(const W& work) {
        if constexpr (Written<W>) write_step(to, work);
      },
      step.work);
}

}  // namespace octet
