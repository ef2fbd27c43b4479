#include "octet/integer/support/integer_task.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/integer/requantizers.h"
#include "octet/spec/matmul_shape.h"
#include "octet/spec/quantized/integer_forms.h"

namespace octet {

TensorTable::TensorTable(const Program& program, std::vector<IntegerTensor>& tensors)
    : program_(program), tensors_(tensors), ids_(program.values.size()) {}

TensorId TensorTable::operator()(ValueId value) {
  if (!ids_[value]) {
    const ProgramValue& from = program_.values[value];
    ids_[value] = tensors_.size();
    values_.push_back(value);
    tensors_.push_back({from.name, from.dtype, concrete(*from.shape).value(), from.constant, from.quantization});
  }
  return *ids_[value];
}

TensorId TensorTable::rearranged(ValueId value, Tensor constant) {
  const DType type = constant.dtype();
  Shape shape = constant.shape();
  values_.push_back(value);
  tensors_.push_back({program_.values[value].name, type, std::move(shape), std::move(constant), std::nullopt});
  return tensors_.size() - 1;
}

namespace {

std::int32_t wrapped(std::int64_t number) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(number)); }

integer::NumberTable number_table(const LookupTable& bytes, DType type) {
  integer::NumberTable numbers;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    numbers[k] = type == DType::kInt8 ? static_cast<std::int8_t>(bytes[k]) : bytes[k];
  return numbers;
}

// The products of a sum and the accumulators that it can end with.
struct SumForm {
  integer::Sum sum;
  std::vector<Interval> reach;
};

SumForm sum_form(const work::Sum& sum, DType w_type, std::int64_t products) {
  SumForm form{{.w_zero_points = sum.w_zero_points}, accumulator_reach(sum)};
  if (!sum.weights.empty()) {
    for (const std::int64_t start : sum.starts) form.sum.starts.push_back(wrapped(start));
    return form;
  }
  form.sum.starts = sum.bias.empty() ? std::vector<std::int32_t>{0} : sum.bias;
  form.sum.x_zero_point = sum.x_zero_point;
  form.reach = {accumulator_reach(sum, w_type, products)};
  return form;
}

class TaskMaker {
 public:
  explicit TaskMaker(TensorTable& tensors) : tensors_(tensors) {}

  integer::Task operator()(const work::Convolution& work) {
    integer::Convolution task{.x = tensors_(work.x), .w = tensors_(work.w), .y = tensors_(work.y)};
    const Shape x = tensors_.shape(task.x), w = tensors_.shape(task.w);
    task.batches = x[0];
    task.groups = work.group;
    task.group_inputs = w[1];
    task.group_outputs = w[0] / work.group;
    task.axes = axes(*work.window, x);
    task.padding = work.sum.x_zero_point;
    SumForm form = sum_form(work.sum, tensors_.type(task.w), element_count(w) / std::max<std::int64_t>(w[0], 1));
    task.sum = std::move(form.sum);
    task.epilogue = epilogue(work.epilogue, form.reach);
    return task;
  }

  integer::Task operator()(const work::MatrixProduct& work) {
    const bool known = !work.sum.weights.empty();
    integer::MatrixProduct task{.x = tensors_(work.x), .y = tensors_(work.y)};
    task.w = known ? tensors_.rearranged(work.w, work.sum.weights) : tensors_(work.w);
    Shape x = tensors_.shape(task.x), w = tensors_.shape(task.w);
    if (work.x_transposed) std::swap(x[0], x[1]);
    if (known || work.w_transposed) std::swap(w[0], w[1]);
    const MatMulLayout layout(x, w);
    task.rows = layout.m;
    task.columns = layout.n;
    task.products = layout.k;
    task.x_row = work.x_transposed ? 1 : layout.k;
    task.x_product = work.x_transposed ? layout.m : 1;
    task.w_column = known || work.w_transposed ? layout.k : 1;
    task.w_product = known || work.w_transposed ? 1 : layout.n;
    for (std::int64_t batch = 0; batch < layout.batches; ++batch) {
      const MatMulLayout::Operands matrices = layout.operands(batch);
      task.matrices.push_back({matrices.a * layout.m * layout.k, matrices.b * layout.k * layout.n});
    }
    SumForm form = sum_form(work.sum, tensors_.type(task.w), layout.k);
    task.sum = std::move(form.sum);
    task.epilogue = epilogue(work.epilogue, form.reach);
    return task;
  }

  integer::Task operator()(const work::Pairwise& work) {
    integer::Pairwise task{.a = tensors_(work.a), .b = tensors_(work.b), .y = tensors_(work.y)};
    const Shape y = tensors_.shape(task.y);
    task.a_strides = broadcast_strides(tensors_.shape(task.a), y);
    task.b_strides = broadcast_strides(tensors_.shape(task.b), y);
    task.pair = pair(work.product, work.a_meaning, work.b_meaning, work.y_meaning, tensors_.type(task.a), work.swapped);
    task.epilogue = epilogue(work.epilogue, {});
    return task;
  }

  integer::Task operator()(const work::Pool& work) {
    return work.maximum ? integer::Task(maximum(work)) : integer::Task(average(work));
  }

  integer::Task operator()(const work::Concatenation& work) {
    integer::Concatenation task{.y = tensors_(work.y)};
    const auto axis = static_cast<std::size_t>(work.axis);
    const Shape y = tensors_.shape(task.y);
    task.rows = element_count(std::span(y).first(axis));
    for (const work::Concatenation::Part& part : work.parts) {
      const TensorId x = tensors_(part.x);
      const Shape shape = tensors_.shape(x);
      const std::int64_t length = element_count(std::span(shape).subspan(axis));
      task.parts.push_back({x, length, number_table(part.table, tensors_.type(task.y))});
    }
    return task;
  }

  integer::Task operator()(const work::Selection& work) {
    integer::Selection task{.condition = tensors_(work.condition), .y = tensors_(work.y)};
    const Shape y = tensors_.shape(task.y);
    task.condition_strides = broadcast_strides(tensors_.shape(task.condition), y);
    const auto operand = [&](const work::Concatenation::Part& part) {
      const TensorId x = tensors_(part.x);
      return integer::Selection::Operand{x, broadcast_strides(tensors_.shape(x), y),
                                         number_table(part.table, tensors_.type(task.y))};
    };
    task.a = operand(work.a);
    task.b = operand(work.b);
    return task;
  }

  integer::Task operator()(const work::Table& work) {
    return integer::Table{tensors_(work.x), tensors_(work.y), number_table(work.bytes, work.output)};
  }

  integer::Task operator()(const work::ChannelTables& work) {
    integer::ChannelTables task{.x = tensors_(work.x), .y = tensors_(work.y)};
    const Shape y = tensors_.shape(task.y);
    task.run = element_count(std::span(y).subspan(static_cast<std::size_t>(work.axis) + 1));
    for (const LookupTable& table : work.tables) task.tables.push_back(number_table(table, work.output));
    return task;
  }

  integer::Task operator()(const work::Move& work) {
    integer::Move task{.y = tensors_(work.y)};
    if (!work.fill.empty()) task.fill = static_cast<std::int32_t>(work.fill.int_at(0));
    for (const ValueId source : work.sources) task.sources.push_back(tensors_(source));
    for (const work::MoveBox& box : work.boxes)
      task.boxes.push_back({box.source ? std::optional(task.sources[*box.source]) : std::nullopt, box.begin, box.shape,
                            box.offset, box.strides});
    task.indices = work.indices;
    return task;
  }

  template <typename Refused>
  integer::Task operator()(const Refused&) {
    fail(ErrorCode::kUnsupported, "a step that is not of integers alone");
  }

 private:
  // `first` is the number of the first spatial dimension.
  static std::vector<integer::Axis> axes(const Window& window, const Shape& x, std::size_t first = 2) {
    std::vector<integer::Axis> result;
    for (std::size_t d = 0; d < window.kernel.size(); ++d)
      result.push_back({x[d + first], window.output[d].value(), window.kernel[d], window.strides[d],
                        window.dilations[d], window.pads_begin[d]});
    return result;
  }

  integer::Average average(const work::Pool& work) {
    integer::Average task{.x = tensors_(work.x), .y = tensors_(work.y)};
    const Shape x = tensors_.shape(task.x);
    task.batches = x[0];
    task.channels = work.channels_last ? x.back() : x[1];
    task.pixels = element_count(std::span(x).subspan(work.channels_last ? 1 : 2, x.size() - 2));
    task.channel_stride = work.channels_last ? 1 : task.pixels;
    task.pixel_stride = work.channels_last ? task.channels : 1;
    task.start = wrapped(-task.pixels * work.x_meaning.zero_point);
    const IntegerRange range = integer_range(tensors_.type(task.x));
    task.epilogue = epilogue(work.epilogue, {});
    const IntegerRequantizer requantize = integer_average(work.x_meaning, work.y_meaning, task.pixels, range);
    task.epilogue.insert(task.epilogue.begin(), integer::Requantize{{requantize}});
    return task;
  }

  integer::Maximum maximum(const work::Pool& work) {
    integer::Maximum task{.x = tensors_(work.x), .y = tensors_(work.y)};
    const Shape x = tensors_.shape(task.x);
    task.planes = work.channels_last ? x[0] : x[0] * x[1];
    task.axes = axes(*work.window, x, work.channels_last ? 1 : 2);
    if (work.channels_last) task.axes.push_back({x.back(), x.back(), 1, 1, 1, 0});  // one channel at a time
    task.lowest = static_cast<std::int32_t>(integer_range(tensors_.type(task.x)).min);
    task.epilogue = epilogue(work.epilogue, {});
    return task;
  }

  integer::Pair pair(bool product, const Quantization& a, const Quantization& b, const Quantization& y, DType type,
                     bool b_first) {
    const IntegerRange range = integer_range(type);
    if (!product) return tensors_.forms().addition(a, b, y, range, b_first);
    return integer::Multiplication{a.zero_point, b.zero_point, integer_multiplication(a, b, y, range)};
  }

  integer::Epilogue epilogue(const std::vector<work::Stage>& stages, const std::vector<Interval>& reach) {
    integer::Epilogue result;
    for (const work::Stage& stage : stages) {
      if (const auto* requantize = std::get_if<work::Requantize>(&stage))
        result.emplace_back(integer::Requantize{requantizers(*requantize, reach, tensors_.forms())});
      else if (const auto* clamp = std::get_if<work::Clamp>(&stage))
        result.emplace_back(integer::Clamp{clamp->low, clamp->high});
      else if (const auto* look_up = std::get_if<work::LookUp>(&stage))
        result.emplace_back(integer::LookUp{number_table(look_up->table, look_up->type)});
      else if (const auto* combine = std::get_if<work::Combine>(&stage))
        result.emplace_back(combined(*combine));
    }
    return result;
  }

  integer::Combine combined(const work::Combine& stage) {
    const TensorId other = tensors_(stage.other);
    return {other, pair(stage.product, stage.q, stage.with, stage.y, tensors_.type(other), stage.other_first)};
  }

  TensorTable& tensors_;
};

}  // namespace

integer::Task integer_task(const Work& work, TensorTable& tensors) { return std::visit(TaskMaker(tensors), work); }

}  // namespace octet
