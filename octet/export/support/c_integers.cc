#include "octet/export/support/c_integers.h"

#include <algorithm>

#include "octet/export/support/c_nest.h"
#include "octet/export/support/c_sum.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {
namespace {

using namespace integer;

std::vector<std::int32_t> table_numbers(const NumberTable& table) { return {table.begin(), table.end()}; }

// By the axes of `target`: 0 where the value is repeated.
std::vector<std::int64_t> strides_as(const CValue& value, const Shape& target) {
  std::vector<std::int64_t> strides(target.size(), 0);
  const std::vector<std::int64_t> own = value.strides();
  const std::size_t behind = target.size() - value.shape.size();
  for (std::size_t d = 0; d < own.size(); ++d) strides[behind + d] = value.shape[d] == 1 ? 0 : own[d];
  return strides;
}

// What is subtracted from x before it is multiplied; empty where that is nothing.
std::string subtracted(const Sum& sum) { return sum.x_zero_point == 0 ? "" : c_number(sum.x_zero_point); }

class IntegerWriter {
 public:
  IntegerWriter(CStep& step, const IntegerSteps& integers, const work::Requantize* float32)
      : step_(step), integers_(integers), float32_(float32) {}

  void operator()(const Convolution& task) {
    CWindows windows{value(task.x),      value(task.y), task.batches,           task.groups,         task.group_inputs,
                     task.group_outputs, task.axes,     c_number(task.padding), subtracted(task.sum)};
    step_.say("  acc[o, m] = start[m] + Sum over c and tap of x[c, o * stride + tap * dilation - pad] * w[m, c, tap]");
    say_stages(step_, task.epilogue, float32_ != nullptr);
    const std::string y = step_.writes(windows.y, "y");
    const std::int64_t products = windows.products();
    write_convolution(step_, windows, less_zero_points(task.sum, task.w, products),
                      [&](const CRow& row) { finish(task.sum, task.epilogue, row, windows.y, y); });
  }

  void operator()(const MatrixProduct& task) {
    CRows rows{.x = value(task.x),
               .rows = task.rows,
               .products = task.products,
               .columns = task.columns,
               .x_row = task.x_row,
               .x_product = task.x_product,
               .zero_point = subtracted(task.sum)};
    // One matrix of known weights, as it is packed; a batch of them is read like what is computed.
    const bool known = constant(task.w).size() == task.columns * task.products && task.w_product == 1;
    step_.say("  acc[i, j] = start[j] + Sum_k {} * {}",
              task.sum.x_zero_point == 0 ? "x[i, k]" : fmt::format("(x[i, k] - {})", task.sum.x_zero_point),
              known ? "w[j, k]" : "(w[k, j] - w_zero_point[j])");
    say_stages(step_, task.epilogue, float32_ != nullptr);
    rows.x_name = step_.reads(rows.x, "x");
    const std::string y = step_.writes(value(task.y), "y");
    const auto finished = [&](const CRow& row) { finish(task.sum, task.epilogue, row, value(task.y), y); };
    if (!known) return two_tensors(task, rows.x_name, finished);
    for (const MatrixProduct::Offsets& matrix : task.matrices) rows.matrices.push_back(matrix.x);
    write_product(step_, rows, less_zero_points(task.sum, task.w, task.products), finished);
  }

  void operator()(const Pairwise& task) {
    const ValueId a = value(task.a), b = value(task.b), y = value(task.y);
    const Shape& shape = step_.value(y).shape;
    say_pair(task.pair);
    say_stages(step_, task.epilogue, false);
    const std::string a_name = step_.reads(a, "a"), b_name = step_.reads(b, "b"), y_name = step_.writes(y, "y");
    const CNest nest(step_, shape, operands(y, {a, b}, task.epilogue));
    const CRow row = element_row(nest, {y, a, b}, task.epilogue);
    write_pair(step_, task.pair, "pair", row, fmt::format("{}[{}]", a_name, nest.at(1)),
               fmt::format("{}[{}]", b_name, nest.at(2)), "acc");
    store(task.epilogue, row, y, y_name, nest);
  }

  void operator()(const Average& task) {
    const ValueId x = value(task.x), y = value(task.y);
    step_.say("  acc[c] = {} + Sum over {} pixels of x[c, pixel]", task.start, task.pixels);
    say_stages(step_, task.epilogue, false);
    const std::string x_name = step_.reads(x, "x"), y_name = step_.writes(y, "y");
    // In memory, channels may stand last although the program has them in front.
    const bool last = step_.value(x).channels_last || task.pixel_stride == task.channels;
    const std::int64_t channel = last ? 1 : task.channel_stride, pixel = last ? task.channels : task.pixel_stride;
    step_.scratch("int32_t", "acc", task.channels, 4);
    step_.scratch("int32_t", "q", task.channels, 4);
    const auto images = step_.loop("n", task.batches);
    step_.line("const {} *const from = {} + n * {};", c_type(step_.value(x).type), x_name, task.channels * task.pixels);
    step_.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] = {};", task.channels, c_number(task.start));
    {
      const auto pixels = step_.loop("p", task.pixels);
      step_.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] = {}(acc[c], from[{}]);", task.channels,
                 step_.use("add_wrapping"), c_sum({c_times("p", pixel), c_times("c", channel)}));
    }
    const CRow row{"acc", "q", std::to_string(task.channels),
                   [&](ValueId) { return fmt::format("n * {} + i", task.channels); }};
    finish({}, task.epilogue, row, y, y_name);
  }

  void operator()(const Maximum& task) {
    const ValueId x = value(task.x), y = value(task.y);
    step_.say("  acc[c, o] = max over taps of x[c, o * stride + tap * dilation - pad], of those inside the image");
    say_stages(step_, task.epilogue, false);
    const std::string x_name = step_.reads(x, "x"), y_name = step_.writes(y, "y");
    const CValue &from = step_.value(x), &to = step_.value(y);
    // Planes are [N] or [N, C]; all of them at one position make a row.
    const std::size_t outer = to.shape.size() - task.axes.size();
    const std::vector<std::int64_t> x_strides = from.strides(), y_strides = to.strides();
    const std::int64_t images = outer > 1 ? to.shape[0] : 1, planes = outer > 1 ? to.shape[1] : to.shape[0];
    const std::size_t plane = outer - 1;
    step_.scratch("int32_t", "acc", planes, 4);
    step_.scratch("int32_t", "q", planes, 4);
    std::vector<CStep::Block> positions;
    positions.push_back(step_.loop("n", images));
    std::vector<std::string> y_at = {outer > 1 ? c_times("n", y_strides[0]) : "n * 0"},
                             x_at = {outer > 1 ? c_times("n", x_strides[0]) : "n * 0"};
    for (std::size_t d = 0; d < task.axes.size(); ++d) {
      positions.push_back(step_.loop(fmt::format("o{}", d), task.axes[d].output));
      y_at.push_back(c_times(fmt::format("o{}", d), y_strides[outer + d]));
    }
    step_.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] = {};", planes, c_number(task.lowest));
    {
      std::vector<CStep::Block> taps;
      for (std::size_t d = 0; d < task.axes.size(); ++d) {
        const Axis& axis = task.axes[d];
        taps.push_back(step_.loop(fmt::format("k{}", d), axis.kernel));
        step_.line("const ptrdiff_t at{0} = o{0} * {1} + k{0} * {2} - {3};", d, axis.stride, axis.dilation, axis.pad);
        step_.line("if (at{0} < 0 || at{0} >= {1}) continue;", d, axis.input);
        x_at.push_back(c_times(fmt::format("at{}", d), x_strides[outer + d]));
      }
      step_.line("const {} *const from = {} + {};", c_type(from.type), x_name, c_sum(x_at));
      const std::string element = c_sum({c_times("c", x_strides[plane])});
      step_.line("for (ptrdiff_t c = 0; c < {0}; ++c) acc[c] = from[{1}] > acc[c] ? from[{1}] : acc[c];", planes,
                 element);
    }
    y_at.push_back(c_times("i", y_strides[plane]));
    const CRow row{"acc", "q", std::to_string(planes), [&](ValueId) { return c_sum(y_at); }};
    finish({}, task.epilogue, row, y, y_name);
  }

  void operator()(const Concatenation& task) {
    const ValueId y = value(task.y);
    const Shape& shape = step_.value(y).shape;
    step_.say("  y = the parts one behind the other, each through its table");
    const std::string y_name = step_.writes(y, "y");
    const std::size_t axis = concatenation_axis(task, shape);
    std::int64_t begin = 0;
    for (std::size_t k = 0; k < task.parts.size(); ++k) {
      const ValueId x = value(task.parts[k].x);
      const std::string x_name = step_.reads(x, fmt::format("x{}", k));
      const std::string table =
          step_.constant(fmt::format("table_{}", k), "int32_t", table_numbers(task.parts[k].table));
      const auto part = step_.block("");
      step_.line("{} *const to = {} + {};", c_type(step_.value(y).type), y_name,
                 begin * step_.value(y).strides()[axis]);
      const CNest nest(step_, step_.value(x).shape, {step_.value(y).strides(), step_.value(x).strides()});
      step_.line("for (ptrdiff_t i = 0; i < {}; ++i) to[{}] = ({}){}[{}[{}] & 255];", nest.count(), nest.at(0),
                 c_type(step_.value(y).type), table, x_name, nest.at(1));
      begin += step_.value(x).shape[axis];
    }
  }

  void operator()(const Selection& task) {
    const ValueId y = value(task.y), condition = value(task.condition), a = value(task.a.x), b = value(task.b.x);
    step_.say("  y = condition ? a_table[a & 255] : b_table[b & 255]");
    const std::string c_name = step_.reads(condition, "condition"), a_name = step_.reads(a, "a"),
                      b_name = step_.reads(b, "b"), y_name = step_.writes(y, "y");
    const std::string a_table = step_.constant("a_table", "int32_t", table_numbers(task.a.table)),
                      b_table = step_.constant("b_table", "int32_t", table_numbers(task.b.table));
    const CNest nest(step_, step_.value(y).shape, operands(y, {condition, a, b}, {}));
    step_.line("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
    step_.line("  {}[{}] = ({})({}[{}] != 0 ? {}[{}[{}] & 255] : {}[{}[{}] & 255]);", y_name, nest.at(0),
               c_type(step_.value(y).type), c_name, nest.at(1), a_table, a_name, nest.at(2), b_table, b_name,
               nest.at(3));
  }

  void operator()(const integer::Table& task) {
    step_.say("  y = table[x & 255]");
    const ValueId x = value(task.x), y = value(task.y);
    const std::string x_name = step_.reads(x, "x"), y_name = step_.writes(y, "y");
    const std::string table = step_.constant("table", "int32_t", table_numbers(task.table));
    const CNest nest(step_, step_.value(y).shape, operands(y, {x}, {}));
    step_.line("for (ptrdiff_t i = 0; i < {}; ++i) {}[{}] = ({}){}[{}[{}] & 255];", nest.count(), y_name, nest.at(0),
               c_type(step_.value(y).type), table, x_name, nest.at(1));
  }

  void operator()(const ChannelTables& task) {
    step_.say("  y = tables[channel][x & 255]");
    const ValueId x = value(task.x), y = value(task.y);
    const std::string x_name = step_.reads(x, "x"), y_name = step_.writes(y, "y");
    std::vector<std::int32_t> numbers;
    for (const NumberTable& table : task.tables) numbers.insert(numbers.end(), table.begin(), table.end());
    const std::string tables = step_.constant("tables", "int32_t", numbers);
    const Shape& shape = step_.value(y).shape;
    // The channels' axis is the one with `run` elements behind it, and as many as there are tables.
    std::vector<std::int64_t> channel(shape.size(), 0);
    const std::vector<std::int64_t> plain = strides_of(shape);
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (plain[d] == task.run && shape[d] == static_cast<std::int64_t>(task.tables.size())) channel[d] = 256;
    std::vector<std::vector<std::int64_t>> strides = operands(y, {x}, {});
    strides.push_back(channel);
    const CNest nest(step_, shape, strides);
    step_.line("for (ptrdiff_t i = 0; i < {}; ++i) {}[{}] = ({}){}[{} + ({}[{}] & 255)];", nest.count(), y_name,
               nest.at(0), c_type(step_.value(y).type), tables, nest.at(2), x_name, nest.at(1));
  }

  void operator()(const Move&) {}  // c_moves.h, for elements of any type

 private:
  ValueId value(TensorId tensor) const { return integers_.values[tensor]; }
  const Tensor& constant(TensorId tensor) const { return integers_.tensors[tensor].constant; }

  std::vector<std::int32_t> less_zero_points(const Sum& sum, TensorId w, std::int64_t products) const {
    const Tensor& weights = constant(w);
    std::vector<std::int32_t> result(static_cast<std::size_t>(weights.size()));
    for (std::int64_t k = 0; k < weights.size(); ++k)
      result[static_cast<std::size_t>(k)] =
          static_cast<std::int32_t>(weights.int_at(k)) - one_or(sum.w_zero_points, k / products);
    return result;
  }

  // The axis along which the parts' sizes add up to y's, and behind which they have as many elements as the task says.
  std::size_t concatenation_axis(const Concatenation& task, const Shape& shape) const {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::int64_t sum = 0;
      bool fits = true;
      for (const Concatenation::Part& part : task.parts) {
        const Shape& from = step_.value(value(part.x)).shape;
        sum += from[axis];
        fits = fits && element_count(std::span(from).subspan(axis)) == part.length;
      }
      if (fits && sum == shape[axis]) return axis;
    }
    return 0;
  }

  std::vector<std::vector<std::int64_t>> operands(ValueId y, const std::vector<ValueId>& others,
                                                  const Epilogue& epilogue) const {
    const CValue& to = step_.value(y);
    std::vector<std::vector<std::int64_t>> strides = {to.strides()};
    for (const ValueId other : others) strides.push_back(strides_as(step_.value(other), to.shape));
    for (const Stage& stage : epilogue)
      if (const auto* combine = std::get_if<Combine>(&stage))
        strides.push_back(strides_as(step_.value(value(combine->other)), to.shape));
    return strides;
  }

  // acc and q, and where the nest's operands stand. Declared inside the loops: rows are short.
  CRow element_row(const CNest& nest, std::vector<ValueId> known, const Epilogue& epilogue) {
    step_.line("int32_t acc[{0}], q[{0}];", nest.longest());
    for (const Stage& stage : epilogue)
      if (const auto* combine = std::get_if<Combine>(&stage)) known.push_back(value(combine->other));
    return {"acc", "q", nest.count(), [&nest, known](ValueId wanted) {
              return nest.at(static_cast<std::size_t>(std::find(known.begin(), known.end(), wanted) - known.begin()));
            }};
  }

  void store(const Epilogue& epilogue, const CRow& row, ValueId y, const std::string& name, const CNest& nest) {
    const std::string result = write_stages(step_, {integers_, epilogue}, row);
    write_store(step_, name, y, nest.at(0), result, nest.count());
    if (result == row.acc) step_.line("(void){};", row.spare);
  }

  void say_pair(const Pair& pair) {
    if (const auto* add = std::get_if<IntegerAddition>(&pair))
      step_.say("  q = saturate((a * {} + b * {} + {}) >> {}){}", add->ma, add->mb, add->addend, add->shift,
                add->exceptions.empty() ? "" : ", but on exceptions");
    else
      step_.say("  q = saturate(((a - a_zero_point) * (b - b_zero_point) * m + addend) >> shift), but on exceptions");
  }

  void finish(const Sum& sum, const Epilogue& epilogue, const CRow& row, ValueId y, const std::string& y_name) {
    if (sum.starts.size() > 1)
      step_.line("{}({}, {}, {});", step_.use("add_starts"), row.acc, step_.constant("starts", "int32_t", sum.starts),
                 row.count);
    else if (!sum.starts.empty() && sum.starts[0] != 0)
      step_.line("{}({}, {}, {});", step_.use("add_start"), row.acc, c_number(sum.starts[0]), row.count);
    const std::string result = write_stages(step_, {integers_, epilogue, float32_}, row);
    write_store(step_, y_name, y, row.at(y), result, row.count);
    if (result == row.acc) step_.line("(void){};", row.spare);
  }

  // Both operands are made at run time.
  template <typename F>
  void two_tensors(const MatrixProduct& task, const std::string& x, const F& finished) {
    const std::string w = step_.reads(value(task.w), "w");
    std::string zero_point = c_number(task.sum.w_zero_points.empty() ? 0 : task.sum.w_zero_points[0]);
    if (task.sum.w_zero_points.size() > 1)
      zero_point = step_.constant("w_zero_points", "int32_t", task.sum.w_zero_points) + "[j]";
    std::vector<std::int64_t> of_x, of_w;
    for (const MatrixProduct::Offsets& matrix : task.matrices) {
      of_x.push_back(matrix.x);
      of_w.push_back(matrix.w);
    }
    const std::string x_first = step_.constant("x_matrices", "int32_t", of_x),
                      w_first = step_.constant("w_matrices", "int32_t", of_w);
    step_.scratch("int32_t", "acc", task.columns, 4);
    step_.scratch("int32_t", "q", task.columns, 4);
    const auto matrices = step_.loop("b", static_cast<std::int64_t>(task.matrices.size()));
    const auto rows = step_.loop("r", task.rows);
    {
      const auto columns = step_.loop("j", task.columns);
      step_.line("uint32_t sum = 0;");
      {
        const auto products = step_.loop("k", task.products);
        step_.line("sum += (uint32_t)(({}[{}] - {}) * ({}[{}] - {}));", x,
                   c_sum({x_first + "[b]", c_times("r", task.x_row), c_times("k", task.x_product)}),
                   c_number(task.sum.x_zero_point), w,
                   c_sum({w_first + "[b]", c_times("j", task.w_column), c_times("k", task.w_product)}), zero_point);
      }
      step_.line("acc[j] = {}(sum);", step_.use("wrap"));
    }
    const std::string at = c_sum({c_times("b", task.rows * task.columns), c_times("r", task.columns), "i"});
    finished(CRow{"acc", "q", std::to_string(task.columns), [&](ValueId) { return at; }});
  }

  CStep& step_;
  const IntegerSteps& integers_;
  const work::Requantize* float32_;
};

}  // namespace

std::string c_refusal(const IntegerSteps& integers, const integer::Task& task) {
  if (const auto* convolution = std::get_if<Convolution>(&task)) {
    if (integers.tensors[convolution->w].constant.empty()) return "its weights are computed at run time";
    std::int64_t products = convolution->group_inputs;
    for (const Axis& axis : convolution->axes) products *= axis.kernel;
    if (products > kMostProducts) return fmt::format("{} products in one sum, at most {}", products, kMostProducts);
  }
  if (const auto* product = std::get_if<MatrixProduct>(&task); product && product->products > kMostProducts)
    return fmt::format("{} products in one sum, at most {}", product->products, kMostProducts);
  return "";
}

void write_integers(CStep& step, const IntegerSteps& integers, const integer::Task& task,
                    const work::Requantize* float32) {
  std::visit(IntegerWriter(step, integers, float32), task);
}

}  // namespace octet
