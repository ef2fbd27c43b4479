#include "octet/export/support/c_dynamic.h"

#include "octet/export/support/c_float_stages.h"
#include "octet/export/support/c_nest.h"
#include "octet/export/support/c_sum.h"
#include "octet/spec/matmul_shape.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {
namespace {

std::vector<std::int32_t> known_weights(const work::Sum& sum) {
  std::vector<std::int32_t> weights(static_cast<std::size_t>(sum.weights.size()));
  for (std::int64_t k = 0; k < sum.weights.size(); ++k)
    weights[static_cast<std::size_t>(k)] =
        static_cast<std::int32_t>(sum.weights.int_at(k)) - one_or(sum.w_zero_points, k / sum.products);
  return weights;
}

void say_sum(CStep& step, const std::vector<work::Stage>& epilogue) {
  for (const work::Stage& stage : epilogue)
    if (const auto* to_float = std::get_if<work::ToFloat>(&stage))
      step.say("  r = f32(acc) * {}{}", to_float->scale == kNoValue ? "multiplier" : "(scale * multiplier)",
               to_float->bias.empty() ? "" : " + bias");
  say_float_stages(step, epilogue);
}

// From the row of sums to y. `scale` names x's where the step itself has found it.
void finish_dynamic(CStep& step, const work::Sum& sum, const std::vector<work::Stage>& epilogue, const CRow& row,
                    ValueId y, const std::string& found_scale) {
  if (sum.bias.size() > 1)
    step.line("{}({}, {}, {});", step.use("add_starts"), row.acc, step.constant("bias", "int32_t", sum.bias),
              row.count);
  else if (!sum.bias.empty() && sum.bias[0] != 0)
    step.line("{}({}, {}, {});", step.use("add_start"), row.acc, c_number(sum.bias[0]), row.count);
  if (epilogue.empty()) {
    write_store(step, "y", y, row.at(y), row.acc, row.count);
    step.line("(void){};", row.spare);
    return;
  }
  const auto& to_float = std::get<work::ToFloat>(epilogue.front());
  std::string multiplier = real_constant(step, "multiplier", to_float.multipliers, "i");
  const std::string scale = to_float.scale == kNoValue ? found_scale : step.reads(to_float.scale, "scale") + "[0]";
  if (!scale.empty()) multiplier = fmt::format("({} * {})", scale, multiplier);
  step.line("float *const r = (void *){};", row.spare);
  step.line("for (ptrdiff_t i = 0; i < {}; ++i) r[i] = (float){}[i] * {}{};", row.count, row.acc, multiplier,
            to_float.bias.empty() ? "" : " + " + real_constant(step, "bias_real", to_float.bias, "i"));
  write_float_stages(step, epilogue, 1, {"r", row.count, "i", row.at}, y);
}

// min and max of x and 0, then scale and zero point, as lines that declare them.
void write_found_scale(CStep& step, const std::string& x, std::int64_t elements) {
  step.line("float least = 0, most = 0;");
  {
    const auto all = step.loop("i", elements);
    step.line("least = {0}[i] < least ? {0}[i] : least;", x);
    step.line("most = most < {0}[i] ? {0}[i] : most;", x);
  }
  step.line("const float found_scale = most == least ? 1.0f : (most - least) / 255.0f;");
  // Infinity over infinity, and 0 over 0: the highest byte (dynamic_quantize_linear.h).
  step.line("const float to_zero = 0.0f - least / found_scale;");
  step.line("const int32_t found_zero_point = to_zero != to_zero ? 255 : {}(to_zero, 0, 0, 255);",
            step.use("quantize"));
}

}  // namespace

std::string dynamic_refusal(const CValues& values, const Work& work) {
  const work::Sum* sum = sum_of(work);
  if (!sum) return "";
  if (sum->weights.empty()) return "its weights are computed at run time";
  if (sum->products > kMostProducts) return fmt::format("{} products in one sum", sum->products);
  const std::vector<work::Stage>& epilogue = *epilogue_of(work);
  for (std::size_t s = 0; s < epilogue.size(); ++s) {
    const bool converts = std::holds_alternative<work::ToFloat>(epilogue[s]);
    const bool real =
        std::holds_alternative<work::Limit>(epilogue[s]) || std::holds_alternative<work::Calculate>(epilogue[s]);
    if (s == 0 ? !converts : !real) return "what follows its sum is of a kind that exported C does not have";
    if (const auto* calculate = std::get_if<work::Calculate>(&epilogue[s]);
        calculate && calculate->other != kNoValue && values[calculate->other].type != DType::kFloat)
      return "an operand is not float32";
  }
  if (const auto* convolution = std::get_if<work::Convolution>(&work); convolution && !convolution->window)
    return "its window is not known before the run";
  return "";
}

void write_dynamic(CStep& step, const work::QuantizeDynamically& work) {
  step.say(
      "  scale = (max(x, 0) - min(x, 0)) / 255, or 1 where that is 0; zero_point = saturate(round(-min / scale)), of "
      "NaN 255");
  step.say("  y = saturate(round_ties_even(x / scale) + zero_point)");
  const std::string x = step.reads(work.x, "x"), y = step.writes(work.y, "y");
  write_found_scale(step, x, step.value(work.x).elements());
  if (work.scale != kNoValue) step.line("{}[0] = found_scale;", step.writes(work.scale, "scale"));
  if (work.zero_point != kNoValue)
    step.line("{}[0] = (uint8_t)found_zero_point;", step.writes(work.zero_point, "zero_point"));
  const CNest nest(step, step.value(work.y).shape, {step.value(work.y).strides(), step.value(work.x).strides()});
  step.line("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
  step.line("  {}[{}] = (uint8_t){}({}[{}] / found_scale, found_zero_point, 0, 255);", y, nest.at(0),
            step.use("quantize"), x, nest.at(1));
}

void write_dynamic(CStep& step, const work::Convolution& work) {
  step.say("  acc[o, m] = bias[m] + Sum over c and tap of (x[c, o * stride + tap * dilation - pad] - zero_point)");
  step.say("                                              * w[m, c, tap]");
  say_sum(step, work.epilogue);
  const Shape x = step.value(work.x).shape;
  CWindows windows{.x = work.x, .y = work.y, .batches = x[0], .groups = work.group, .padding = "0"};
  windows.group_inputs = x[1] / work.group;
  windows.group_outputs = work.sum.channels / work.group;
  for (std::size_t d = 0; d < work.window->kernel.size(); ++d)
    windows.axes.push_back({x[d + 2], work.window->output[d].value(), work.window->kernel[d], work.window->strides[d],
                            work.window->dilations[d], work.window->pads_begin[d]});
  if (work.x_zero_point == kNoValue)
    windows.zero_point = c_number(work.sum.x_zero_point);
  else
    windows.zero_point = step.reads(work.x_zero_point, "x_zero_point") + "[0]";
  step.writes(work.y, "y");
  write_convolution(step, windows, known_weights(work.sum),
                    [&](const CRow& row) { finish_dynamic(step, work.sum, work.epilogue, row, work.y, ""); });
}

void write_dynamic(CStep& step, const work::MatrixProduct& work) {
  step.say("  acc[i, j] = bias[j] + Sum_k ({} - zero_point) * w[j, k]",
           work.quantizes_x ? "quantized x[i, k]" : "x[i, k]");
  say_sum(step, work.epilogue);
  Shape x = step.value(work.x).shape, w = {work.sum.products, work.sum.channels};
  if (work.x_transposed) std::swap(x[0], x[1]);
  const MatMulLayout layout(x, w);
  CRows rows{.x = work.x, .rows = layout.m, .products = layout.k, .columns = layout.n};
  rows.x_row = work.x_transposed ? 1 : layout.k;
  rows.x_product = work.x_transposed ? layout.m : 1;
  for (std::int64_t batch = 0; batch < layout.batches; ++batch)
    rows.matrices.push_back(layout.operands(batch).a * layout.m * layout.k);
  rows.x_name = step.reads(work.x, "x");
  step.writes(work.y, "y");
  std::string scale;
  if (work.quantizes_x) {
    const std::int64_t elements = step.value(work.x).elements();
    step.scratch("uint8_t", "bytes", elements, 1);
    write_found_scale(step, rows.x_name, elements);
    step.line("for (ptrdiff_t i = 0; i < {}; ++i)", elements);
    step.line("  bytes[i] = (uint8_t){}({}[i] / found_scale, found_zero_point, 0, 255);", step.use("quantize"),
              rows.x_name);
    rows.x_name = "bytes";
    rows.zero_point = "found_zero_point";
    scale = "found_scale";
  } else if (work.x_zero_point == kNoValue) {
    rows.zero_point = c_number(work.sum.x_zero_point);
  } else {
    rows.zero_point = step.reads(work.x_zero_point, "x_zero_point") + "[0]";
  }
  write_product(step, rows, known_weights(work.sum),
                [&](const CRow& row) { finish_dynamic(step, work.sum, work.epilogue, row, work.y, scale); });
}

}  // namespace octet
