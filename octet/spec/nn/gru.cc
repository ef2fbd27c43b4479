// gru.cc: the meaning of GRU. Gates in the order z, r, h:
//
//   z = f( x[t] * Wz^T + h[t-1] * Rz^T + wbz + rbz )
//   r = f( x[t] * Wr^T + h[t-1] * Rr^T + wbr + rbr )
//   n = g( x[t] * Wh^T + (r . h[t-1]) * Rh^T + wbh + rbh )             linear_before_reset = 0
//   n = g( x[t] * Wh^T + r . (h[t-1] * Rh^T + rbh) + wbh )             linear_before_reset = 1
//   h[t] = (1 - z) . n + z . h[t-1]
//
// in the type of x (float32 for the half types); f is Sigmoid and g Tanh unless said otherwise, their arguments within
// [-clip, clip]. recurrent.h says what y, y_h, directions, layouts and sequence lengths are.
#include "octet/base/visit.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/recurrent.h"

namespace octet {
namespace {

const RecurrentKind& gru_kind() {
  static const RecurrentKind kKind = {.gates = 3,
                                      .activations = {"Sigmoid", "Tanh"},
                                      .types = "gru_c1",
                                      .shapes = "gru_c2",
                                      .attributes = "gru_c3",
                                      .lengths = "gru_c4"};
  return kKind;
}

void infer_gru(Inference& i) { infer_recurrent(i, gru_kind()); }

template <typename T>
void run_gru(Call& call, std::int64_t direction) {
  const RecurrentSize size = recurrent_size(call);
  const std::int64_t hidden = size.hidden;
  const std::vector<Activation> activations = direction_activations(call, gru_kind(), direction);
  const Activation &f = activations[0], &g = activations[1];
  const Clip<T> clip(call.attributes());
  const bool linear_before_reset = call.attributes().get_int("linear_before_reset", 0) != 0;
  DirectionWalk<T> walk(call, linear_before_reset ? std::vector<std::int64_t>{3} : std::vector<std::int64_t>{2, 1},
                        direction);
  const T *wb = walk.w_bias(), *rb = walk.r_bias();
  const std::int64_t width = (linear_before_reset ? 3 : 2) * hidden;
  std::vector<T> z(static_cast<std::size_t>(size.batch * hidden)), reset = z,
                                                                   candidates(static_cast<std::size_t>(hidden));

  for (std::int64_t step = 0; step < size.steps; ++step) {
    walk.enter(step);
    const T* gates = walk.recur(walk.h(0), 0);
    // r, and what it lets through: r . h, or r . (h * Rh^T + rbh).
    for (std::int64_t b = 0; b < size.batch; ++b) {
      if (!walk.runs(b)) continue;
      const T *x = walk.x(b), *h = walk.h(b), *gate = gates + b * width;
      T *update = z.data() + b * hidden, *r = reset.data() + b * hidden;
      for_each_unit<T>(hidden, [=](std::int64_t n) {
        update[n] = clip(x[n] + gate[n] + (wb[n] + rb[n]));
        r[n] = clip(x[hidden + n] + gate[hidden + n] + (wb[hidden + n] + rb[hidden + n]));
      });
      f.apply(update, hidden);
      f.apply(r, hidden);
      if (linear_before_reset)
        for_each_unit<T>(hidden, [=](std::int64_t n) { r[n] = r[n] * (gate[2 * hidden + n] + rb[2 * hidden + n]); });
      else
        for_each_unit<T>(hidden, [=](std::int64_t n) { r[n] = r[n] * h[n]; });
    }
    const T* through = linear_before_reset ? reset.data() : walk.recur(reset.data(), 1);
    for (std::int64_t b = 0; b < size.batch; ++b) {
      if (!walk.runs(b)) continue;
      const T *x = walk.x(b) + 2 * hidden, *passed = through + b * hidden, *update = z.data() + b * hidden;
      const T *w_bias = wb + 2 * hidden, *r_bias = rb + 2 * hidden;
      T *h = walk.h(b), *candidate = candidates.data();
      if (linear_before_reset)
        for_each_unit<T>(hidden, [=](std::int64_t n) { candidate[n] = clip(x[n] + passed[n] + w_bias[n]); });
      else
        for_each_unit<T>(hidden,
                         [=](std::int64_t n) { candidate[n] = clip(x[n] + passed[n] + (w_bias[n] + r_bias[n])); });
      g.apply(candidate, hidden);
      for_each_unit<T>(hidden, [=](std::int64_t n) { h[n] = (1 - update[n]) * candidate[n] + update[n] * h[n]; });
    }
    walk.leave();
  }
  walk.finish();
}

void compute_gru(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() {
    for (std::int64_t direction = 0; direction < recurrent_size(call).directions; ++direction)
      run_gru<T>(call, direction);
  });
}

}  // namespace

const Operator ops::kGRU = {
    .name = "GRU",
    .versions = {1, 3, 7, 14, 22},
    .formula = "h[t] = (1 - z) . n + z . h[t-1]",
    .constraints = {{"gru_c1", "x, w, r, b and initial_h have the same floating-point type"},
                    {"gru_c2", "x, w, r, b and initial_h have the shapes that steps, batch and sizes ask for"},
                    {"gru_c3", "direction, layout, hidden_size and activations are the standard's and fit r"},
                    {"gru_c4", "sequence_lens is int32, [batch], each in [0, steps]"}},
    .infer = infer_gru,
    .compute = compute_gru,
    .traits = {Trait::kManyTerms},
    .macs = MacRule::kRecurrent,
};

}  // namespace octet
