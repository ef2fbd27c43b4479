// lstm.cc: the meaning of LSTM. Gates in the order i, o, f, c; peepholes P in the order i, o, f:
//
//   i = f( x[t] * Wi^T + h[t-1] * Ri^T + Pi . c[t-1] + wbi + rbi )
//   f = f( x[t] * Wf^T + h[t-1] * Rf^T + Pf . c[t-1] + wbf + rbf )         1 - i with input_forget = 1
//   n = g( x[t] * Wc^T + h[t-1] * Rc^T + wbc + rbc )
//   c[t] = f . c[t-1] + i . n
//   o = f( x[t] * Wo^T + h[t-1] * Ro^T + Po . c[t] + wbo + rbo )
//   h[t] = o . h( c[t] )
//
// in the type of x (float32 for the half types); f is Sigmoid, g and h are Tanh unless said otherwise. The arguments of
// f and g are within [-clip, clip]; that of h is not clipped, as in ONNX Runtime. recurrent.h says what y, y_h,
// directions, layouts and sequence lengths are; y_c is the last c.
#include "octet/base/visit.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/recurrent.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

const RecurrentKind& lstm_kind() {
  static const RecurrentKind kKind = {.gates = 4,
                                      .activations = {"Sigmoid", "Tanh", "Tanh"},
                                      .types = "lstm_c1",
                                      .shapes = "lstm_c2",
                                      .attributes = "lstm_c3",
                                      .lengths = "lstm_c4"};
  return kKind;
}

void infer_lstm(Inference& i) {
  const SymbolicShape state = infer_recurrent(i, lstm_kind());
  for (std::size_t input : {6U, 7U})
    if (i.has(input)) require_same_type(i, input, 0, "lstm_c1");
  require_shape(i, 6, state, "lstm_c2");
  const Dim directions = i.has_shape(1) ? i.shape(1)[0] : Dim();
  require_shape(i, 7, {directions, state[2] * 3}, "lstm_c2");
  i.set_output(2, i.dtype(0), state);
}

template <typename T>
void run_lstm(Call& call, std::int64_t direction) {
  const RecurrentSize size = recurrent_size(call);
  const std::int64_t hidden = size.hidden;
  const std::vector<Activation> activations = direction_activations(call, lstm_kind(), direction);
  const Activation &f = activations[0], &g = activations[1], &output = activations[2];
  const Clip<T> clip(call.attributes());
  const bool input_forget = call.attributes().get_int("input_forget", 0) != 0;
  DirectionWalk<T> walk(call, {4}, direction);
  const T *wb = walk.w_bias(), *rb = walk.r_bias();
  std::vector<T> peepholes(static_cast<std::size_t>(3 * hidden)), cells(static_cast<std::size_t>(size.batch * hidden)),
      gates(static_cast<std::size_t>(4 * hidden));
  if (call.has(7)) std::copy_n(call.input(7).as<T>().data() + direction * 3 * hidden, 3 * hidden, peepholes.begin());
  if (call.has(6))
    for (std::int64_t b = 0; b < size.batch; ++b)
      std::copy_n(call.input(6).as<T>().data() + state_offset(call, direction, b), hidden, cells.data() + b * hidden);
  const T *peep_i = peepholes.data(), *peep_o = peep_i + hidden, *peep_f = peep_o + hidden;
  T *const in = gates.data(), *const forget = in + hidden, *const now = forget + hidden, *const out = now + hidden;

  for (std::int64_t step = 0; step < size.steps; ++step) {
    walk.enter(step);
    const T* recurrent = walk.recur(walk.h(0), 0);
    for (std::int64_t b = 0; b < size.batch; ++b) {
      if (!walk.runs(b)) continue;
      T *h = walk.h(b), *c = cells.data() + b * hidden;
      const auto gate = [=, xs = walk.x(b), rs = recurrent + b * 4 * hidden](std::int64_t index, const T* peep, T* to) {
        const T *x = xs + index * hidden, *r = rs + index * hidden, *w_bias = wb + index * hidden,
                *r_bias = rb + index * hidden;
        if (peep)
          for_each_unit<T>(
              hidden, [=](std::int64_t n) { to[n] = clip(x[n] + r[n] + (w_bias[n] + r_bias[n]) + peep[n] * c[n]); });
        else
          for_each_unit<T>(hidden, [=](std::int64_t n) { to[n] = clip(x[n] + r[n] + (w_bias[n] + r_bias[n])); });
      };
      gate(0, peep_i, in);
      f.apply(in, hidden);
      if (input_forget) {
        for_each_unit<T>(hidden, [=](std::int64_t n) { forget[n] = 1 - in[n]; });
      } else {
        gate(2, peep_f, forget);
        f.apply(forget, hidden);
      }
      gate(3, nullptr, now);
      g.apply(now, hidden);
      for_each_unit<T>(hidden, [=](std::int64_t n) { c[n] = forget[n] * c[n] + in[n] * now[n]; });
      gate(1, peep_o, out);
      f.apply(out, hidden);
      std::copy_n(c, hidden, now);
      output.apply(now, hidden);
      for_each_unit<T>(hidden, [=](std::int64_t n) { h[n] = out[n] * now[n]; });
    }
    walk.leave();
  }
  walk.finish();
  if (!call.wants(2)) return;
  T* y_c = call.output(2).mutable_as<T>().data();
  for (std::int64_t b = 0; b < size.batch; ++b)
    std::copy_n(cells.data() + b * hidden, hidden, y_c + state_offset(call, direction, b));
}

void compute_lstm(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() {
    for (std::int64_t direction = 0; direction < recurrent_size(call).directions; ++direction)
      run_lstm<T>(call, direction);
  });
}

}  // namespace

const Operator ops::kLSTM = {
    .name = "LSTM",
    .versions = {1, 7, 14, 22},
    .formula = "c[t] = f . c[t-1] + i . g(...), h[t] = o . h(c[t])",
    .constraints = {{"lstm_c1", "x, w, r, b, initial_h, initial_c and p have the same floating-point type"},
                    {"lstm_c2",
                     "x, w, r, b, initial_h, initial_c and p have the shapes that steps, batch and sizes ask for"},
                    {"lstm_c3", "direction, layout, hidden_size and activations are the standard's and fit r"},
                    {"lstm_c4", "sequence_lens is int32, [batch], each in [0, steps]"}},
    .infer = infer_lstm,
    .compute = compute_lstm,
    .traits = {Trait::kManyTerms},
    .macs = MacRule::kRecurrent,
};

}  // namespace octet
