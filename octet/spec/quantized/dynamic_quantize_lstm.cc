// dynamic_quantize_lstm.cc: the meaning of com.microsoft DynamicQuantizeLSTM.
//
//   x', x_scale, x_zero_point = DynamicQuantizeLinear(x)               of all steps of a direction together
//   h', h_scale, h_zero_point = DynamicQuantizeLinear(h[t-1])          of the whole batch, at every step
//   g = f32(x' * W) * (x_scale * W_scale) + f32(h' * R) * (h_scale * R_scale)        sums as in integer_matmul.h
//   i = f( (gi + Pi . c[t-1]) + bi ),  f = f( (gf + Pf . c[t-1]) + bf ) or 1 - i,  n = g( gc + bc )
//   c[t] = c[t-1] . f + i . n,         o = f( (go + Po . c[t]) + bo ),             h[t] = o . h( c[t] )
//
// in float32, every operation rounded; b is the sum of the two biases. Gates, directions, sequence lengths, activations,
// clip and input_forget are LSTM's. W is [directions, input, 4 H], R is [directions, H, 4 H]. Of a sequence that has ended,
// h counts as 0 in the range of h', and what x holds beyond it in that of x', up to the longest sequence: as ONNX Runtime
// does, on one thread and where y is asked for.
//
//   dynamic_quantize_lstm_c1  x, b, initial_h, initial_c, p and the scales are float32; W and R are int8 or uint8, each zero
//                             point has its weights' type.
//   dynamic_quantize_lstm_c2  x, W, R, b, initial_h, initial_c and p have the shapes that steps, batch and sizes ask for.
//   dynamic_quantize_lstm_c3  direction, hidden_size and activations are the standard's and fit R; there is no layout.
//   dynamic_quantize_lstm_c4  sequence_lens is int32, [batch], each in [0, steps].
//   dynamic_quantize_lstm_c5  scales are [directions] or [directions, 4 H], and so are zero points, those of one direction
//                             all equal.
#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "octet/spec/quantized/integer_matmul.h"
#include "octet/spec/support/recurrent.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

struct QuantizedLstmInput {
  enum Index : std::size_t { kX, kW, kR, kBias, kLengths, kH, kC, kPeepholes, kWScale, kWZero, kRScale, kRZero };
};

const RecurrentKind& quantized_lstm_kind() {
  static const RecurrentKind kKind = {.gates = 4,
                                      .activations = {"Sigmoid", "Tanh", "Tanh"},
                                      .types = "dynamic_quantize_lstm_c1",
                                      .shapes = "dynamic_quantize_lstm_c2",
                                      .attributes = "dynamic_quantize_lstm_c3",
                                      .lengths = "dynamic_quantize_lstm_c4",
                                      .integer_weights = true};
  return kKind;
}

void require_gate_parameter(const Inference& i, std::size_t input, const Dim& directions, const Dim& columns) {
  constexpr std::string_view kLabel = "dynamic_quantize_lstm_c5";
  if (i.has_shape(input)) {
    const SymbolicShape& found = i.shape(input);
    const bool each = found.size() == 2 && !surely_different(found[1], columns);
    if ((found.size() != 1 && !each) || surely_different(found[0], directions))
      fail_constraint(kLabel, "input {} is {}, wanted [{}] or [{},{}]", input, to_string(found), to_string(directions),
                      to_string(directions), to_string(columns));
  }
  const Tensor* known = i.constant(input);
  if (known == nullptr || is_float(known->dtype()) || known->size() == 0) return;
  const std::int64_t row = known->size() / known->shape()[0];
  for (std::int64_t k = 0; k < known->size(); ++k)
    if (known->int_at(k) != known->int_at(k / row * row))
      fail_constraint(kLabel, "input {} holds {} and {} for one direction, wanted one zero point", input,
                      known->int_at(k / row * row), known->int_at(k));
}

void infer_dynamic_quantize_lstm(Inference& i) {
  using enum QuantizedLstmInput::Index;
  constexpr std::string_view kTypes = "dynamic_quantize_lstm_c1";
  require_dtype(i, kX, DType::kFloat, kTypes);
  const SymbolicShape state = infer_recurrent(i, quantized_lstm_kind());
  for (const std::size_t weights : {kW, kR}) require_8bit(i, weights, kTypes);
  for (const std::size_t parameter : {kWScale, kWZero, kRScale, kRZero}) i.input(parameter);
  for (const std::size_t real : {kC, kPeepholes, kWScale, kRScale}) require_dtype(i, real, DType::kFloat, kTypes);
  require_dtype(i, kWZero, i.dtype(kW), kTypes);
  require_dtype(i, kRZero, i.dtype(kR), kTypes);
  require_shape(i, kC, state, "dynamic_quantize_lstm_c2");
  require_shape(i, kPeepholes, {state[0], state[2] * 3}, "dynamic_quantize_lstm_c2");
  for (const std::size_t parameter : {kWScale, kWZero, kRScale, kRZero})
    require_gate_parameter(i, parameter, state[0], state[2] * 4);
  i.set_output(2, DType::kFloat, state);
}

// The weights of one direction, ready to be multiplied.
class GateWeights {
 public:
  GateWeights(const Call& call, std::size_t weights, std::size_t scale, std::size_t zero_point, std::int64_t direction)
      : matrix_(call.input(weights).dtype(), {call.input(weights).shape()[1], call.input(weights).shape()[2]}) {
    const auto all = call.input(weights).bytes();
    const std::size_t bytes = all.size() / static_cast<std::size_t>(call.input(weights).shape()[0]);
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(bytes) * direction, bytes, matrix_.mutable_bytes().begin());
    const std::span<const float> scales = call.input(scale).as<float>();
    const std::size_t each = scales.size() / static_cast<std::size_t>(call.input(scale).shape()[0]);
    scales_.assign(scales.begin() + static_cast<std::ptrdiff_t>(each) * direction,
                   scales.begin() + static_cast<std::ptrdiff_t>(each) * (direction + 1));
    const Tensor& zeros = call.input(zero_point);
    const std::int64_t zero = zeros.int_at(direction * (zeros.size() / zeros.shape()[0]));
    lines_ = lines_of(matrix_, Line::kColumn, {{static_cast<std::int32_t>(zero)}, {}});
  }

  // gates[i, o] = f32((quantized rows) * W) * (scale * W_scale[o]), added to what is there where `add` says so.
  void multiply(const Call& call, std::span<const float> rows, float* gates, bool add) const {
    const std::int64_t depth = matrix_.shape()[0], columns = matrix_.shape()[1];
    const std::int64_t count = depth == 0 ? 0 : static_cast<std::int64_t>(rows.size()) / depth;
    Tensor quantized = Tensor::uninitialized(DType::kUint8, {count, depth});
    const Quantization quantization =
        dynamic_quantize_linear(rows, quantized.mutable_as<std::uint8_t>(), call.arithmetic().rounding);
    multiply_integers(MatMulLayout(quantized.shape(), matrix_.shape()),
                      lines_of(quantized, Line::kRow, {{quantization.zero_point}, {}}), lines_, {}, call.arithmetic(),
                      call.parallel(), [&](std::int64_t, std::int64_t m, std::span<const std::int32_t> accumulators) {
                        for (std::int64_t n = 0; n < columns; ++n) {
                          const float scaled = static_cast<float>(accumulators[static_cast<std::size_t>(n)]) *
                                               (quantization.scale * one_or(scales_, n));
                          float& gate = gates[m * columns + n];
                          gate = add ? gate + scaled : scaled;
                        }
                      });
  }

 private:
  Tensor matrix_;
  std::vector<float> scales_;
  IntegerLines lines_;
};

class QuantizedDirection {
 public:
  QuantizedDirection(Call& call, std::int64_t direction)
      : call_(call),
        size_(recurrent_size(call)),
        direction_(direction),
        backward_(direction == 1 || call.attributes().get_string("direction", "forward") == "reverse"),
        lengths_(static_cast<std::size_t>(size_.batch), size_.steps),
        h_(DType::kFloat, {size_.batch, size_.hidden}),
        c_(DType::kFloat, {size_.batch, size_.hidden}) {
    using enum QuantizedLstmInput::Index;
    if (call.has(kLengths)) lengths_ = call.input(kLengths).to_ints();
    for (const std::int64_t length : lengths_) steps_ = std::max(steps_, length);
    for (const auto& [input, state] : {std::pair(kH, &h_), std::pair(kC, &c_)})
      if (call.has(input))
        for (std::int64_t b = 0; b < size_.batch; ++b)
          std::copy_n(call.input(input).as<float>().data() + state_offset(call, direction, b), size_.hidden,
                      state->mutable_as<float>().data() + b * size_.hidden);
    const std::int64_t width = 4 * size_.hidden;
    bias_.resize(static_cast<std::size_t>(width));
    if (call.has(kBias)) {
      const float* both = call.input(kBias).as<float>().data() + direction * 2 * width;
      for (std::int64_t n = 0; n < width; ++n) bias_[static_cast<std::size_t>(n)] = both[n] + both[width + n];
    }
    cells_.resize(static_cast<std::size_t>(width));
    peepholes_.resize(static_cast<std::size_t>(3 * size_.hidden));
    if (call.has(kPeepholes))
      std::copy_n(call.input(kPeepholes).as<float>().data() + direction * 3 * size_.hidden, 3 * size_.hidden,
                  peepholes_.begin());
  }

  void run() {
    using enum QuantizedLstmInput::Index;
    if (size_.batch == 0) return;
    const std::int64_t width = 4 * size_.hidden;
    const Tensor x = ordered_x();
    Tensor gates(DType::kFloat, {steps_ * size_.batch, width});
    float* all = gates.mutable_as<float>().data();
    GateWeights(call_, kW, kWScale, kWZero, direction_).multiply(call_, x.as<float>(), all, false);
    const GateWeights recurrent(call_, kR, kRScale, kRZero, direction_);
    const std::vector<Activation> activations = direction_activations(call_, quantized_lstm_kind(), direction_);
    Tensor before = h_;
    for (std::int64_t step = 0; step < steps_; ++step) {
      float* g = all + step * size_.batch * width;
      recurrent.multiply(call_, before.as<float>(), g, true);
      float* next = before.mutable_as<float>().data();
      for (std::int64_t b = 0; b < size_.batch; ++b) {
        float* row = next + b * size_.hidden;
        if (step < lengths_[static_cast<std::size_t>(b)])
          compute_cells(activations, g + b * width, b, row, step);
        else
          std::fill_n(row, size_.hidden, 0.0F);
      }
    }
    write_state(1, h_);
    write_state(2, c_);
  }

 private:
  // x in the order in which the direction walks it, [steps, batch, input].
  Tensor ordered_x() const {
    Tensor ordered(DType::kFloat, {steps_ * size_.batch, size_.input});
    const float* from = call_.input(QuantizedLstmInput::kX).as<float>().data();
    float* to = ordered.mutable_as<float>().data();
    for (std::int64_t step = 0; step < steps_; ++step)
      for (std::int64_t b = 0; b < size_.batch; ++b)
        std::copy_n(from + (time(b, step) * size_.batch + b) * size_.input, size_.input,
                    to + (step * size_.batch + b) * size_.input);
    return ordered;
  }

  std::int64_t time(std::int64_t sequence, std::int64_t step) const {
    const std::int64_t length = lengths_[static_cast<std::size_t>(sequence)];
    return backward_ && step < length ? length - 1 - step : step;
  }

  void compute_cells(const std::vector<Activation>& activations, const float* g, std::int64_t b, float* next,
                     std::int64_t step) {
    const std::int64_t hidden = size_.hidden;
    const Clip<float> clip(call_.attributes());
    const bool input_forget = call_.attributes().get_int("input_forget", 0) != 0;
    const Activation &f = activations[0], &n = activations[1], &output = activations[2];
    float* h = h_.mutable_as<float>().data() + b * hidden;
    float* c = c_.mutable_as<float>().data() + b * hidden;
    float* y = call_.wants(0) ? call_.output(0).mutable_as<float>().data() : nullptr;
    if (y) y += ((time(b, step) * size_.directions + direction_) * size_.batch + b) * hidden;
    const auto gate = [=, this](std::int64_t index, const float* peep, float* to) {
      const float *sum = g + index * hidden, *bias = bias_.data() + index * hidden;
      for_each_unit<float>(hidden,
                           [=](std::int64_t k) { to[k] = clip(sum[k] + (peep ? peep[k] * c[k] : 0) + bias[k]); });
    };
    const float* peep = peepholes_.data();
    float *const in = cells_.data(), *const forget = in + hidden, *const now = forget + hidden,
                 *const out = now + hidden;
    gate(0, peep, in);
    f.apply(in, hidden);
    if (input_forget) {
      for_each_unit<float>(hidden, [=](std::int64_t k) { forget[k] = 1 - in[k]; });
    } else {
      gate(2, peep + 2 * hidden, forget);
      f.apply(forget, hidden);
    }
    gate(3, nullptr, now);
    n.apply(now, hidden);
    for_each_unit<float>(hidden, [=](std::int64_t k) { c[k] = c[k] * forget[k] + in[k] * now[k]; });
    gate(1, peep + hidden, out);
    f.apply(out, hidden);
    std::copy_n(c, hidden, now);
    output.apply(now, hidden);
    for_each_unit<float>(hidden, [=](std::int64_t k) { h[k] = out[k] * now[k]; });
    std::copy_n(h, hidden, next);
    if (y) std::copy_n(h, hidden, y);
  }

  void write_state(std::size_t output, const Tensor& state) {
    if (!call_.wants(output)) return;
    float* to = call_.output(output).mutable_as<float>().data();
    for (std::int64_t b = 0; b < size_.batch; ++b)
      std::copy_n(state.as<float>().data() + b * size_.hidden, size_.hidden, to + state_offset(call_, direction_, b));
  }

  Call& call_;
  const RecurrentSize size_;
  std::int64_t direction_, steps_ = 0;  // the longest sequence
  bool backward_;
  std::vector<std::int64_t> lengths_;
  Tensor h_, c_;
  std::vector<float> bias_, peepholes_, cells_;  // the last: the gates of one sequence
};

void compute_dynamic_quantize_lstm(Call& call) {
  if (call.wants(0)) {
    const std::span<float> y = call.output(0).mutable_as<float>();
    std::fill(y.begin(), y.end(), 0.0F);
  }
  for (std::int64_t direction = 0; direction < recurrent_size(call).directions; ++direction)
    QuantizedDirection(call, direction).run();
}

}  // namespace

const Operator ops::kDynamicQuantizeLSTM = {
    .name = "DynamicQuantizeLSTM",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "LSTM with x * W and h[t-1] * R as DynamicQuantizeMatMul computes them",
    .constraints =
        {{"dynamic_quantize_lstm_c1",
          "x, b, initial_h, initial_c, p and the scales are float32; W and R are int8 or uint8, each zero point has "
          "its "
          "weights' type"},
         {"dynamic_quantize_lstm_c2",
          "x, W, R, b, initial_h, initial_c and p have the shapes that steps, batch and sizes ask for"},
         {"dynamic_quantize_lstm_c3",
          "direction, hidden_size and activations are the standard's and fit R; there is no layout"},
         {"dynamic_quantize_lstm_c4", "sequence_lens is int32, [batch], each in [0, steps]"},
         {"dynamic_quantize_lstm_c5",
          "scales are [directions] or [directions, 4 H], and so are zero points, those of one direction all equal"}},
    .infer = infer_dynamic_quantize_lstm,
    .compute = compute_dynamic_quantize_lstm,
    .traits = {Trait::kManyTerms},
    .macs = MacRule::kRecurrent,
};

}  // namespace octet
