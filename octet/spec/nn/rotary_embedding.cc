// rotary_embedding.cc: the meaning of RotaryEmbedding, of the standard and of com.microsoft.
//
//   y[b, h, s, :] = x[b, h, s, :] with its pairs rotated by the cosines and sines of position p(b, s)        (rotate.h)
//
// x is [batch, heads, sequence, size], whatever num_heads says; or [batch, sequence, heads * size] with the heads in
// num_heads, of which com.microsoft's may be 0: size is then twice the width of a cache. rotary_embedding_dim elements of a
// head are rotated, all where it is 0. The caches are [positions, pairs], and p(b, s) = position_ids[b, s]; or, in the
// standard without position_ids, [batch, sequence, pairs]. com.microsoft's position_ids of one element is that of the first
// of the sequence; its scale and is_packed_batching change nothing. Arithmetic is float32, also for the half types.
//
//   rotary_embedding_c1  x and the caches have one type, float32, float16 or bfloat16; position_ids are int64.
//   rotary_embedding_c2  x has 3 or 4 dimensions; of 3, num_heads is known and divides the last one.
//   rotary_embedding_c3  rotary_embedding_dim is even, not negative and at most the size of a head, which is even without it.
//   rotary_embedding_c4  The caches have one shape, as above, with as many pairs as are rotated.
//   rotary_embedding_c5  position_ids are [batch, sequence], com.microsoft's also [1], and name rows of the caches.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/attend.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/rotate.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

struct RotaryInputs {
  std::size_t cos, sin, positions;
  bool microsoft;
};
constexpr RotaryInputs kStandardRotary = {.cos = 1, .sin = 2, .positions = 3, .microsoft = false},
                       kMicrosoftRotary = {.cos = 2, .sin = 3, .positions = 1, .microsoft = true};

// [batch, heads, sequence, size], whatever x's rank.
SymbolicShape rotary_heads(const Inference& i, const RotaryInputs& inputs) {
  constexpr std::string_view kLabel = "rotary_embedding_c2";
  const SymbolicShape& x = i.shape(0);
  if (x.size() == 4) return x;
  if (x.size() != 3) fail_constraint(kLabel, "x is {}, wanted 3 or 4 dimensions", to_string(x));
  const std::int64_t heads = i.attributes().get_int("num_heads", 0);
  if (heads > 0) {
    if (x[2].known() && x[2].value() % heads != 0)
      fail_constraint(kLabel, "x is {}, wanted a last dimension that num_heads, {}, divides", to_string(x), heads);
    return {x[0], heads, x[1], floor_divide(x[2], heads)};
  }
  if (heads < 0 || !inputs.microsoft || i.attributes().get_int("rotary_embedding_dim", 0) != 0)
    fail_constraint(kLabel, "num_heads is {}, wanted 1 or more for x of 3 dimensions", heads);
  const Dim size = i.has_shape(inputs.cos) ? i.shape(inputs.cos).back() * 2 : Dim();
  if (size.known() && (size.value() < 1 || (x[2].known() && x[2].value() % size.value() != 0)))
    fail_constraint(kLabel, "x is {}, wanted a last dimension that {}, the size of a head, divides", to_string(x),
                    size.value());
  return {x[0], floor_divide(x[2], size), x[1], size};
}

// How many pairs of each head are rotated.
Dim rotary_pairs(const Inference& i, const Dim& size) {
  const std::int64_t turned = i.attributes().get_int("rotary_embedding_dim", 0);
  if (turned < 0 || turned % 2 != 0 || (size.known() && turned > size.value()))
    fail_constraint("rotary_embedding_c3", "rotary_embedding_dim is {}, wanted an even number from 0 to {}", turned,
                    to_string(size));
  if (turned > 0) return turned / 2;
  if (size.known() && size.value() % 2 != 0)
    fail_constraint("rotary_embedding_c3", "a head has {} elements, wanted an even number", size.value());
  return floor_divide(size, 2);
}

void require_rotary_rows(const Inference& i, const RotaryInputs& inputs, const Dim& batch, const Dim& sequence) {
  constexpr std::string_view kLabel = "rotary_embedding_c5";
  if (!i.has_shape(inputs.positions)) return;
  const SymbolicShape& shape = i.shape(inputs.positions);
  const bool offset = inputs.microsoft && shape.size() == 1;
  require_shape(i, inputs.positions, offset ? SymbolicShape{1} : SymbolicShape{batch, sequence}, kLabel);
  const Tensor* positions = i.constant(inputs.positions);
  const Dim rows = i.has_shape(inputs.cos) ? i.shape(inputs.cos)[0] : Dim();
  if (positions == nullptr || !rows.known() || !sequence.known()) return;
  const std::int64_t behind = offset ? std::max<std::int64_t>(sequence.value(), 1) - 1 : 0;
  for (const std::int64_t position : positions->to_ints())
    if (position < 0 || position >= rows.value() || behind >= rows.value() - position)
      fail_constraint(kLabel, "position_ids holds {}, wanted 0 to {}", position, rows.value() - 1 - behind);
}

void infer_rotary_embedding(Inference& i, const RotaryInputs& inputs) {
  constexpr std::string_view kTypes = "rotary_embedding_c1", kCaches = "rotary_embedding_c4";
  require_type(i, 0, TypeKind::kFloat, kTypes);
  if (i.dtype(0) == DType::kDouble) fail_constraint(kTypes, "x is float64, wanted float32, float16 or bfloat16");
  for (const std::size_t cache : {inputs.cos, inputs.sin}) require_same_type(i, cache, 0, kTypes);
  require_dtype(i, inputs.positions, DType::kInt64, kTypes);
  i.set_output(0, i.dtype(0), i.input(0).shape);
  const bool by_position = i.has(inputs.positions);
  for (const std::size_t cache : {inputs.cos, inputs.sin}) require_rank(i, cache, by_position ? 2 : 3, kCaches);
  if (!i.has_shape(0)) return;
  const SymbolicShape x = rotary_heads(i, inputs);
  const Dim pairs = rotary_pairs(i, x[3]);
  const Dim rows = by_position && i.has_shape(inputs.cos) ? i.shape(inputs.cos)[0] : Dim();
  for (const std::size_t cache : {inputs.cos, inputs.sin})
    require_shape(i, cache, by_position ? SymbolicShape{rows, pairs} : SymbolicShape{x[0], x[2], pairs}, kCaches);
  require_rotary_rows(i, inputs, x[0], x[2]);
}

void compute_rotary_embedding(Call& call, const RotaryInputs& inputs) {
  const Tensor& input = call.input(0);
  if (input.size() == 0) return;
  const std::int64_t pairs = call.input(inputs.cos).shape().back();
  std::int64_t count = call.attributes().get_int("num_heads", 0);
  if (input.shape().size() == 3 && count == 0) count = input.shape()[2] / (2 * pairs);
  const Heads<float> x(input, count);
  const Rotation rotation = {2 * pairs, x.size, call.attributes().get_int("interleaved", 0) != 0};
  const float *cos = call.input(inputs.cos).as<float>().data(), *sin = call.input(inputs.sin).as<float>().data();
  std::vector<std::int64_t> positions;
  if (call.has(inputs.positions)) positions = call.input(inputs.positions).to_ints();
  float* y = call.output(0).mutable_as<float>().data();
  call.parallel().for_each_block(x.batch * x.sequence, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) {
      const std::int64_t b = place / x.sequence, s = place % x.sequence;
      const std::int64_t row = positions.empty()       ? place
                               : positions.size() == 1 ? positions[0] + s
                                                       : positions[static_cast<std::size_t>(place)];
      for (std::int64_t h = 0; h < x.heads; ++h)
        rotate_head(rotation, x.row(b, h, s), cos + row * pairs, sin + row * pairs, y + (x.row(b, h, s) - x.data));
    }
  });
}

const std::vector<Constraint>& rotary_constraints() {
  static const std::vector<Constraint> constraints = {
      {"rotary_embedding_c1", "x and the caches have one type, float32, float16 or bfloat16; position_ids are int64"},
      {"rotary_embedding_c2", "x has 3 or 4 dimensions; of 3, num_heads is known and divides the last one"},
      {"rotary_embedding_c3",
       "rotary_embedding_dim is even, not negative and at most the size of a head, which is even without it"},
      {"rotary_embedding_c4",
       "the caches are [positions, pairs], or [batch, sequence, pairs] without position_ids, with as many pairs as are "
       "rotated"},
      {"rotary_embedding_c5",
       "position_ids are [batch, sequence], com.microsoft's also [1], and name rows of the caches"}};
  return constraints;
}

constexpr std::string_view kRotaryFormula = "y = x with pairs of elements rotated by the angle of their position";

}  // namespace

const Operator ops::kRotaryEmbedding = {
    .name = "RotaryEmbedding",
    .versions = {23},
    .formula = kRotaryFormula,
    .constraints = rotary_constraints(),
    .infer = [](Inference& i) { infer_rotary_embedding(i, kStandardRotary); },
    .compute = [](Call& call) { compute_rotary_embedding(call, kStandardRotary); },
};

const Operator ops::kMicrosoftRotaryEmbedding = {
    .name = "RotaryEmbedding",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = kRotaryFormula,
    .constraints = rotary_constraints(),
    .infer = [](Inference& i) { infer_rotary_embedding(i, kMicrosoftRotary); },
    .compute = [](Call& call) { compute_rotary_embedding(call, kMicrosoftRotary); },
};

}  // namespace octet
