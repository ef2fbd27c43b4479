#include "octet/export/support/step_json.h"

#include <algorithm>
#include <array>

namespace octet {
namespace {

using namespace integer;

// By the alternative of Task.
struct KindText {
  std::string_view kind, formula;
};
constexpr std::array<KindText, std::variant_size_v<Task>> kKinds = {{
    {"convolution",
     "y[n,o,i] = epilogue(starts[o] + sum over c, tap of (x[n,c,i*stride+tap*dilation-pad] - x_zero_point) * "
     "(w[o,c,tap] - "
     "w_zero_points[o])); outside the image x is the padding; c runs through the group of o; 32 bits that wrap"},
    {"matrix_product",
     "y[i,r,c] = epilogue(starts[c] + sum over k of (x[matrices[i].x + r*x_row + k*x_product] - x_zero_point) * "
     "(w[matrices[i].w + c*w_column + k*w_product] - w_zero_points[c])); 32 bits that wrap"},
    {"pairwise", "y[i] = epilogue(pair(a[i*a_strides], b[i*b_strides]))"},
    {"average", "y[n,c] = epilogue(start + sum over p of x[n*channels*pixels + c*channel_stride + p*pixel_stride])"},
    {"maximum", "y[plane,i] = epilogue(max(lowest, x[plane,i*stride+tap*dilation-pad] of every tap inside the image))"},
    {"concatenation", "row r of y is, part after part, table[x & 255] of row r of x"},
    {"selection", "y[i] = condition[i] ? a.table[a[i] & 255] : b.table[b[i] & 255]"},
    {"table", "y[i] = table[x[i] & 255]"},
    {"channel_tables", "y[i] = tables[i / run % count][x[i] & 255]"},
    {"move", "y[begin + i] = source[offset + i*strides] for each i of each box; without a source, fill; or by indices"},
}};

Json axes_json(const std::vector<Axis>& axes) {
  Json list = Json::array();
  for (const Axis& axis : axes)
    list.push_back({{"input", axis.input},
                    {"output", axis.output},
                    {"kernel", axis.kernel},
                    {"stride", axis.stride},
                    {"dilation", axis.dilation},
                    {"pad", axis.pad}});
  return list;
}

Json sum_json(const Sum& sum) {
  return {{"starts", sum.starts}, {"w_zero_points", sum.w_zero_points}, {"x_zero_point", sum.x_zero_point}};
}

Json requantizers_json(const std::vector<IntegerRequantizer>& channels) {
  Json m = Json::array(), addend = Json::array(), shift = Json::array(), exceptions = Json::array();
  for (std::size_t channel = 0; channel < channels.size(); ++channel) {
    m.push_back(channels[channel].m);
    addend.push_back(channels[channel].addend);
    shift.push_back(channels[channel].shift);
    for (const RequantizerException& exception : channels[channel].exceptions)
      exceptions.push_back(
          {{"channel", channel}, {"first", exception.first}, {"last", exception.last}, {"value", exception.value}});
  }
  const IntegerRange range = channels.empty() ? IntegerRange{} : channels.front().range;
  return {{"m", m},           {"addend", addend},  {"shift", shift},
          {"low", range.min}, {"high", range.max}, {"exceptions", exceptions}};
}

Json pair_json(const Pair& pair) {
  if (const auto* addition = std::get_if<IntegerAddition>(&pair)) {
    Json exceptions = Json::array();
    for (const PairException& exception : addition->exceptions)
      exceptions.push_back(
          {{"a", exception.a}, {"first", exception.first}, {"last", exception.last}, {"value", exception.value}});
    return {
        {"operation", "add"},         {"formula", "saturate((a * ma + b * mb + addend) >> shift), but on exceptions"},
        {"ma", addition->ma},         {"mb", addition->mb},
        {"addend", addition->addend}, {"shift", addition->shift},
        {"low", addition->range.min}, {"high", addition->range.max},
        {"exceptions", exceptions}};
  }
  const auto& product = std::get<Multiplication>(pair);
  return {{"operation", "multiply"},
          {"formula", "requantize((a - a_zero_point) * (b - b_zero_point))"},
          {"a_zero_point", product.a_zero_point},
          {"b_zero_point", product.b_zero_point},
          {"requantize", requantizers_json({product.requantize})}};
}

Json stage_json(const Stage& stage) {
  if (const auto* requantize = std::get_if<Requantize>(&stage)) {
    Json json = {{"stage", "requantize"},
                 {"formula",
                  "q = saturate((acc * m[c] + addend[c]) >> shift[c]), but on exceptions; one for all, or for "
                  "each output channel c; the shift rounds down"}};
    json.update(requantizers_json(requantize->channels));
    return json;
  }
  const auto& clamp = std::get<Clamp>(stage);
  return {{"stage", "clamp"}, {"formula", "q = clamp(q, low, high)"}, {"low", clamp.low}, {"high", clamp.high}};
}

Json epilogue_json(const Epilogue& epilogue) {
  Json stages = Json::array();
  for (const Stage& stage : epilogue) stages.push_back(stage_json(stage));
  return stages;
}

// What a kind of step has of its own.
struct OwnFields {
  const TensorNaming& name_of;

  Json operator()(const Convolution& step) const {
    return {{"batches", step.batches},           {"groups", step.groups},
            {"group_inputs", step.group_inputs}, {"group_outputs", step.group_outputs},
            {"axes", axes_json(step.axes)},      {"padding", step.padding},
            {"sum", sum_json(step.sum)},         {"epilogue", epilogue_json(step.epilogue)}};
  }
  Json operator()(const MatrixProduct& step) const {
    Json matrices = Json::array();
    for (const MatrixProduct::Offsets& offsets : step.matrices)
      matrices.push_back({{"x", offsets.x}, {"w", offsets.w}});
    return {{"rows", step.rows},           {"columns", step.columns},
            {"products", step.products},   {"x_row", step.x_row},
            {"x_product", step.x_product}, {"w_column", step.w_column},
            {"w_product", step.w_product}, {"matrices", matrices},
            {"sum", sum_json(step.sum)},   {"epilogue", epilogue_json(step.epilogue)}};
  }
  Json operator()(const Pairwise& step) const {
    return {{"a", name_of(step.a)},        {"b", name_of(step.b)},         {"a_strides", step.a_strides},
            {"b_strides", step.b_strides}, {"pair", pair_json(step.pair)}, {"epilogue", epilogue_json(step.epilogue)}};
  }
  Json operator()(const Average& step) const {
    return {{"batches", step.batches},
            {"channels", step.channels},
            {"pixels", step.pixels},
            {"channel_stride", step.channel_stride},
            {"pixel_stride", step.pixel_stride},
            {"start", step.start},
            {"epilogue", epilogue_json(step.epilogue)}};
  }
  Json operator()(const Maximum& step) const {
    return {{"planes", step.planes},
            {"axes", axes_json(step.axes)},
            {"lowest", step.lowest},
            {"epilogue", epilogue_json(step.epilogue)}};
  }
  Json operator()(const Concatenation& step) const {
    Json parts = Json::array();
    for (const Concatenation::Part& part : step.parts)
      parts.push_back({{"x", name_of(part.x)}, {"length", part.length}, {"table", part.table}});
    return {{"rows", step.rows}, {"parts", parts}};
  }
  Json operator()(const Selection& step) const {
    const auto operand = [&](const Selection::Operand& of) {
      return Json{{"x", name_of(of.x)}, {"strides", of.strides}, {"table", of.table}};
    };
    return {{"condition", name_of(step.condition)},
            {"condition_strides", step.condition_strides},
            {"then", operand(step.a)},
            {"else", operand(step.b)}};
  }
  Json operator()(const integer::Table& step) const { return {{"tables", Json::array({step.table})}}; }
  Json operator()(const ChannelTables& step) const { return {{"run", step.run}, {"tables", step.tables}}; }
  Json operator()(const Move& step) const {
    Json boxes = Json::array();
    for (const Box& box : step.boxes)
      boxes.push_back({{"source", box.source ? Json(name_of(*box.source)) : Json()},
                       {"begin", box.begin},
                       {"shape", box.shape},
                       {"offset", box.offset},
                       {"strides", box.strides}});
    return {{"fill", step.fill}, {"boxes", boxes}};
  }
};

struct Reads {
  std::vector<TensorId> operator()(const Convolution& step) const { return {step.x, step.w}; }
  std::vector<TensorId> operator()(const MatrixProduct& step) const { return {step.x, step.w}; }
  std::vector<TensorId> operator()(const Pairwise& step) const { return {step.a, step.b}; }
  std::vector<TensorId> operator()(const Selection& step) const { return {step.condition, step.a.x, step.b.x}; }
  std::vector<TensorId> operator()(const Concatenation& step) const {
    std::vector<TensorId> read;
    for (const Concatenation::Part& part : step.parts) read.push_back(part.x);
    return read;
  }
  std::vector<TensorId> operator()(const Move& step) const {
    std::vector<TensorId> read = step.sources;
    for (const Box& box : step.boxes)
      if (box.source) read.push_back(*box.source);
    return read;
  }
  template <typename OneInput>
  std::vector<TensorId> operator()(const OneInput& step) const {
    return {step.x};
  }
};

}  // namespace

std::string_view kind_of(const Task& task) { return kKinds[task.index()].kind; }

std::vector<TensorId> read_by(const Task& task) {
  std::vector<TensorId> read;
  for (const TensorId tensor : std::visit(Reads{}, task))
    if (std::ranges::find(read, tensor) == read.end()) read.push_back(tensor);
  return read;
}

TensorId made_by(const Task& task) {
  return std::visit([](const auto& step) { return step.y; }, task);
}

Json step_json(const IntegerStep& step, const TensorNaming& name_of) {
  Json reads = Json::array();
  for (const TensorId tensor : read_by(step.task)) reads.push_back(name_of(tensor));
  Json json = {{"name", step.name},
               {"kind", kind_of(step.task)},
               {"formula", kKinds[step.task.index()].formula},
               {"reads", reads},
               {"makes", name_of(made_by(step.task))}};
  json.update(std::visit(OwnFields{name_of}, step.task));
  return json;
}

}  // namespace octet
