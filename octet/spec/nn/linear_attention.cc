// linear_attention.cc: the meaning of LinearAttention.
//
//   S = exp(g[t]) * S                                   update_rule gated or gated_delta; g is decay
//   v' = beta[t] * (v[t] - S^T k[t])                    delta or gated_delta; else v' = v[t]
//   S = S + k[t] v'^T,   y[t] = scale * S^T q[t]        for each step t, from S = past_state or 0;   present_state = S
//
// query is [B, T, Hq * dk], key [B, T, H * dk], value [B, T, H * dv], with q_num_heads = Hq, a multiple of kv_num_heads
// = H: each head of keys, and its state, serves Hq / H heads of queries in a row. decay has a number per head, [B, T,
// H], or per element of a key, [B, T, H * dk]; beta one per head, or one for all, [B, T, 1]. scale is 1 / sqrt(dk)
// where it is 0 or left out. In float32, sums in order; chunk_size changes nothing.
//
//   linear_attention_c1  The inputs are float32, float16 or bfloat16; all but past_state have query's type.
//   linear_attention_c2  q_num_heads is a positive multiple of kv_num_heads; the shapes are those above, past_state [B,
//                        H, dk, dv].
//   linear_attention_c3  update_rule is linear, gated, delta or gated_delta; decay is given where it gates and beta
//                        where it has a delta, and nowhere else.
#include <algorithm>
#include <cmath>
#include <vector>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr std::size_t kQuery = 0, kKey = 1, kValue = 2, kPast = 3, kDecay = 4, kBeta = 5;

struct UpdateRule {
  bool gates, delta;

  explicit UpdateRule(const Attributes& attributes) {
    const std::string rule = attributes.get_string("update_rule", "gated_delta");
    if (rule != "linear" && rule != "gated" && rule != "delta" && rule != "gated_delta")
      fail_constraint("linear_attention_c3", "update_rule is \"{}\"", rule);
    gates = rule.starts_with("gated");
    delta = rule.ends_with("delta");
  }
};

struct HeadCounts {
  std::int64_t query, key;

  explicit HeadCounts(const Attributes& attributes)
      : query(attributes.get_int("q_num_heads", 0)), key(attributes.get_int("kv_num_heads", 0)) {
    if (key < 1 || query < 1 || query % key != 0)
      fail_constraint("linear_attention_c2", "{} heads of queries and {} of keys", query, key);
  }
};

// The size of one of `heads` heads, as far as it is known.
Dim head_size(const Inference& i, std::size_t input, std::int64_t heads) {
  require_rank(i, input, 3, "linear_attention_c2");
  if (!i.has_shape(input)) return {};
  const Dim& all = i.shape(input)[2];
  if (all.known() && all.value() % heads != 0)
    fail_constraint("linear_attention_c2", "{} elements do not make {} heads", all.value(), heads);
  return floor_divide(all, heads);
}

void require_gate(const Inference& i, std::size_t input, bool wanted, const std::vector<Dim>& sizes) {
  if (i.has(input) != wanted)
    fail_constraint("linear_attention_c3", "{} is {}, and update_rule wants the contrary",
                    input == kDecay ? "decay" : "beta", wanted ? "left out" : "given");
  if (!wanted || !i.has_shape(input)) return;
  require_rank(i, input, 3, "linear_attention_c2");
  const Dim& size = i.shape(input)[2];
  if (std::ranges::all_of(sizes, [&](const Dim& fits) { return surely_different(size, fits); }))
    fail_constraint("linear_attention_c2", "{} has {} numbers a step", input == kDecay ? "decay" : "beta",
                    to_string(size));
  if (i.has_shape(kQuery))
    require_shape(i, input, {i.shape(kQuery)[0], i.shape(kQuery)[1], size}, "linear_attention_c2");
}

void require_types(const Inference& i) {
  for (std::size_t input = 0; input <= kBeta; ++input) {
    if (!i.has(input)) continue;
    require_type(i, input, TypeKind::kFloat, "linear_attention_c1");
    if (i.dtype(input) == DType::kDouble) fail_constraint("linear_attention_c1", "input {} is float64", input);
    if (input != kPast) require_same_type(i, input, kQuery, "linear_attention_c1");
  }
}

void infer_linear_attention(Inference& i) {
  require_types(i);
  const HeadCounts heads(i.attributes());
  const UpdateRule rule(i.attributes());
  const Dim dk = head_size(i, kQuery, heads.query), dv = head_size(i, kValue, heads.key);
  head_size(i, kKey, heads.key);
  const SymbolicShape q = i.has_shape(kQuery) ? i.shape(kQuery) : SymbolicShape(3);
  require_shape(i, kKey, {q[0], q[1], dk * heads.key}, "linear_attention_c2");
  require_shape(i, kValue, {q[0], q[1], Dim()}, "linear_attention_c2");
  require_gate(i, kDecay, rule.gates, {heads.key, dk * heads.key});
  require_gate(i, kBeta, rule.delta, {heads.key, 1});
  const SymbolicShape state = {q[0], heads.key, dk, dv};
  require_shape(i, kPast, state, "linear_attention_c2");
  i.set_output(0, i.dtype(kQuery), SymbolicShape{q[0], q[1], dv * heads.query});
  i.set_output(1, i.dtype(i.has(kPast) ? kPast : kQuery), state);
}

// One head of keys of one sequence: the recurrence over its steps.
class LinearHead {
 public:
  LinearHead(const Call& call, std::int64_t sequence, std::int64_t head, float* state, float* y)
      : call_(call),
        heads_(call.attributes()),
        rule_(call.attributes()),
        sequence_(sequence),
        head_(head),
        state_(state),
        y_(y) {
    dk_ = call.input(kQuery).shape()[2] / heads_.query;
    dv_ = call.input(kValue).shape()[2] / heads_.key;
    const float scale = call.attributes().get_float("scale", 0);
    scale_ = scale != 0 ? scale : static_cast<float>(1 / std::sqrt(static_cast<double>(dk_)));
    update_.resize(static_cast<std::size_t>(dv_));
  }

  void step(std::int64_t t) {
    const float* k = row(kKey, t) + head_ * dk_;
    const float* v = row(kValue, t) + head_ * dv_;
    if (rule_.gates) decay(t);
    std::copy_n(v, dv_, update_.begin());
    if (rule_.delta) correct(t, k);
    for (std::int64_t d = 0; d < dk_; ++d)
      for (std::int64_t m = 0; m < dv_; ++m) state_[d * dv_ + m] += k[d] * update_[static_cast<std::size_t>(m)];
    const std::int64_t group = heads_.query / heads_.key;
    float* y = y_ + place(t) * heads_.query * dv_;
    for (std::int64_t h = head_ * group; h < (head_ + 1) * group; ++h) {
      read(row(kQuery, t) + h * dk_, y + h * dv_);
      for (std::int64_t m = 0; m < dv_; ++m) y[h * dv_ + m] *= scale_;
    }
  }

 private:
  std::int64_t place(std::int64_t t) const { return sequence_ * call_.input(kQuery).shape()[1] + t; }
  const float* row(std::size_t input, std::int64_t t) const {
    return call_.input(input).as<float>().data() + place(t) * call_.input(input).shape()[2];
  }

  void decay(std::int64_t t) {
    const bool per_head = call_.input(kDecay).shape()[2] == heads_.key;
    for (std::int64_t d = 0; d < dk_; ++d) {
      const float factor = std::exp(row(kDecay, t)[per_head ? head_ : head_ * dk_ + d]);
      for (std::int64_t m = 0; m < dv_; ++m) state_[d * dv_ + m] *= factor;
    }
  }

  // S^T x.
  void read(const float* x, float* result) const {
    std::fill_n(result, dv_, 0.0F);
    for (std::int64_t d = 0; d < dk_; ++d)
      for (std::int64_t m = 0; m < dv_; ++m) result[m] += x[d] * state_[d * dv_ + m];
  }

  void correct(std::int64_t t, const float* k) {
    std::vector<float> known(update_.size());
    read(k, known.data());
    const float beta = row(kBeta, t)[call_.input(kBeta).shape()[2] == 1 ? 0 : head_];
    for (std::size_t m = 0; m < update_.size(); ++m) update_[m] = beta * (update_[m] - known[m]);
  }

  const Call& call_;
  HeadCounts heads_;
  UpdateRule rule_;
  std::int64_t sequence_, head_, dk_, dv_;
  float scale_;
  float *state_, *y_;
  std::vector<float> update_;
};

void compute_linear_attention(Call& call) {
  const HeadCounts heads(call.attributes());
  const Shape& q = call.input(kQuery).shape();
  const std::int64_t dk = q[2] / heads.query, dv = call.input(kValue).shape()[2] / heads.key;
  Tensor state = call.has(kPast) ? call.input(kPast) : Tensor(DType::kFloat, {q[0], heads.key, dk, dv});
  float* states = state.mutable_as<float>().data();
  float* y = call.output(0).mutable_as<float>().data();
  call.parallel().for_each_block(q[0] * heads.key, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      LinearHead head(call, n / heads.key, n % heads.key, states + n * dk * dv, y);
      for (std::int64_t t = 0; t < q[1]; ++t) head.step(t);
    }
  });
  if (call.wants(1)) call.set_output(1, std::move(state));
}

}  // namespace

const Operator ops::kLinearAttention = {
    .name = "LinearAttention",
    .versions = {27},
    .formula = "S = exp(g) * S + k * (beta * (v - S^T k))^T, y = scale * S^T q, step by step",
    .constraints =
        {{"linear_attention_c1", "the inputs are float32, float16 or bfloat16; all but past_state have query's type"},
         {"linear_attention_c2",
          "q_num_heads is a positive multiple of kv_num_heads; query is [B, T, Hq * dk], key [B, T, H * dk], "
          "value [B, T, H * dv], decay [B, T, H] or [B, T, H * dk], beta [B, T, H] or [B, T, 1], past_state "
          "[B, H, dk, dv]"},
         {"linear_attention_c3",
          "update_rule is linear, gated, delta or gated_delta; decay is given where it gates and beta where "
          "it has a delta, and nowhere else"}},
    .infer = infer_linear_attention,
    .compute = compute_linear_attention,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
