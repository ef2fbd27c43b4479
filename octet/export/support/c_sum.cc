#include "octet/export/support/c_sum.h"

#include <algorithm>

#include "octet/export/support/c_nest.h"

namespace octet {
namespace {

constexpr std::int64_t kTile = 4;   // columns that are multiplied at a time
constexpr std::int64_t kPack = 16;  // products that vector instructions take at a time

std::int64_t rounded_up(std::int64_t number, std::int64_t to) { return (number + to - 1) / to * to; }

bool always_inside(const integer::Axis& axis) {
  return axis.pad <= 0 && (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation - axis.pad < axis.input;
}

// Weights as the narrowest type that holds them.
struct PackedWeights {
  std::string array, type;
};

template <typename T>
std::vector<T> as_type(const std::vector<std::int32_t>& numbers) {
  std::vector<T> result(numbers.size());
  std::transform(numbers.begin(), numbers.end(), result.begin(), [](std::int32_t n) { return static_cast<T>(n); });
  return result;
}

PackedWeights define_weights(CStep& step, const std::vector<std::int32_t>& numbers) {
  const bool bytes =
      std::all_of(numbers.begin(), numbers.end(), [](std::int32_t number) { return number >= -128 && number <= 127; });
  if (bytes) return {step.constant("weights", "int8_t", as_type<std::int8_t>(numbers)), "int8_t"};
  return {step.constant("weights", "int16_t", as_type<std::int16_t>(numbers)), "int16_t"};
}

// [groups][channels, an even number][products, rounded up]: zeros where there is nothing. `order(k)` is which product of
// the file stands at place k.
template <typename F>
std::vector<std::int32_t> packed(const std::vector<std::int32_t>& weights, std::int64_t groups, std::int64_t channels,
                                 std::int64_t products, F&& order) {
  const std::int64_t wide = rounded_up(products, kPack), even = rounded_up(channels, 2);
  std::vector<std::int32_t> result(static_cast<std::size_t>(groups * even * wide));
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t m = 0; m < channels; ++m)
      for (std::int64_t k = 0; k < products; ++k)
        result[static_cast<std::size_t>((g * even + m) * wide + k)] =
            weights[static_cast<std::size_t>((g * channels + m) * products + order(k))];
  return result;
}

// What one tap of a window reads, `count` elements from `from` on, `stride` apart, into `to`.
void write_copy(CStep& step, const std::string& type, const std::string& to, const std::string& from,
                std::int64_t count, std::int64_t stride, const std::string& zero_point) {
  if (zero_point.empty() && stride == 1 && (type == "int8_t" || type == "uint8_t"))
    step.line("{}({}, {}, {});", step.use("widen_" + type), to, from, count);
  else
    step.line("for (ptrdiff_t c = 0; c < {}; ++c) ({})[c] = (int16_t)(({})[{}]{});", count, to, from,
              c_sum({c_times("c", stride)}), zero_point.empty() ? "" : " - " + zero_point);
}

class WindowWriter {
 public:
  WindowWriter(CStep& step, const CWindows& windows)
      : step_(step), windows_(windows), x_(step.reads(windows.x, "x")), strides_(step.value(windows.x).strides()) {}

  // Where the window of position o begins, on each axis.
  void write_begin() {
    std::int64_t behind = windows_.positions();
    for (std::size_t d = 0; d < windows_.axes.size(); ++d) {
      const integer::Axis& axis = windows_.axes[d];
      const bool first = d == 0, last = d + 1 == windows_.axes.size();
      behind /= axis.output;
      std::string at = last ? "o" : fmt::format("o / {}", behind);
      if (!first && !last) at = fmt::format("({})", at);
      if (!first) at = fmt::format("{} % {}", at, axis.output);
      if (axis.stride != 1) at = fmt::format("({}) * {}", at, axis.stride);
      if (axis.pad != 0) at += fmt::format(" - {}", axis.pad);
      step_.line("const ptrdiff_t begin{} = {};", d, at);
    }
  }

  // The column of a group: taps one behind the other, each with the channels of the group.
  void write_column(const std::string& group) { write_axis(0, group); }

  // The index of x's first channel at the pixel that k0, k1, ... say, as an expression of i0, i1, ...
  std::string pixel(const std::string& group) const {
    std::vector<std::string> terms;
    if (windows_.batches != 1) terms.push_back(c_times("n", strides_[0]));
    if (!group.empty()) terms.push_back(c_times(group, windows_.group_inputs * strides_[1]));
    for (std::size_t d = 0; d < windows_.axes.size(); ++d)
      terms.push_back(c_times(fmt::format("at{}", d), strides_[d + 2]));
    return c_sum(terms);
  }
  std::string tap(std::size_t d) const {
    return c_sum({fmt::format("begin{}", d), c_times(fmt::format("k{}", d), windows_.axes[d].dilation)});
  }
  const std::string& x() const { return x_; }
  std::int64_t channel_stride() const { return strides_[1]; }

 private:
  // Elements of a column behind each turn of the loop over an axis.
  std::int64_t behind(std::size_t d) const {
    std::int64_t count = windows_.group_inputs;
    for (std::size_t e = d + 1; e < windows_.axes.size(); ++e) count *= windows_.axes[e].kernel;
    return count;
  }
  std::string outside() const { return windows_.zero_point.empty() ? windows_.padding : "0"; }

  void write_axis(std::size_t d, const std::string& group) {
    const integer::Axis& axis = windows_.axes[d];
    const std::string from = "x + " + pixel(group), type = c_type(step_.value(windows_.x).type);
    const bool last = d + 1 == windows_.axes.size();
    // Taps side by side in x are copied at once.
    const bool in_one = last && axis.dilation == 1 && axis.kernel > 1 && windows_.groups == 1 && strides_[1] == 1 &&
                        strides_[d + 2] == windows_.group_inputs;
    if (in_one) {
      const std::int64_t run = axis.kernel * behind(d);
      const bool inside = always_inside(axis);
      {
        const auto taps = inside
                              ? step_.block("")
                              : step_.block("if (begin{0} >= 0 && begin{0} + {1} <= {2})", d, axis.kernel, axis.input);
        step_.line("const ptrdiff_t at{0} = begin{0};", d);
        write_copy(step_, type, "column", from, run, 1, windows_.zero_point);
        step_.line("column += {};", run);
      }
      if (inside) return;
    }
    const auto one_by_one = in_one ? step_.block("else") : CStep::Block();
    const auto taps = step_.loop(fmt::format("k{}", d), axis.kernel);
    step_.line("const ptrdiff_t at{} = {};", d, tap(d));
    const std::int64_t rest = behind(d);
    if (!always_inside(axis)) {
      const auto is_outside = step_.block("if (at{0} < 0 || at{0} >= {1})", d, axis.input);
      step_.line("{}(column, {}, {});", step_.use("fill"), outside(), rest);
      step_.line("column += {};", rest);
      step_.line("continue;");
    }
    if (last) {
      write_copy(step_, type, "column", from, rest, strides_[1], windows_.zero_point);
      step_.line("column += {};", rest);
    } else {
      write_axis(d + 1, group);
    }
  }

  CStep& step_;
  const CWindows& windows_;
  std::string x_;
  std::vector<std::int64_t> strides_;
};

// The index of the first channel at position o, in a tensor of y's shape.
std::string position_in(const CValue& value, const CWindows& windows, const std::string& channel) {
  const std::vector<std::int64_t> strides = value.strides();
  const std::string o = value.channels_last ? c_times("o", windows.outputs()) : "o";
  return c_sum({windows.batches != 1 ? c_times("n", strides[0]) : "", o, c_times(channel, strides[1])});
}

CRow row_of(CStep& step, const CWindows& windows) {
  return {"acc", "q", std::to_string(windows.outputs()),
          [&](ValueId value) { return position_in(step.value(value), windows, "i"); }};
}

CStep::Block loop_over_images(CStep& step, const CWindows& windows) {
  return windows.batches != 1 ? step.loop("n", windows.batches) : CStep::Block();
}

// acc[c] += x[tap][c] * w[tap][c], for every tap.
void write_depthwise_sums(CStep& step, const CWindows& windows, const WindowWriter& window,
                          const PackedWeights& weights) {
  const std::int64_t channels = windows.groups;
  std::string tap, inside;
  std::vector<CStep::Block> kernel;
  for (std::size_t d = 0; d < windows.axes.size(); ++d) {
    kernel.push_back(step.loop(fmt::format("k{}", d), windows.axes[d].kernel));
    step.line("const ptrdiff_t at{} = {};", d, window.tap(d));
    if (!always_inside(windows.axes[d]))
      inside += fmt::format("{0}at{1} >= 0 && at{1} < {2}", inside.empty() ? "" : " && ", d, windows.axes[d].input);
    tap = tap.empty() ? fmt::format("k{}", d) : fmt::format("({}) * {} + k{}", tap, windows.axes[d].kernel, d);
  }
  step.line("const {} *const w = {} + ({}) * {};", weights.type, weights.array, tap, channels);
  {
    const auto is_inside = step.block("{}", inside.empty() ? "" : "if (" + inside + ")");
    step.line("const {} *const from = x + {};", c_type(step.value(windows.x).type), window.pixel(""));
    step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] += (from[{}]{}) * w[c];", channels,
              c_sum({c_times("c", window.channel_stride())}),
              windows.zero_point.empty() ? "" : " - " + windows.zero_point);
  }
  if (!inside.empty() && windows.zero_point.empty() && windows.padding != "0") {
    const auto is_outside = step.block("else");
    step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] += {} * w[c];", channels, windows.padding);
  }
}

// One channel of x for each of y.
void write_depthwise(CStep& step, const CWindows& windows, const std::vector<std::int32_t>& weights,
                     const CFinish& finish) {
  const std::int64_t channels = windows.groups, taps = windows.taps();
  std::vector<std::int32_t> by_tap(weights.size());
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t tap = 0; tap < taps; ++tap)
      by_tap[static_cast<std::size_t>(tap * channels + c)] = weights[static_cast<std::size_t>(c * taps + tap)];
  const PackedWeights packed_weights = define_weights(step, by_tap);
  WindowWriter window(step, windows);
  step.scratch("int32_t", "acc", channels, 4);
  step.scratch("int32_t", "q", channels, 4);
  const auto images = loop_over_images(step, windows);
  const auto positions = step.loop("o", windows.positions());
  window.write_begin();
  step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] = 0;", channels);
  write_depthwise_sums(step, windows, window, packed_weights);
  finish(row_of(step, windows));
}

bool is_depthwise(const CWindows& windows) {
  return windows.group_inputs == 1 && windows.group_outputs == 1 && windows.groups > 1;
}

// Columns of a tile, then all channels of all of them.
void write_multiply(CStep& step, const PackedWeights& weights, std::int64_t channels, std::int64_t wide,
                    std::int64_t stride, bool single, const std::string& first_weight, const std::string& first_sum) {
  const std::string of_pair = c_sum({weights.array, first_weight, c_times("m", wide)});
  const std::string to = c_sum({"sums", first_sum, "m"});
  const auto pairs = step.loop("m", channels, 2);
  if (single)
    step.line("{}(columns, {}, {}, {});", step.use("multiply_" + weights.type + "_1"), of_pair, wide, to);
  else
    step.line("{}(columns, {}, {}, {}, {});", step.use("multiply_" + weights.type + "_4"), of_pair, wide, to, stride);
}

// Position `first + p` of a tile; the last tile repeats the last position.
void write_position(CStep& step, std::int64_t positions, std::int64_t tile) {
  if (positions % tile == 0)
    step.line("const ptrdiff_t o = first + p;");
  else
    step.line("const ptrdiff_t o = first + p < {0} ? first + p : {1};", positions, positions - 1);
}

[[nodiscard]] CStep::Block loop_over_results(CStep& step, std::int64_t positions, std::int64_t tile,
                                             std::int64_t stride) {
  CStep::Block results = positions % tile == 0
                             ? step.loop("p", tile)
                             : step.block("for (ptrdiff_t p = 0; p < {} && first + p < {}; ++p)", tile, positions);
  step.line("const ptrdiff_t o = first + p;");
  step.line("int32_t *const acc = sums + p * {};", stride);
  return results;
}

}  // namespace

std::int64_t CWindows::taps() const {
  std::int64_t count = 1;
  for (const integer::Axis& axis : axes) count *= axis.kernel;
  return count;
}

std::int64_t CWindows::positions() const {
  std::int64_t count = 1;
  for (const integer::Axis& axis : axes) count *= axis.output;
  return count;
}

void write_convolution(CStep& step, const CWindows& windows, const std::vector<std::int32_t>& weights,
                       const CFinish& finish) {
  if (is_depthwise(windows)) return write_depthwise(step, windows, weights, finish);
  const std::int64_t taps = windows.taps(), products = windows.products(), positions = windows.positions();
  const std::int64_t wide = rounded_up(products, kPack), even = rounded_up(windows.group_outputs, 2);
  const std::int64_t stride = rounded_up(windows.outputs() + 1, 2), tile = positions == 1 ? 1 : kTile;
  const PackedWeights packed_weights = define_weights(
      step, packed(weights, windows.groups, windows.group_outputs, products,
                   [&](std::int64_t k) { return k % windows.group_inputs * taps + k / windows.group_inputs; }));
  WindowWriter window(step, windows);
  step.scratch("int16_t", "columns", tile * wide, 2);
  step.scratch("int32_t", "sums", tile * stride, 4);
  step.scratch("int32_t", "q", stride, 4);
  const auto images = loop_over_images(step, windows);
  const auto tiles = step.loop("first", positions, tile);
  const std::string group = windows.groups > 1 ? "g" : "";
  {
    const auto groups = group.empty() ? CStep::Block() : step.loop(group, windows.groups);
    {
      const auto columns = step.loop("p", tile);
      write_position(step, positions, tile);
      step.line("int16_t *column = columns + p * {};", wide);
      window.write_begin();
      window.write_column(group);
    }
    write_multiply(step, packed_weights, windows.group_outputs, wide, stride, tile == 1,
                   group.empty() ? "" : c_times("g", even * wide),
                   group.empty() ? "" : c_times("g", windows.group_outputs));
  }
  const auto results = loop_over_results(step, positions, tile, stride);
  finish(row_of(step, windows));
}

void write_product(CStep& step, const CRows& rows, const std::vector<std::int32_t>& weights, const CFinish& finish) {
  const std::int64_t wide = rounded_up(rows.products, kPack), stride = rounded_up(rows.columns + 1, 2);
  const std::int64_t tile = rows.rows == 1 ? 1 : kTile;
  const PackedWeights packed_weights =
      define_weights(step, packed(weights, 1, rows.columns, rows.products, [](std::int64_t k) { return k; }));
  step.scratch("int16_t", "columns", tile * wide, 2);
  step.scratch("int32_t", "sums", tile * stride, 4);
  step.scratch("int32_t", "q", stride, 4);
  const bool batch = rows.matrices.size() > 1;
  const std::string matrix = batch ? step.constant("matrices", "int32_t", rows.matrices) + "[b]" : "";
  const auto matrices = batch ? step.loop("b", static_cast<std::int64_t>(rows.matrices.size())) : CStep::Block();
  const auto tiles = step.loop("first", rows.rows, tile);
  {
    const auto columns = step.loop("p", tile);
    write_position(step, rows.rows, tile);
    const std::string type = rows.zero_point.empty() ? c_type(step.value(rows.x).type) : "";
    write_copy(step, type, "columns + p * " + std::to_string(wide),
               c_sum({rows.x_name, matrix, c_times("o", rows.x_row)}), rows.products, rows.x_product, rows.zero_point);
  }
  write_multiply(step, packed_weights, rows.columns, wide, stride, tile == 1, "", "");
  const auto results = loop_over_results(step, rows.rows, tile, stride);
  const std::string at = c_sum({batch ? c_times("b", rows.rows * rows.columns) : "", c_times("o", rows.columns), "i"});
  finish({"acc", "q", std::to_string(rows.columns), [&](ValueId) { return at; }});
}

}  // namespace octet
