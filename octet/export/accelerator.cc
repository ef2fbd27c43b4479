#include "octet/export/accelerator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "octet/base/fail.h"
#include "octet/export/support/place_tensors.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {
namespace {

using namespace integer;

// Why a step can't be; caught where all of them are listed.
struct Refused {
  std::string reason;
};

void require(bool holds, const char* reason) {
  if (!holds) throw Refused{reason};
}

// Sums of products before they are cut into words: weight(m, tap, c), taps in row-major order.
struct Products {
  std::int64_t inputs = 1, outputs = 1;
  bool alone = false;                                                            // output m reads input m and no other
  std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)> weight;  // less its zero point
};

class Builder {
 public:
  Builder(const IntegerProgram& program, int multipliers) : program_(program) {
    to_.shape = array_shape(multipliers);
    to_.image = program.tensors.size();  // none yet
    to_.place_of.resize(program.tensors.size());
    std::iota(to_.place_of.begin(), to_.place_of.end(), TensorId{0});
    to_.tensors.resize(program.tensors.size());
  }

  std::string refusals() {
    add_steps();
    return refused_;
  }

  Accelerator build() {
    place_ports();
    add_steps();
    if (refused_.empty() && (to_.steps.empty() || to_.place_of[to_.result] == to_.image))
      refused_ = "\n  no step computes the output";
    if (!refused_.empty())
      fail(ErrorCode::kUnsupported, "the accelerator does not have all of this network:{}", refused_);
    place_tensors(to_);
    return std::move(to_);
  }

 private:
  template <typename F>
  void refusing(const std::string& name, F&& f) try {
    f();
  } catch (const Refused& why) {
    refused_ += fmt::format("\n  {}: {}", name, why.reason);
  }

  // Only integers count: a 16-bit number comes in as two of 8 bits.
  void require_one(const char* ports, const std::vector<TensorId>& tensors) {
    if (tensors.size() == 1) return;
    std::string names;
    for (const TensorId id : tensors) names += (names.empty() ? "" : ", ") + program_.tensors[id].name;
    refused_ += fmt::format("\n  {} {} of integers, one is wanted: {}", tensors.size(), ports, names);
  }

  void place_ports() {
    require_one("inputs", program_.inputs);
    require_one("outputs", program_.outputs);
    if (!refused_.empty()) return;
    to_.image = program_.inputs[0];
    to_.result = program_.outputs[0];
    refusing(program_.tensors[to_.image].name, [&] {
      lay_out(to_.image, to_.shape.lanes);
      to_.tensors[to_.image].bank = kImageBank;
    });
  }

  void add_steps() {
    expect_layouts();
    for (const IntegerStep& step : program_.steps)
      refusing(step.name, [&] { std::visit([&](const auto& task) { add(step.name, task); }, step.task); });
  }

  // So that a step behind one that can't be is judged by itself.
  void expect_layouts() {
    for (TensorId id = 0; id < program_.tensors.size(); ++id)
      if (id != to_.image) try {
          lay_out(id, to_.shape.columns);
        } catch (const Refused&) {
          continue;
        }
  }

  // [1, channels, ...] of bytes, in words; channels are padded to a multiple of `unit`.
  void lay_out(TensorId id, std::int64_t unit) {
    const IntegerTensor& tensor = program_.tensors[id];
    require(tensor.constant.empty(), "it computes with a constant where an array of results is wanted");
    require(tensor.type == DType::kInt8 || tensor.type == DType::kUint8, "its elements are not bytes");
    require(tensor.shape.size() >= 2 && tensor.shape[0] == 1 && element_count(tensor.shape) > 0,
            "its shape is not one image: [1, channels, ...]");
    PlacedTensor& placed = to_.tensors[id];
    placed.channels = tensor.shape[1];
    placed.pixels = element_count(tensor.shape) / placed.channels;
    placed.pixel_words = (placed.channels + unit - 1) / unit * unit / to_.shape.lanes;
  }

  const PlacedTensor& placed(TensorId id) const { return to_.tensors[to_.place_of[id]]; }
  bool is_signed(TensorId id) const { return program_.tensors[id].type == DType::kInt8; }
  Interval range_of(TensorId id) const { return is_signed(id) ? Interval{-128, 127} : Interval{0, 255}; }
  void require_tensor(TensorId id) const {
    require(program_.tensors[id].constant.empty(), "it computes with a constant where an array of results is wanted");
  }

  // Clamps, from stage `first` on, narrow the range to which what is before them saturates.
  static void saturate(AcceleratorStep& step, const IntegerRange& range, const Epilogue& epilogue, std::size_t first) {
    step.low = static_cast<std::int32_t>(range.min);
    step.high = static_cast<std::int32_t>(range.max);
    for (std::size_t s = first; s < epilogue.size(); ++s) {
      const auto* clamp = std::get_if<Clamp>(&epilogue[s]);
      require(clamp != nullptr, "behind its sum is more than a requantization and clamps");
      require(clamp->low <= step.high && clamp->high >= step.low, "its clamp leaves one value");
      step.low = std::max(step.low, clamp->low);
      step.high = std::min(step.high, clamp->high);
    }
  }

  void add(const std::string& name, const Convolution& task) {
    require(!task.axes.empty() && task.axes.size() <= 2, "it is neither one- nor two-dimensional");
    require(task.batches == 1, "it has more than one image");
    require(task.groups == 1 || (task.group_inputs == 1 && task.group_outputs == 1),
            "it is grouped, and not one channel by one");
    for (const Axis& axis : task.axes) require(axis.dilation == 1 || axis.kernel == 1, "its kernel is dilated");
    AcceleratorStep step = started(name, task.x, task.y);
    const Axis rows = task.axes.size() == 2 ? task.axes[0] : Axis{}, columns = task.axes.back();
    step.input_rows = rows.input, step.input_columns = columns.input;
    step.output_rows = rows.output, step.output_columns = columns.output;
    step.kernel_rows = rows.kernel, step.kernel_columns = columns.kernel;
    step.stride_rows = rows.stride, step.stride_columns = columns.stride;
    step.pad_rows = rows.pad, step.pad_columns = columns.pad;
    step.padding = task.padding;
    const Tensor& w = constant(task.w);
    const std::int64_t taps = rows.kernel * columns.kernel;
    Products products{task.groups * task.group_inputs, task.groups * task.group_outputs, task.groups > 1};
    products.weight = [&](std::int64_t m, std::int64_t tap, std::int64_t c) {
      return w.int_at((m * task.group_inputs + (task.groups > 1 ? 0 : c)) * taps + tap) -
             one_or(task.sum.w_zero_points, m);
    };
    add_sum(std::move(step), products, task.sum, task.epilogue);
  }

  void add(const std::string& name, const MatrixProduct& task) {
    require(task.rows == 1 && task.matrices.size() == 1, "its left side is more than one row");
    AcceleratorStep step = started(name, task.x, task.y);
    require(placed(task.x).pixels == 1 && placed(task.x).channels == task.products && task.matrices[0].x == 0 &&
                (task.x_product == 1 || task.products == 1),
            "its left side is not the channels of one pixel");
    const Tensor& w = constant(task.w);
    Products products{task.products, task.columns};
    products.weight = [&](std::int64_t m, std::int64_t, std::int64_t c) {
      return w.int_at(task.matrices[0].w + m * task.w_column + c * task.w_product) - one_or(task.sum.w_zero_points, m);
    };
    add_sum(std::move(step), products, task.sum, task.epilogue);
  }

  void add(const std::string& name, const Average& task) {
    require(task.batches == 1, "it has more than one image");
    AcceleratorStep step = started(name, task.x, task.y);
    require(placed(task.x).channels == task.channels && placed(task.x).pixels == task.pixels &&
                (task.pixels == 1 || task.pixel_stride == 1) &&
                (task.channels == 1 || task.channel_stride == task.pixels),
            "its channels are not the second axis");
    step.input_columns = step.kernel_columns = task.pixels;
    step.same_taps = true;
    const Products products{task.channels, task.channels, true,
                            [](std::int64_t, std::int64_t, std::int64_t) { return std::int64_t{1}; }};
    add_sum(std::move(step), products, Sum{{task.start}, {0}, 0}, task.epilogue);
  }

  void add(const std::string& name, const Pairwise& task) {
    const auto* addition = std::get_if<IntegerAddition>(&task.pair);
    require(addition != nullptr, "it multiplies two results");
    require_tensor(task.a);
    require_tensor(task.b);
    const Shape& shape = program_.tensors[task.y].shape;
    require(program_.tensors[task.a].shape == shape && program_.tensors[task.b].shape == shape,
            "one of its operands is repeated");
    require(placed(task.a).pixel_words == placed(task.b).pixel_words, "its operands lie in memory in different ways");
    require(to_.place_of[task.a] != to_.place_of[task.b], "both of its operands are the same");
    AcceleratorStep step = started(name, task.a, task.y);
    step.b = task.b;
    step.addition = *addition;
    saturate(step, addition->range, task.epilogue, 0);
    require(is_signed(task.a) == is_signed(task.b) && is_signed(task.a) == is_signed(task.y),
            "its operands are of different types");
    lay_out(task.y, 1);
    to_.tensors[task.y].pixel_words = placed(task.a).pixel_words;
    step.output_columns = placed(task.a).pixels * placed(task.a).pixel_words;
    step.input_columns = step.output_columns;
    to_.steps.push_back(std::move(step));
  }

  // Where elements stay where they are, nothing is to do: the result lies where its source does.
  void add(const std::string&, const Move& task) {
    require(task.boxes.size() == 1 && task.boxes[0].source && task.indices.empty(), "it moves elements");
    const Box& box = task.boxes[0];
    const Shape& shape = program_.tensors[task.y].shape;
    require(box.offset == 0 && box.shape == shape &&
                element_count(shape) == element_count(program_.tensors[*box.source].shape),
            "it moves elements");
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
      require(shape[d] == 1 || box.strides[d] == stride, "it moves elements");
    require_tensor(*box.source);
    const PlacedTensor source = placed(*box.source);
    lay_out(task.y, 1);
    require(to_.tensors[task.y].channels == source.channels, "it moves elements between channels");
    to_.place_of[task.y] = to_.place_of[*box.source];
  }

  void add(const std::string&, const Maximum&) { throw Refused{"it takes the largest of a window"}; }
  void add(const std::string&, const Concatenation&) { throw Refused{"it puts tensors together"}; }
  void add(const std::string&, const Selection&) { throw Refused{"it selects"}; }
  void add(const std::string&, const integer::Table&) { throw Refused{"it looks up a table"}; }
  void add(const std::string&, const ChannelTables&) { throw Refused{"it looks up a table"}; }

  AcceleratorStep started(const std::string& name, TensorId x, TensorId y) const {
    require_tensor(x);
    AcceleratorStep step;
    step.name = name;
    step.a = x;
    step.y = y;
    step.is_signed = is_signed(x);
    return step;
  }

  const Tensor& constant(TensorId w) const {
    require(!program_.tensors[w].constant.empty(), "its weights are computed");
    return program_.tensors[w].constant;
  }

  void add_sum(AcceleratorStep step, const Products& products, const Sum& sum, const Epilogue& epilogue) {
    const auto* requantize = epilogue.empty() ? nullptr : std::get_if<Requantize>(&epilogue[0]);
    require(requantize != nullptr, "its sums are not requantized");
    saturate(step, requantize->channels.at(0).range, epilogue, 1);
    require(sum.x_zero_point == 0, "its weights are computed");
    const std::int64_t columns = to_.shape.columns, lanes = to_.shape.lanes;
    const PlacedTensor x = placed(step.a);
    lay_out(step.y, columns);
    step.groups = (products.outputs + columns - 1) / columns;
    step.words = products.alone ? columns / lanes : (products.inputs + lanes - 1) / lanes;
    step.group_words = products.alone ? columns / lanes : 0;
    require(!products.alone || x.pixel_words >= step.groups * step.group_words,
            "channels that are not mixed are read from the image");
    const std::int64_t taps = step.kernel_rows * step.kernel_columns;
    step.useful =
        products.outputs * (products.alone ? 1 : products.inputs) * taps * step.output_rows * step.output_columns;
    step.first_weights = static_cast<std::int64_t>(to_.weights.size());
    add_weights(step, products, taps);
    step.first_channel = channels_;
    for (std::int64_t m = 0; m < step.groups * columns; ++m)
      step.channels.push_back(m < products.outputs ? channel(step, products, taps, m, one_or(sum.starts, m),
                                                             one_or(requantize->channels, m))
                                                   : ChannelConstants{});
    channels_ += step.groups * columns / to_.shape.requantizers;
    to_.steps.push_back(std::move(step));
  }

  // One group's words, or one tap's, where the others' are the same.
  void add_weights(const AcceleratorStep& step, const Products& products, std::int64_t taps) {
    const std::int64_t columns = to_.shape.columns, lanes = to_.shape.lanes;
    for (std::int64_t group = 0; group < (step.same_taps ? 1 : step.groups); ++group)
      for (std::int64_t tap = 0; tap < (step.same_taps ? 1 : taps); ++tap)
        for (std::int64_t word = 0; word < step.words; ++word) {
          std::vector<std::int16_t>& weights = to_.weights.emplace_back();
          for (std::int64_t column = 0; column < columns; ++column)
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
              const std::int64_t m = group * columns + column, in = word * lanes + lane;
              const bool meets = products.alone ? in == column : in < products.inputs;
              const bool there = meets && (step.same_taps || m < products.outputs);
              weights.push_back(static_cast<std::int16_t>(there ? products.weight(m, tap, in) : 0));
            }
        }
  }

  ChannelConstants channel(const AcceleratorStep& step, const Products& products, std::int64_t taps, std::int64_t m,
                           std::int32_t start, const IntegerRequantizer& requantizer) const {
    ChannelConstants constants{start, requantizer, {start, start}};
    for (RequantizerException& exception : constants.requantizer.exceptions)
      exception.value = std::clamp(exception.value, step.low, step.high);
    const Interval x = range_of(step.a);
    for (std::int64_t tap = 0; tap < taps; ++tap)
      for (std::int64_t c = 0; c < (products.alone ? 1 : products.inputs); ++c) {
        const std::int64_t w = products.weight(m, tap, products.alone ? m : c);
        constants.reach.least += std::min(w * x.least, w * x.greatest);
        constants.reach.greatest += std::max(w * x.least, w * x.greatest);
      }
    constants.reach = wrapped_to_int32(constants.reach);
    // What does not depend on the sum needs no register that holds it.
    if (requantizer.m == 0 && requantizer.exceptions.empty()) constants.start = 0, constants.reach = {};
    return constants;
  }

  const IntegerProgram& program_;
  Accelerator to_;
  std::int64_t channels_ = 0;  // words of constants so far
  std::string refused_;        // a line for each step that can't be
};

}  // namespace

ArrayShape array_shape(int multipliers) {
  if (multipliers < 1 || multipliers > 256 || !std::has_single_bit(static_cast<unsigned>(multipliers)))
    fail(ErrorCode::kUsage, "--multipliers {}: a power of two from 1 to 256 is wanted", multipliers);
  ArrayShape shape;
  shape.columns = std::min(multipliers, 16);
  shape.lanes = multipliers / shape.columns;
  shape.levels = std::countr_zero(static_cast<unsigned>(shape.lanes));
  shape.requantizers = shape.lanes >= 4 ? 2 : 1;
  return shape;
}

std::string accelerator_refusals(const IntegerProgram& program, int multipliers) {
  return Builder(program, multipliers).refusals();
}

Accelerator accelerator(const IntegerProgram& program, int multipliers) {
  return Builder(program, multipliers).build();
}

}  // namespace octet
