// rnn.cc: the meaning of RNN.
//
//   h[t] = f( x[t] * W^T + h[t-1] * R^T + wb + rb )
//
// in the type of x (float32 for the half types); f is Tanh unless said otherwise, its argument within [-clip, clip].
// recurrent.h says what y, y_h, directions, layouts and sequence lengths are.
#include "octet/base/visit.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/recurrent.h"

namespace octet {
namespace {

const RecurrentKind& rnn_kind() {
  static const RecurrentKind kKind = {.gates = 1,
                                      .activations = {"Tanh"},
                                      .types = "rnn_c1",
                                      .shapes = "rnn_c2",
                                      .attributes = "rnn_c3",
                                      .lengths = "rnn_c4"};
  return kKind;
}

void infer_rnn(Inference& i) { infer_recurrent(i, rnn_kind()); }

template <typename T>
void run_rnn(Call& call, std::int64_t direction) {
  const RecurrentSize size = recurrent_size(call);
  const Activation f = direction_activations(call, rnn_kind(), direction)[0];
  const Clip<T> clip(call.attributes());
  DirectionWalk<T> walk(call, {1}, direction);
  const T *wb = walk.w_bias(), *rb = walk.r_bias();
  for (std::int64_t step = 0; step < size.steps; ++step) {
    walk.enter(step);
    const T* recurrent = walk.recur(walk.h(0), 0);
    for (std::int64_t b = 0; b < size.batch; ++b) {
      if (!walk.runs(b)) continue;
      const T *x = walk.x(b), *r = recurrent + b * size.hidden;
      T* h = walk.h(b);
      for_each_unit<T>(size.hidden, [=](std::int64_t n) { h[n] = clip(x[n] + r[n] + (wb[n] + rb[n])); });
      f.apply(h, size.hidden);
    }
    walk.leave();
  }
  walk.finish();
}

void compute_rnn(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() {
    for (std::int64_t direction = 0; direction < recurrent_size(call).directions; ++direction)
      run_rnn<T>(call, direction);
  });
}

}  // namespace

const Operator ops::kRNN = {
    .name = "RNN",
    .versions = {1, 7, 14, 22},
    .formula = "h[t] = f(x[t] * W' + h[t-1] * R' + wb + rb)",
    .constraints = {{"rnn_c1", "x, w, r, b and initial_h have the same floating-point type"},
                    {"rnn_c2", "x, w, r, b and initial_h have the shapes that steps, batch and sizes ask for"},
                    {"rnn_c3", "direction, layout, hidden_size and activations are the standard's and fit r"},
                    {"rnn_c4", "sequence_lens is int32, [batch], each in [0, steps]"}},
    .infer = infer_rnn,
    .compute = compute_rnn,
    .macs = MacRule::kRecurrent,
};

}  // namespace octet
