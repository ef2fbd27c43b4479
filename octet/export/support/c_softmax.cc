#include "octet/export/support/c_softmax.h"

#include <cmath>

#include "octet/export/support/c_nest.h"
#include "octet/spec/quantized/qlinear_softmax.h"
#include "octet/spec/softmax_axis.h"

namespace octet {
namespace {

// A loop over the lanes, `from` and `to` at the first element of each.
[[nodiscard]] CStep::Block lane_loop(CStep& step, const Lanes& lanes, ValueId x, ValueId y) {
  const std::string from = step.reads(x, "x"), to = step.writes(y, "y");
  CStep::Block loop = step.loop("lane", lanes.count);
  step.line("const ptrdiff_t first = {};",
            lanes.step == 1 ? fmt::format("lane * {}", lanes.length)
                            : fmt::format("lane / {0} * {1} + lane % {0}", lanes.step, lanes.length * lanes.step));
  step.line("const {} *const from = {} + first;", c_type(step.value(x).type), from);
  step.line("{} *const to = {} + first;", c_type(step.value(y).type), to);
  return loop;
}

template <typename Work>
Lanes lanes_of(const CValue& x, const Work& work) {
  return softmax_lanes(x.shape, static_cast<std::size_t>(work.axis), work.flattens);
}

QLinearSoftmax softmax_of(const CValue& x, const work::Softmax& work) {
  return {work.x_meaning.scale, work.y_meaning, x.type, lanes_of(x, work).length, Arithmetic{}};
}

}  // namespace

void write_softmax(CStep& step, const work::FloatSoftmax& work) {
  step.say("  y = exp(x - max) * (1 / Sum exp(x - max)); the sum has eight lanes, which are added in pairs");
  const Lanes lanes = lanes_of(step.value(work.x), work);
  const std::string k = c_sum({c_times("k", lanes.step)});
  const auto all = lane_loop(step, lanes, work.x, work.y);
  step.line("float max = -FLT_MAX, e[8] = {{0}};");
  step.line("for (ptrdiff_t k = 0; k < {0}; ++k) max = max < from[{1}] ? from[{1}] : max;", lanes.length, k);
  {
    const auto lane = step.loop("k", lanes.length);
    step.line("to[{0}] = {1}(from[{0}] - max);", k, step.use("exponential_of_negative"));
    step.line("e[k % 8] += to[{}];", k);
  }
  step.line("const float inverse = 1 / (((e[4] + e[5]) + (e[6] + e[7])) + ((e[0] + e[1]) + (e[2] + e[3])));");
  step.line("for (ptrdiff_t k = 0; k < {}; ++k) to[{}] *= inverse;", lanes.length, k);
}

std::string softmax_refusal(const CValues& values, const work::Softmax& work) {
  constexpr float kMostSteps = 0x1p30F;
  const CValue& x = values[work.x];
  if (x.elements() == 0) return "it has no elements";
  const QLinearSoftmax softmax = softmax_of(x, work);
  const bool fits = softmax.steps() <= kMostSteps && std::isfinite(softmax.exponentials().back() * softmax.steps());
  return fits ? "" : "exponentials times 1 / y_scale overflow float32";
}

void write_softmax(CStep& step, const work::Softmax& work) {
  step.say("  e[k] = table[255 - (max - x[k])]");
  step.say("  y = saturate(round_ties_even(e * L / Sum e) + zero_point), L = floor(1 / y_scale)");
  const CValue& x = step.value(work.x);
  const Lanes lanes = lanes_of(x, work);
  const QLinearSoftmax softmax = softmax_of(x, work);
  const std::span<const float> exponentials = softmax.exponentials();
  const std::string table =
      step.constant("table", "float", std::vector<float>(exponentials.begin(), exponentials.end()));
  const std::string e = fmt::format("{}[255 - (max - from[{}])]", table, c_sum({c_times("k", lanes.step)}));
  const IntegerRange range = integer_range(x.type);
  const auto all = lane_loop(step, lanes, work.x, work.y);
  step.line("int32_t max = {};", range.min);
  step.line("float sum = 0;");
  step.line("for (ptrdiff_t k = 0; k < {0}; ++k) max = max < from[{1}] ? from[{1}] : max;", lanes.length,
            c_sum({c_times("k", lanes.step)}));
  step.line("for (ptrdiff_t k = 0; k < {}; ++k) sum += {};", lanes.length, e);
  step.line("for (ptrdiff_t k = 0; k < {}; ++k)", lanes.length);
  step.line("  to[{}] = ({}){}({} * {} / sum, {}, {}, {});", c_sum({c_times("k", lanes.step)}), c_type(x.type),
            step.use("quantize"), e, c_float(softmax.steps()), work.y_meaning.zero_point, range.min, range.max);
}

}  // namespace octet
