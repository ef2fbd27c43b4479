// recurrent.h: what LSTM, GRU and RNN share: directions, layouts, sequences of unequal length, and the two products.
//
//   x[t] * W^T + wb        h * R^T + rb              for each direction; G gates, [G * H, ...] each
//
// A direction walks the steps of each sequence, backward for reverse and for the second of bidirectional. Sequence b of
// the batch has sequence_lens[b] steps; beyond them y is 0 and the state stays what it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/vectorize.h"
#include "octet/spec/operator.h"
#include "octet/spec/support/activation.h"
#include "octet/spec/support/product.h"

namespace octet {

// An operator of the family.
struct RecurrentKind {
  std::int64_t gates;
  std::vector<std::string> activations;  // of one direction, when the model does not give them
  // Labels: types; shapes; direction, layout, hidden_size and activations; sequence_lens.
  std::string_view types, shapes, attributes, lengths;
  // w and r are 8-bit integers, whose types the operator checks, and each direction is [size, G * H] instead of
  // [G * H, size]; there is no layout.
  bool integer_weights = false;
};

// Checks inputs 0 to 5, x, w, r, b, sequence_lens and initial_h, and sets outputs 0 and 1, y and y_h. Returns the shape
// of a state (y_h's) as far as it is known.
SymbolicShape infer_recurrent(Inference& i, const RecurrentKind& kind);

struct RecurrentSize {
  std::int64_t directions, steps, batch, input, hidden;
};
RecurrentSize recurrent_size(const Call& call);

// The activations of one direction.
std::vector<Activation> direction_activations(const Call& call, const RecurrentKind& kind, std::int64_t direction);

// Where state (direction, sequence) of initial_h, initial_c, y_h and y_c begins.
std::int64_t state_offset(const Call& call, std::int64_t direction, std::int64_t sequence);

// x within [-clip, clip]; unchanged without the attribute.
template <typename T>
class Clip {
 public:
  explicit Clip(const Attributes& attributes)
      : limited_(attributes.has("clip")), limit_(static_cast<T>(attributes.get_float("clip", 0))) {}
  T operator()(T x) const {
    if (!limited_) return x;
    return x < -limit_ ? -limit_ : (x > limit_ ? limit_ : x);
  }

 private:
  bool limited_;
  T limit_;
};

// f(n) for n in [0, hidden), vectorized where T is float. f holds what it reads by value.
template <typename T, typename F>
void for_each_unit(std::int64_t hidden, F f) {
  vectorized_float<T>([=] {
    for (std::int64_t n = 0; n < hidden; ++n) f(n);
  });
}

// One direction of one call, step by step:
//
//   for (k = 0; k < steps; ++k) {
//     walk.enter(k);
//     for each sequence b with walk.runs(b): read walk.x(b), walk.h(b), products; write walk.h(b)
//     walk.leave();
//   }
//   walk.finish();
template <typename T>
class DirectionWalk {
 public:
  // `groups` are the numbers of neighbouring gates that are multiplied at once.
  DirectionWalk(Call& call, const std::vector<std::int64_t>& groups, std::int64_t direction);

  void enter(std::int64_t step);
  bool runs(std::int64_t sequence) const { return step_ < lengths_[static_cast<std::size_t>(sequence)]; }

  // x[t] * W^T of the current step, [G * H], without bias.
  const T* x(std::int64_t sequence) const;
  // The state, [H]; `h` of sequence 0 is followed by the others.
  T* h(std::int64_t sequence) { return h_.data() + sequence * size_.hidden; }
  // rows * R^T for the gates of a group, rows being [batch, H]: [batch, gates * H], without bias. Valid until the next call
  // for that group.
  const T* recur(const T* rows, std::size_t group);
  // The biases, [G * H]; zeros when the model has none.
  const T* w_bias() const { return bias_.data(); }
  const T* r_bias() const { return bias_.data() + bias_.size() / 2; }

  void leave();   // writes y of the step
  void finish();  // writes y_h

 private:
  std::int64_t time(std::int64_t sequence, std::int64_t step) const;
  void project(std::int64_t first_step);

  Call& call_;
  RecurrentSize size_;
  std::int64_t gates_, direction_;
  bool batch_first_, backward_;
  std::vector<std::int64_t> lengths_;
  std::int64_t step_ = 0;
  PackedMatrix<T> w_;
  std::vector<PackedMatrix<T>> r_;           // of each group
  std::vector<std::vector<T>> recurrences_;  // of each group
  std::vector<T> bias_, h_;
  std::int64_t projected_from_ = 0, projected_to_ = 0;  // steps whose x * W^T is in projected_
  std::vector<T> projected_;
};

}  // namespace octet
