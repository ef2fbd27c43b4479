#include "octet/spec/support/recurrent.h"

#include <algorithm>
#include <numeric>

#include "octet/spec/check.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

// Rows of x multiplied by W at once: enough to keep the product busy, and a bound on the memory for it.
constexpr std::int64_t kRowsAtOnce = 64;

bool batch_first(const Attributes& attributes) { return attributes.get_int("layout", 0) != 0; }

std::int64_t directions_of(const Attributes& attributes, std::string_view label) {
  const std::string direction = attributes.get_string("direction", "forward");
  if (direction == "bidirectional") return 2;
  // "foward" is the default that opset 1 of GRU has, misspelt.
  if (direction == "forward" || direction == "reverse" || direction == "foward") return 1;
  fail_constraint(label, "direction is {}, wanted forward, reverse or bidirectional", direction);
}

std::vector<Activation> all_activations(const Attributes& attributes, const RecurrentKind& kind,
                                        std::int64_t directions) {
  std::vector<std::string> names = kind.activations;
  if (directions == 2) names.insert(names.end(), kind.activations.begin(), kind.activations.end());
  const std::size_t wanted = names.size();
  if (attributes.has("activations")) names = attributes.get_strings("activations");
  if (names.size() < wanted)
    fail_constraint(kind.attributes, "{} activations for {} directions, wanted {}", names.size(), directions, wanted);
  names.resize(wanted);
  return activations(names, attributes.get_floats("activation_alpha"), attributes.get_floats("activation_beta"),
                     kind.attributes);
}

void check_lengths(const Inference& i, const Dim& steps, std::string_view label) {
  if (!i.has(4)) return;
  if (i.dtype(4) != DType::kInt32) fail_constraint(label, "sequence_lens is {}, wanted int32", name(i.dtype(4)));
  const Tensor* lengths = i.constant(4);
  if (lengths == nullptr || !steps.known()) return;
  for (std::int64_t length : lengths->to_ints())
    if (length < 0 || length > steps.value())
      fail_constraint(label, "a sequence of {} steps, wanted 0 to {}", length, steps.value());
}

}  // namespace

SymbolicShape infer_recurrent(Inference& i, const RecurrentKind& kind) {
  require_type(i, 0, TypeKind::kFloat, kind.types);
  for (std::size_t input : {1U, 2U, 3U, 5U}) {
    const bool weights = input < 3;
    if (weights ? !kind.integer_weights : i.has(input)) require_same_type(i, input, 0, kind.types);
  }
  const Attributes& attributes = i.attributes();
  const std::int64_t directions = directions_of(attributes, kind.attributes);
  const std::int64_t layout = attributes.get_int("layout", 0);
  if (layout != 0 && (layout != 1 || kind.integer_weights))
    fail_constraint(kind.attributes, "layout is {}, wanted {}", layout, kind.integer_weights ? "0" : "0 or 1");
  all_activations(attributes, kind, directions);

  for (std::size_t input : {0U, 1U, 2U}) require_rank(i, input, 3, kind.shapes);
  Dim steps, batch, size, hidden;
  if (i.has_shape(0)) {
    steps = i.shape(0)[0];
    batch = i.shape(0)[1];
    size = i.shape(0)[2];
    if (batch_first(attributes)) std::swap(steps, batch);
  }
  if (attributes.has("hidden_size")) hidden = attributes.get_int("hidden_size", 0);
  if (hidden.known() && hidden.value() < 1)
    fail_constraint(kind.attributes, "hidden_size is {}, wanted 1 or more", hidden.value());
  if (i.has_shape(2)) {
    const Dim& found = i.shape(2)[kind.integer_weights ? 1 : 2];
    if (surely_different(hidden, found))
      fail_constraint(kind.attributes, "hidden_size is {}, r is {}", to_string(hidden), to_string(i.shape(2)));
    hidden = found;
  }
  const Dim rows = hidden * kind.gates;
  const SymbolicShape state =
      batch_first(attributes) ? SymbolicShape{batch, directions, hidden} : SymbolicShape{directions, batch, hidden};
  const auto matrix = [&](const Dim& columns) {
    return kind.integer_weights ? SymbolicShape{directions, columns, rows} : SymbolicShape{directions, rows, columns};
  };
  require_shape(i, 1, matrix(size), kind.shapes);
  require_shape(i, 2, matrix(hidden), kind.shapes);
  require_shape(i, 3, {directions, rows * 2}, kind.shapes);
  require_shape(i, 4, {batch}, kind.lengths);
  require_shape(i, 5, state, kind.shapes);
  check_lengths(i, steps, kind.lengths);

  i.set_output(0, i.dtype(0),
               batch_first(attributes) ? SymbolicShape{batch, steps, directions, hidden}
                                       : SymbolicShape{steps, directions, batch, hidden});
  i.set_output(1, i.dtype(0), state);
  return state;
}

RecurrentSize recurrent_size(const Call& call) {
  const Shape &x = call.input(0).shape(), &r = call.input(2).shape();
  const bool swapped = batch_first(call.attributes());
  return {.directions = r[0],
          .steps = x[swapped ? 1 : 0],
          .batch = x[swapped ? 0 : 1],
          .input = x[2],
          .hidden = std::min(r[1], r[2])};  // r is [H, G * H] or [G * H, H]
}

std::vector<Activation> direction_activations(const Call& call, const RecurrentKind& kind, std::int64_t direction) {
  const std::vector<Activation> all = all_activations(call.attributes(), kind, call.input(2).shape()[0]);
  const auto count = static_cast<std::ptrdiff_t>(kind.activations.size());
  return {all.begin() + direction * count, all.begin() + (direction + 1) * count};
}

std::int64_t state_offset(const Call& call, std::int64_t direction, std::int64_t sequence) {
  const RecurrentSize size = recurrent_size(call);
  return size.hidden *
         (batch_first(call.attributes()) ? sequence * size.directions + direction : direction * size.batch + sequence);
}

template <typename T>
DirectionWalk<T>::DirectionWalk(Call& call, const std::vector<std::int64_t>& groups, std::int64_t direction)
    : call_(call),
      size_(recurrent_size(call)),
      gates_(std::accumulate(groups.begin(), groups.end(), std::int64_t{0})),
      direction_(direction),
      batch_first_(batch_first(call.attributes())),
      backward_(direction == 1 || call.attributes().get_string("direction", "forward") == "reverse"),
      lengths_(static_cast<std::size_t>(size_.batch), size_.steps),
      w_(Matrix<T>::column_major(call.input(1).as<T>().data() + direction * gates_ * size_.hidden * size_.input,
                                 size_.input, gates_ * size_.hidden),
         call.parallel()) {
  const std::int64_t hidden = size_.hidden;
  const T* r = call.input(2).as<T>().data() + direction * gates_ * hidden * hidden;
  for (const std::int64_t gates : groups) {
    r_.emplace_back(Matrix<T>::column_major(r, hidden, gates * hidden), call.parallel());
    recurrences_.emplace_back(static_cast<std::size_t>(size_.batch * gates * hidden));
    r += gates * hidden * hidden;
  }
  bias_.resize(static_cast<std::size_t>(2 * gates_ * hidden));
  if (call.has(3))
    std::copy_n(call.input(3).as<T>().begin() + static_cast<std::ptrdiff_t>(bias_.size()) * direction, bias_.size(),
                bias_.begin());
  if (call.has(4)) lengths_ = call.input(4).to_ints();
  h_.resize(static_cast<std::size_t>(size_.batch * hidden));
  if (call.has(5))
    for (std::int64_t b = 0; b < size_.batch; ++b)
      std::copy_n(call.input(5).as<T>().data() + state_offset(call, direction, b), hidden, h(b));
  if (direction == 0 && call.wants(0)) {
    const std::span<T> y = call.output(0).template mutable_as<T>();
    std::fill(y.begin(), y.end(), T(0));
  }
}

template <typename T>
std::int64_t DirectionWalk<T>::time(std::int64_t sequence, std::int64_t step) const {
  return backward_ ? lengths_[static_cast<std::size_t>(sequence)] - 1 - step : step;
}

// x * W^T of the next few steps. Sequences that have ended keep a row, which is not read.
template <typename T>
void DirectionWalk<T>::project(std::int64_t first_step) {
  projected_from_ = first_step;
  projected_to_ = std::min(size_.steps, first_step + std::max<std::int64_t>(1, kRowsAtOnce / size_.batch));
  const std::int64_t rows = (projected_to_ - projected_from_) * size_.batch;
  std::vector<T> x(static_cast<std::size_t>(rows * size_.input));
  const T* from = call_.input(0).as<T>().data();
  for (std::int64_t step = projected_from_; step < projected_to_; ++step)
    for (std::int64_t b = 0; b < size_.batch; ++b) {
      if (step >= lengths_[static_cast<std::size_t>(b)]) continue;
      const std::int64_t t = time(b, step), row = batch_first_ ? b * size_.steps + t : t * size_.batch + b;
      std::copy_n(from + row * size_.input, size_.input,
                  x.data() + ((step - projected_from_) * size_.batch + b) * size_.input);
    }
  projected_.resize(static_cast<std::size_t>(rows * gates_ * size_.hidden));
  multiply(Matrix<T>::row_major(x.data(), rows, size_.input), w_, projected_.data(), call_.parallel());
}

template <typename T>
void DirectionWalk<T>::enter(std::int64_t step) {
  step_ = step;
  if (step >= projected_to_ && size_.batch > 0) project(step);
}

template <typename T>
const T* DirectionWalk<T>::x(std::int64_t sequence) const {
  return projected_.data() + ((step_ - projected_from_) * size_.batch + sequence) * gates_ * size_.hidden;
}

template <typename T>
const T* DirectionWalk<T>::recur(const T* rows, std::size_t group) {
  T* const result = recurrences_[group].data();
  multiply(Matrix<T>::row_major(rows, size_.batch, size_.hidden), r_[group], result, call_.parallel());
  return result;
}

template <typename T>
void DirectionWalk<T>::leave() {
  if (!call_.wants(0)) return;
  T* y = call_.output(0).template mutable_as<T>().data();
  for (std::int64_t b = 0; b < size_.batch; ++b) {
    if (!runs(b)) continue;
    const std::int64_t t = time(b, step_);
    const std::int64_t row = batch_first_ ? (b * size_.steps + t) * size_.directions + direction_
                                          : (t * size_.directions + direction_) * size_.batch + b;
    std::copy_n(h(b), size_.hidden, y + row * size_.hidden);
  }
}

template <typename T>
void DirectionWalk<T>::finish() {
  if (!call_.wants(1)) return;
  T* y_h = call_.output(1).template mutable_as<T>().data();
  for (std::int64_t b = 0; b < size_.batch; ++b)
    std::copy_n(h(b), size_.hidden, y_h + state_offset(call_, direction_, b));
}

template class DirectionWalk<float>;
template class DirectionWalk<double>;

}  // namespace octet
