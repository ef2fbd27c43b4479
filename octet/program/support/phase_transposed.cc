// phase_transposed.cc: ConvTranspose as a convolution, so that whatever fuses one fuses the other. With strides s, output
// o + pad = s q + r is, in each of its phases r, a sum over the taps r, r + s, ... alone:
//
//   y[m, s q + r - pad] = Sum_c Sum_j w[c, m, r + s j] x[c, q - j],     j < ceil(k / s)
//
// a convolution with as many channels for each m as there are phases, whose results then stand side by side: moves of
// elements, behind the Relu or Clip if there is one. Taps that a phase lacks are 0, and so are whole phases where strides
// exceed the kernel: up to fifteen such products for each one that was there.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "octet/program/support/sum_limits.h"
#include "octet/program/support/weighted.h"
#include "octet/spec/operators.h"
#include "octet/spec/window.h"

namespace octet {
namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// The next index of a box; false behind the last.
bool next_index(Sizes& index, const Sizes& sizes) {
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

std::int64_t row_major(const Sizes& index, const Sizes& sizes) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) at = at * sizes[d] + index[d];
  return at;
}

// Each element so many times in a row.
Tensor repeated(const Tensor& tensor, std::int64_t times) {
  Tensor result(tensor.dtype(), {tensor.size() * times});
  const std::size_t size = size_of(tensor.dtype());
  for (std::size_t k = 0; k < static_cast<std::size_t>(result.size()); ++k)
    std::copy_n(tensor.bytes().begin() + static_cast<std::ptrdiff_t>(k / static_cast<std::size_t>(times) * size), size,
                result.mutable_bytes().begin() + static_cast<std::ptrdiff_t>(k * size));
  return result;
}

class Phases {
 public:
  Phases(Draft& draft, std::size_t index)
      : draft_(draft),
        index_(index),
        node_(draft.node(index)),
        x_(whole_operand_at(draft, node_, 0)),
        w_(operand_at(draft, node_, 1)),
        group_(node_.attributes.get_int("group", 1)) {
    require_8bit(w_, "weights");
    if (!draft.constant(w_.integers)) throw NotFused{fmt::format("the weights {} are computed", w_.integers)};
    require_channel_axis(draft, w_, 1);
    if (w_.axis && group_ != 1) throw NotFused{"groups, and a scale for each channel of one"};
    if (std::any_of(w_.zero_points.begin(), w_.zero_points.end(), [&](auto z) { return z != w_.zero_points[0]; }))
      throw NotFused{fmt::format("{} has zero points that differ", w_.integers)};
    measure();
    require_integer_sum();
  }

  void rewrite() {
    Node conv{
        .name = node_.name, .op_type = "Conv", .inputs = {node_.inputs[0], add_weights()}, .outputs = node_.outputs};
    if (has_bias()) conv.inputs.push_back(add_bias());
    Sizes pads = before_;
    pads.insert(pads.end(), behind_.begin(), behind_.end());
    conv.attributes.set("kernel_shape", taps_);
    conv.attributes.set("pads", pads);
    conv.attributes.set("group", group_);
    DraftStep step = draft_.step(index_);
    step.nodes = {std::move(conv)};
    draft_.replace(index_, std::move(step));
    arrange();
  }

 private:
  bool has_bias() const { return node_.inputs.size() > 2 && !node_.inputs[2].empty(); }

  void measure() {
    const auto fact = draft_.proven().find(node_.inputs[0]);
    const std::optional<Shape> x =
        fact != draft_.proven().end() && fact->second.shape && fact->second.shape->size() > 2
            ? concrete(SymbolicShape(fact->second.shape->begin() + 2, fact->second.shape->end()))
            : std::nullopt;
    if (!x) throw NotFused{fmt::format("the size of {} is not known", node_.inputs[0])};
    const Shape& w = draft_.constant(w_.integers)->shape();
    outputs_ = w[1] * group_;
    kernel_.assign(w.begin() + 2, w.end());
    const Window window = resolve_transposed_window(node_.attributes, symbolic(*x), kernel_, "");
    strides_ = window.strides;
    require_few_zeros();
    for (std::size_t d = 0; d < x->size(); ++d) {
      if (window.dilations[d] != 1) throw NotFused{"a ConvTranspose with dilations"};
      if (window.pads_begin[d] < 0) throw NotFused{"a ConvTranspose with negative pads"};
      const std::int64_t s = strides_[d], taps = (kernel_[d] + s - 1) / s,
                         end = window.pads_begin[d] + window.output[d].value();
      const std::int64_t rows =
          std::max((*x)[d] + taps - 1, (end + s - 1) / s);  // those that output_padding asks for, too
      taps_.push_back(taps);
      before_.push_back(taps - 1);
      behind_.push_back(rows - (*x)[d]);
      rows_.push_back(rows);
      first_.push_back(window.pads_begin[d]);
      end_.push_back(end);
    }
    phases_ = product(strides_);
  }

  // Phases that the kernel does not reach are zeros, and so are the taps that a phase lacks.
  void require_few_zeros() const {
    constexpr std::int64_t kMostTimes = 16;  // as many weights as there are
    const std::int64_t most = kMostTimes * product(kernel_);
    std::int64_t all = 1;
    for (std::size_t d = 0; d < strides_.size(); ++d) {
      const std::int64_t s = strides_[d];
      if (s <= most) all *= (kernel_[d] + s - 1) / s * s;
      if (s > most || all > most) throw NotFused{"a ConvTranspose with strides far beyond its kernel"};
    }
  }

  // A QuantizeLinear alone reads the sum, perhaps through a clamp, and the moves come behind it: before it they would be of
  // float results, which are those of other sums. And whatever keeps the convolution from being requantized at once, it must
  // become a sum of integers that is scaled to float: as a float convolution it would be another sum, too.
  void require_integer_sum() const {
    std::optional<std::size_t> reader = draft_.only_reader(node_.outputs[0]);
    if (reader && is_clamp(draft_, *reader)) reader = draft_.only_reader(draft_.node(*reader).outputs[0]);
    const std::optional<Result> result = reader ? result_at(draft_, *reader) : std::nullopt;
    if (!result) throw NotFused{"no QuantizeLinear alone follows: its result is wanted in float"};
    for (const Result* wanted : {static_cast<const Result*>(nullptr), &*result}) {
      require_sums_in_float(Policy::kExact, x_, w_, 1, wanted);
      require_exact_sums(draft_, node_, x_, w_, "", wanted);
    }
    std::vector<Operand> operands;
    float_bias(draft_, node_, outputs_, operands);
  }

  std::string add_dequantize(const Operand& operand, const Tensor& integers, std::int64_t times) {
    const std::string result = draft_.new_name(operand.integers + "_phases_float");
    Node node{.name = result, .op_type = "DequantizeLinear", .inputs = {}, .outputs = {result}};
    node.inputs = {draft_.add_constant(operand.integers + "_phases", integers), operand.scale_name};
    if (!operand.zero_point_name.empty()) node.inputs.push_back(operand.zero_point_name);
    if (operand.scales.size() != 1) {
      node.attributes.set("axis", std::int64_t{0});
      for (std::size_t i = 1; i < node.inputs.size(); ++i)
        node.inputs[i] =
            draft_.add_constant(node.inputs[i] + "_phases", repeated(*draft_.constant(node.inputs[i]), times));
    }
    draft_.set_dtype(result, DType::kFloat);
    draft_.insert_after(operand.step, {.kind = StepKind::kDequantize,
                                       .name = result,
                                       .nodes = {std::move(node)},
                                       .sources = draft_.sources(operand.step),
                                       .reason = {},
                                       .warnings = {}});
    return result;
  }

  // [C, M/group, k...] as [M phases, C/group, taps...], taps from the last to the first.
  std::string add_weights() {
    const Tensor& w = *draft_.constant(w_.integers);
    const std::int64_t inputs = w.shape()[0] / group_, outputs = w.shape()[1];
    Shape shape = {outputs_ * phases_, inputs};
    shape.insert(shape.end(), taps_.begin(), taps_.end());
    Tensor result(w.dtype(), shape);
    std::size_t to = 0;
    for (std::int64_t m = 0; m < outputs_; ++m) {
      Sizes phase(strides_.size(), 0);
      do {
        for (std::int64_t c = 0; c < inputs; ++c) {
          const std::int64_t channel = (m / outputs * inputs + c) * outputs + m % outputs;
          Sizes tap(taps_.size(), 0);
          do {
            Sizes from(tap.size());
            bool there = true;
            for (std::size_t d = 0; d < tap.size(); ++d) {
              from[d] = phase[d] + strides_[d] * (taps_[d] - 1 - tap[d]);
              there = there && from[d] < kernel_[d];
            }
            const std::int64_t value =
                there ? w.int_at(channel * product(kernel_) + row_major(from, kernel_)) : w_.zero_points[0];
            result.mutable_bytes()[to++] = static_cast<std::byte>(value);
          } while (next_index(tap, taps_));
        }
      } while (next_index(phase, strides_));
    }
    return add_dequantize(w_, result, phases_);
  }

  std::string add_bias() {
    if (const Tensor* real = draft_.constant(node_.inputs[2]))
      return draft_.add_constant(node_.inputs[2] + "_phases", repeated(*real, phases_));
    const Operand bias = operand_at(draft_, node_, 2);
    return add_dequantize(bias, repeated(*draft_.constant(bias.integers), phases_), phases_);
  }

  // [N, M phases, rows...] as [N, M, outputs...], behind a clamp that alone reads it.
  void arrange() {
    const Reshaped before = reshape_result(draft_, index_, "_phases");
    std::string value = before.now;
    std::size_t last = before.last;
    const auto add = [&](const char* op_type, const Sizes& numbers, const char* suffix) {
      const std::string result = draft_.new_name(before.was + suffix);
      DraftStep step{.kind = StepKind::kOther,
                     .name = result,
                     .nodes = {{.name = result, .op_type = op_type, .inputs = {value}, .outputs = {result}}},
                     .sources = draft_.sources(index_),
                     .reason = {},
                     .warnings = {}};
      if (!numbers.empty()) step.nodes[0].inputs.push_back(indices(suffix, numbers));
      draft_.set_dtype(result, DType::kFloat);
      draft_.insert_after(last, std::move(step));
      last = draft_.size() - 1;
      value = result;
    };
    const std::size_t d = strides_.size();
    if (phases_ != 1) {
      Sizes apart = {0, outputs_}, order = {0, 1}, together = {0, outputs_};
      apart.insert(apart.end(), strides_.begin(), strides_.end());
      apart.insert(apart.end(), rows_.begin(), rows_.end());
      for (std::size_t k = 0; k < d; ++k) {
        order.push_back(static_cast<std::int64_t>(2 + d + k));
        order.push_back(static_cast<std::int64_t>(2 + k));
        together.push_back(rows_[k] * strides_[k]);
      }
      add("Reshape", apart, "_apart");
      add("Transpose", {}, "_order");
      DraftStep turned = draft_.step(last);
      turned.nodes[0].attributes.set("perm", order);
      draft_.replace(last, std::move(turned));
      add("Reshape", together, "_together");
    }
    add("Slice", first_, "_part");
    Sizes axes(d);
    std::iota(axes.begin(), axes.end(), std::int64_t{2});
    DraftStep slice = draft_.step(last);
    slice.nodes[0].inputs.push_back(indices("_ends", end_));
    slice.nodes[0].inputs.push_back(indices("_axes", axes));
    slice.nodes[0].outputs = {before.was};
    draft_.replace(last, std::move(slice));
  }

  std::string indices(const std::string& suffix, const Sizes& numbers) {
    return draft_.add_constant(node_.outputs[0] + suffix + "_numbers",
                               Tensor::from<std::int64_t>({static_cast<std::int64_t>(numbers.size())}, numbers));
  }

  Draft& draft_;
  const std::size_t index_;
  const Node node_;
  const Operand x_, w_;
  const std::int64_t group_;
  std::int64_t outputs_ = 0, phases_ = 1;
  Sizes kernel_, strides_, taps_;
  Sizes before_, behind_;  // padding of the convolution
  Sizes rows_;             // of the convolution's result
  Sizes first_, end_;      // of those that are the output's
};

}  // namespace

void phase_transposed(Draft& draft) {
  if (draft.opset_of_new_nodes() < 10) return;  // Slice has its numbers as inputs from there on
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.is(i, ops::kConvTranspose)) continue;
    try {
      Phases(draft, i).rewrite();
    } catch (const NotFused& failed) {
      draft.decline(i, failed.why);
    }
  }
}

}  // namespace octet
