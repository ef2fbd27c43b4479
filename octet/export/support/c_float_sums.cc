#include "octet/export/support/c_float_sums.h"

#include "octet/export/support/c_float_stages.h"
#include "octet/export/support/c_nest.h"

namespace octet {
namespace {

constexpr std::int64_t kFloatTile = 4, kFloatBlock = 8;  // columns and channels that are multiplied at a time

std::int64_t blocks_of(std::int64_t channels) { return (channels + kFloatBlock - 1) / kFloatBlock; }

// [groups][blocks][products][block]: the channels of a block side by side. `weight(m, k)` is what the file has.
template <typename F>
std::vector<float> packed_floats(std::int64_t groups, std::int64_t channels, std::int64_t products, F&& weight) {
  const std::int64_t blocks = blocks_of(channels);
  std::vector<float> result(static_cast<std::size_t>(groups * blocks * products * kFloatBlock));
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t m = 0; m < channels; ++m)
      for (std::int64_t k = 0; k < products; ++k)
        result[static_cast<std::size_t>(((g * blocks + m / kFloatBlock) * products + k) * kFloatBlock +
                                        m % kFloatBlock)] = weight(g * channels + m, k);
  return result;
}

void write_float_multiply(CStep& step, const std::string& weights, std::int64_t channels, std::int64_t products,
                          std::int64_t stride, bool single, const std::string& first_weight,
                          const std::string& first_sum) {
  const auto blocks = step.loop("m", channels, kFloatBlock);
  const std::string block = c_sum({weights, first_weight, c_times("m", products)});
  const std::string to = c_sum({"sums", first_sum, "m"});
  if (single)
    step.line("{}(columns, {}, {}, {});", step.use("multiply_float_1"), block, products, to);
  else
    step.line("{}(columns, {}, {}, {}, {});", step.use("multiply_float_4"), block, products, to, stride);
}

[[nodiscard]] CStep::Block tile_loop(CStep& step, std::int64_t positions, std::int64_t tile) {
  CStep::Block loop = step.loop("p", tile);
  if (positions % tile == 0)
    step.line("const ptrdiff_t o = first + p;");
  else
    step.line("const ptrdiff_t o = first + p < {0} ? first + p : {1};", positions, positions - 1);
  return loop;
}

[[nodiscard]] CStep::Block result_loop(CStep& step, std::int64_t positions, std::int64_t tile, std::int64_t stride) {
  CStep::Block loop = positions % tile == 0
                          ? step.loop("p", tile)
                          : step.block("for (ptrdiff_t p = 0; p < {} && first + p < {}; ++p)", tile, positions);
  step.line("const ptrdiff_t o = first + p;");
  step.line("float *const acc = sums + p * {};", stride);
  return loop;
}

// column[c * taps + tap] of the window at position o.
void write_float_column(CStep& step, const work::FloatConvolution& work, std::int64_t inputs, const std::string& group,
                        std::int64_t batches) {
  const Window& window = *work.window;
  const CValue& x = step.value(work.x);
  const std::vector<std::int64_t> strides = x.strides();
  const Shape output = concrete(window.output).value();
  const std::int64_t taps = element_count(window.kernel);
  std::vector<std::string> at = {batches != 1 ? c_times("n", strides[0]) : "",
                                 group.empty() ? "" : c_times(group, inputs * strides[1])};
  std::string inside, tap;
  std::int64_t behind = element_count(output);
  for (std::size_t d = 0; d < output.size(); ++d) {
    behind /= output[d];
    step.line("const ptrdiff_t begin{} = o / {} % {} * {} - {};", d, behind, output[d], window.strides[d],
              window.pads_begin[d]);
  }
  std::vector<CStep::Block> kernel;
  for (std::size_t d = 0; d < output.size(); ++d) {
    kernel.push_back(step.loop(fmt::format("k{}", d), window.kernel[d]));
    step.line("const ptrdiff_t at{0} = begin{0} + k{0} * {1};", d, window.dilations[d]);
    inside += fmt::format("{}at{} >= 0 && at{} < {}", inside.empty() ? "" : " && ", d, d, x.shape[d + 2]);
    at.push_back(c_times(fmt::format("at{}", d), strides[d + 2]));
    tap = tap.empty() ? fmt::format("k{}", d) : fmt::format("({}) * {} + k{}", tap, window.kernel[d], d);
  }
  step.line("float *const to = column + {};", tap);
  step.line("if ({})", inside);
  step.line("  for (ptrdiff_t c = 0; c < {}; ++c) to[c * {}] = x[{}];", inputs, taps,
            c_sum({c_sum(at), c_times("c", strides[1])}));
  step.line("else");
  step.line("  for (ptrdiff_t c = 0; c < {}; ++c) to[c * {}] = 0;", inputs, taps);
}

}  // namespace

void write_real(CStep& step, const work::FloatConvolution& work) {
  const CValue &x = step.value(work.x), &y = step.value(work.y);
  const Shape w = work.weights.shape();
  const std::int64_t taps = element_count(work.window->kernel), inputs = w[1], products = inputs * taps;
  const std::int64_t outputs = w[0], per_group = outputs / work.group, batches = x.shape[0];
  const std::int64_t positions = element_count(std::span(y.shape).subspan(2)), tile = positions == 1 ? 1 : kFloatTile;
  const std::int64_t stride = outputs + kFloatBlock;
  step.say("  r[o, m] = Sum over c and tap of x[c, o * stride + tap * dilation - pad] * w[m, c, tap], fused, in order");
  say_float_stages(step, work.epilogue);
  step.reads(work.x, "x");
  step.writes(work.y, "y");
  const std::span<const float> numbers = work.weights.as<float>();
  const std::string weights = step.constant(
      "weights", "float", packed_floats(work.group, per_group, products, [&](std::int64_t m, std::int64_t k) {
        return numbers[static_cast<std::size_t>(m * products + k)];
      }));
  step.scratch("float", "columns", tile * products, 4);
  step.scratch("float", "sums", tile * stride, 4);
  const auto images = batches != 1 ? step.loop("n", batches) : CStep::Block();
  const auto tiles = step.loop("first", positions, tile);
  {
    const std::string group = work.group > 1 ? "g" : "";
    const auto groups = group.empty() ? CStep::Block() : step.loop(group, work.group);
    {
      const auto columns = tile_loop(step, positions, tile);
      step.line("float *const column = columns + p * {};", products);
      write_float_column(step, work, inputs, group, batches);
    }
    write_float_multiply(step, weights, per_group, products, stride, tile == 1,
                         group.empty() ? "" : c_times("g", blocks_of(per_group) * products * kFloatBlock),
                         group.empty() ? "" : c_times("g", per_group));
  }
  const auto results = result_loop(step, positions, tile, stride);
  const auto at = [&](ValueId id) {
    const CValue& value = step.value(id);
    const std::vector<std::int64_t> strides = value.strides();
    return c_sum({batches != 1 ? c_times("n", strides[0]) : "", value.channels_last ? c_times("o", outputs) : "o",
                  c_times("i", strides[1])});
  };
  write_float_stages(step, work.epilogue, 0, {"acc", std::to_string(outputs), "i", at}, work.y);
}

void write_real(CStep& step, const work::FloatProduct& work) {
  const CValue& x = step.value(work.x);
  const std::int64_t products = x.shape.back(), columns = work.weights.shape()[work.w_transposed ? 0 : 1];
  const std::int64_t rows = element_count(std::span(x.shape).first(x.shape.size() - 1)),
                     tile = rows == 1 ? 1 : kFloatTile;
  const std::int64_t stride = columns + kFloatBlock;
  step.say("  r[i, j] = Sum_k x[i, k] * w[k, j], fused, in order");
  say_float_stages(step, work.epilogue);
  step.reads(work.x, "x");
  step.writes(work.y, "y");
  const std::span<const float> numbers = work.weights.as<float>();
  const std::string weights =
      step.constant("weights", "float", packed_floats(1, columns, products, [&](std::int64_t m, std::int64_t k) {
                      return numbers[static_cast<std::size_t>(work.w_transposed ? m * products + k : k * columns + m)];
                    }));
  step.scratch("float", "columns", tile * products, 4);
  step.scratch("float", "sums", tile * stride, 4);
  const auto tiles = step.loop("first", rows, tile);
  {
    const auto all = tile_loop(step, rows, tile);
    step.line("for (ptrdiff_t k = 0; k < {0}; ++k) columns[p * {0} + k] = x[o * {0} + k];", products);
  }
  write_float_multiply(step, weights, columns, products, stride, tile == 1, "", "");
  const auto results = result_loop(step, rows, tile, stride);
  const std::string at = fmt::format("o * {} + i", columns);
  write_float_stages(step, work.epilogue, 0, {"acc", std::to_string(columns), "i", [&](ValueId) { return at; }},
                     work.y);
}

}  // namespace octet
