// attention.cc: the meaning of Attention.
//
//   s[b, h, i, j] = Sum_d (Q[b, h, i, d] * r) * (K[b, g(h), j, d] * r)          r = sqrt(scale); the sum is MatMul's
//   t = softcap * tanh(s / softcap)                                              s where softcap is 0
//   p[b, h, i, :] = softmax(t[b, h, i, :] + bias[b, h, i, :])                    0 where no element of the row of bias exceeds L
//   Y[b, h, i, :] = Sum_j p[b, h, i, j] * V[b, g(h), j, :]
//
// in the type of Q (float32 for the half types, whatever softmax_precision). scale is 1 / sqrt(head size) unless given.
// g(h) = h / (q heads / kv heads). Q, K and V are [batch, heads, sequence, size], or [batch, sequence, heads * size] with the
// heads in q_num_heads and kv_num_heads; Y is like Q. past_key and past_value come before K and V in the sequence; both
// together are present_key and present_value, [batch, kv heads, total, size].
//
// bias is L where key j is not seen, else attn_mask (0 and L for true and false). L is the lowest finite number as in ONNX
// Runtime; in the arithmetic onnx-reference it is -inf, as in the standard. Only qk_matmul_output shows which. Not seen are
// the keys that attn_mask lacks at the end of its last dimension; j > i + offset with is_causal = 1;
// j < i + offset - left_window_size and j > i + offset + right_window_size where these are not -1 (opset 25); and
// j >= nonpad_kv_seqlen[b]. offset is the length of the past, or nonpad_kv_seqlen[b] - q sequence, or 0. qk_matmul_output is
// s, t, t + bias or p, as qk_matmul_output_mode says.
//
//   attention_c1  Q, K, V and the past have one floating-point type.
//   attention_c2  Q, K and V have one rank, 3 or 4, one batch, K and V one sequence and one number of heads, which divides
//                 Q's; Q and K have one head size. With rank 3 q_num_heads and kv_num_heads are given and divide the last
//                 dimension.
//   attention_c3  past_key and past_value come together and fit K and V; nonpad_kv_seqlen is int64, [batch], each in
//                 [0, kv sequence], and comes without them.
//   attention_c4  attn_mask is bool or of Q's type, has 1 to 4 dimensions, and broadcasts to [batch, q heads, q sequence,
//                 total], but that its last dimension may be shorter.
//   attention_c5  qk_matmul_output_mode is 0 to 3; the windows are -1 or more; scale is positive; softmax_precision names a
//                 floating-point type.
#include <algorithm>
#include <limits>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/attend.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

struct AttentionInput {
  enum Index : std::size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonpad };
};

// [batch, heads, sequence, size], whatever the input's rank.
SymbolicShape headed_shape(const Inference& i, std::size_t input, std::string_view heads_attribute) {
  constexpr std::string_view kLabel = "attention_c2";
  if (!i.has_shape(input)) return SymbolicShape(4);
  const SymbolicShape& shape = i.shape(input);
  if (shape.size() != 3 && shape.size() != 4)
    fail_constraint(kLabel, "input {} is {}, wanted 3 or 4 dimensions", input, to_string(shape));
  const std::int64_t heads = i.attributes().get_int(heads_attribute, 0);
  if (shape.size() == 4) {
    if (heads != 0 && surely_different(shape[1], heads))
      fail_constraint(kLabel, "input {} is {}, wanted as many heads as {} says, {}", input, to_string(shape),
                      heads_attribute, heads);
    return shape;
  }
  if (heads < 1)
    fail_constraint(kLabel, "{} is {}, wanted 1 or more for inputs of 3 dimensions", heads_attribute, heads);
  if (shape[2].known() && shape[2].value() % heads != 0)
    fail_constraint(kLabel, "input {} is {}, wanted a last dimension that {} divides", input, to_string(shape), heads);
  return {shape[0], heads, shape[1], floor_divide(shape[2], heads)};
}

void require_attention_mask(const Inference& i, const SymbolicShape& scores) {
  using enum AttentionInput::Index;
  constexpr std::string_view kLabel = "attention_c4";
  if (!i.has(kMask)) return;
  if (i.dtype(kMask) != DType::kBool && i.dtype(kMask) != i.dtype(kQ))
    fail_constraint(kLabel, "attn_mask is {}, wanted bool or {}", name(i.dtype(kMask)), name(i.dtype(kQ)));
  if (!i.has_shape(kMask)) return;
  const SymbolicShape& mask = i.shape(kMask);
  bool fits = !mask.empty() && mask.size() <= 4;
  for (std::size_t d = 0; fits && d < mask.size(); ++d) {
    const Dim &found = mask[mask.size() - 1 - d], &wanted = scores[3 - d];
    fits = d == 0 ? !found.known() || !wanted.known() || found.value() <= wanted.value()
                  : found.is(1) || !surely_different(found, wanted);
  }
  if (!fits)
    fail_constraint(kLabel, "attn_mask is {}, wanted what broadcasts to {}", to_string(mask), to_string(scores));
}

void require_nonpad(const Inference& i, const Dim& batch, const Dim& sequence) {
  using enum AttentionInput::Index;
  constexpr std::string_view kLabel = "attention_c3";
  if (!i.has(kNonpad)) return;
  if (i.has(kPastKey)) fail_constraint(kLabel, "nonpad_kv_seqlen and past_key are given, wanted one of them");
  if (i.dtype(kNonpad) != DType::kInt64)
    fail_constraint(kLabel, "nonpad_kv_seqlen is {}, wanted int64", name(i.dtype(kNonpad)));
  require_shape(i, kNonpad, {batch}, kLabel);
  const Tensor* lengths = i.constant(kNonpad);
  if (lengths == nullptr || !sequence.known()) return;
  for (const std::int64_t length : lengths->to_ints())
    if (length < 0 || length > sequence.value())
      fail_constraint(kLabel, "nonpad_kv_seqlen holds {}, wanted 0 to {}", length, sequence.value());
}

void require_attention_attributes(const Attributes& attributes) {
  constexpr std::string_view kLabel = "attention_c5";
  const std::int64_t mode = attributes.get_int("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) fail_constraint(kLabel, "qk_matmul_output_mode is {}, wanted 0 to 3", mode);
  for (const std::string_view window : {"left_window_size", "right_window_size"})
    if (attributes.get_int(window, -1) < -1)
      fail_constraint(kLabel, "{} is {}, wanted -1 or more", window, attributes.get_int(window, -1));
  if (const float scale = attributes.get_float("scale", 1); !(scale > 0))
    fail_constraint(kLabel, "scale is {}, wanted more than 0", scale);
  const std::int64_t precision = attributes.get_int("softmax_precision", 0);
  for (const DType real : {DType::kUndefined, DType::kFloat, DType::kFloat16, DType::kBFloat16, DType::kDouble})
    if (precision == static_cast<int>(real)) return;
  fail_constraint(kLabel, "softmax_precision is {}, wanted a floating-point type", precision);
}

void infer_attention(Inference& i) {
  using enum AttentionInput::Index;
  constexpr std::string_view kShapes = "attention_c2", kPast = "attention_c3";
  require_type(i, kQ, TypeKind::kFloat, "attention_c1");
  for (const std::size_t input : {kK, kV}) require_same_type(i, input, kQ, "attention_c1");
  for (const std::size_t input : {kPastKey, kPastValue})
    if (i.has(input)) require_same_type(i, input, kQ, "attention_c1");
  require_attention_attributes(i.attributes());

  const SymbolicShape q = headed_shape(i, kQ, "q_num_heads"), k = headed_shape(i, kK, "kv_num_heads"),
                      v = headed_shape(i, kV, "kv_num_heads");
  const auto agree = [&](const Dim& a, const Dim& b, std::string_view what) {
    if (surely_different(a, b)) fail_constraint(kShapes, "{}: {} and {}, wanted one", what, to_string(a), to_string(b));
  };
  for (const std::size_t input : {kK, kV})
    if (i.has_shape(kQ) && i.has_shape(input) && i.shape(input).size() != i.shape(kQ).size())
      fail_constraint(kShapes, "Q is {}, input {} is {}, wanted one rank", to_string(i.shape(kQ)), input,
                      to_string(i.shape(input)));
  agree(q[0], k[0], "batches of Q and K");
  agree(q[0], v[0], "batches of Q and V");
  agree(k[1], v[1], "heads of K and V");
  agree(k[2], v[2], "sequences of K and V");
  agree(q[3], k[3], "head sizes of Q and K");
  if (q[1].known() && k[1].known() && (k[1].value() == 0 || q[1].value() % k[1].value() != 0))
    fail_constraint(kShapes, "{} heads of Q and {} of K, wanted a multiple", q[1].value(), k[1].value());

  Dim past = 0;
  if (i.has(kPastKey) != i.has(kPastValue))
    fail_constraint(kPast, "only one of past_key and past_value is given, wanted both or none");
  if (i.has(kPastKey)) {
    for (const std::size_t input : {kPastKey, kPastValue}) require_rank(i, input, 4, kPast);
    past = i.has_shape(kPastKey) ? i.shape(kPastKey)[2] : Dim();
    require_shape(i, kPastKey, {k[0], k[1], Dim(), k[3]}, kPast);
    require_shape(i, kPastValue, {v[0], v[1], past, v[3]}, kPast);
  }
  const Dim total = past + k[2];
  const SymbolicShape scores = {q[0], q[1], q[2], total};
  require_attention_mask(i, scores);
  require_nonpad(i, q[0], k[2]);

  std::optional<SymbolicShape> y;
  if (i.has_shape(kQ))
    y = i.shape(kQ).size() == 4 ? SymbolicShape{q[0], q[1], q[2], v[3]} : SymbolicShape{q[0], q[2], q[1] * v[3]};
  i.set_output(0, i.dtype(kQ), std::move(y));
  i.set_output(1, i.dtype(kQ), SymbolicShape{k[0], k[1], total, k[3]});
  i.set_output(2, i.dtype(kQ), SymbolicShape{v[0], v[1], total, v[3]});
  i.set_output(3, i.dtype(kQ), scores);
}

template <typename T>
class AttentionBias {
 public:
  AttentionBias(const Call& call, const Shape& scores)
      : never_(call.arithmetic() == arithmetic_named("onnx-reference") ? -std::numeric_limits<T>::infinity()
                                                                       : std::numeric_limits<T>::lowest()),
        past_(call.has(AttentionInput::kPastKey) ? call.input(AttentionInput::kPastKey).shape()[2] : 0),
        queries_(scores[2]),
        total_(scores[3]),
        causal_(call.attributes().get_int("is_causal", 0) == 1),
        left_(call.attributes().get_int("left_window_size", -1)),
        right_(call.attributes().get_int("right_window_size", -1)) {
    if (call.has(AttentionInput::kNonpad)) nonpad_ = call.input(AttentionInput::kNonpad).as<std::int64_t>();
    if (!call.has(AttentionInput::kMask)) return;
    mask_ = &call.input(AttentionInput::kMask);
    width_ = mask_->shape().back();
    Shape rows(mask_->shape().begin(), mask_->shape().end() - 1);
    strides_ = broadcast_strides(rows, std::span(scores).first(3));
  }

  // To be added to row (b, h, i) of the scores. Says whether any key is seen.
  bool fill(std::int64_t b, std::int64_t h, std::int64_t i, std::span<T> bias) const {
    const std::int64_t valid = nonpad_.empty() ? total_ : nonpad_[static_cast<std::size_t>(b)];
    const std::int64_t place = i + (nonpad_.empty() ? past_ : valid - queries_);
    // Keys [first, last) are seen, but for those that the mask leaves out.
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    std::int64_t first = left_ < 0 ? 0 : place - std::min(left_, kFar), last = valid;
    if (causal_) last = std::min(last, place + 1);
    if (right_ >= 0) last = std::min(last, place + std::min(right_, kFar) + 1);
    if (mask_ != nullptr) last = std::min(last, width_);
    first = std::clamp<std::int64_t>(first, 0, total_);
    last = std::clamp(last, first, total_);
    std::fill(bias.begin(), bias.begin() + first, never_);
    std::fill(bias.begin() + last, bias.end(), never_);
    const std::span<T> seen = bias.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    if (mask_ == nullptr) {
      std::fill(seen.begin(), seen.end(), T(0));
      return !seen.empty();
    }
    const auto at = static_cast<std::size_t>((b * strides_[0] + h * strides_[1] + i * strides_[2]) * width_ + first);
    if (mask_->dtype() == DType::kBool)
      std::transform(mask_->as<bool>().begin() + static_cast<std::ptrdiff_t>(at),
                     mask_->as<bool>().begin() + static_cast<std::ptrdiff_t>(at) + (last - first), seen.begin(),
                     [this](bool shown) { return shown ? T(0) : never_; });
    else
      std::copy_n(mask_->as<T>().begin() + static_cast<std::ptrdiff_t>(at), last - first, seen.begin());
    return std::any_of(seen.begin(), seen.end(), [this](T value) { return !(value <= never_); });
  }

 private:
  const T never_;
  std::int64_t past_, queries_, total_;
  bool causal_;
  std::int64_t left_, right_, width_ = 0;
  std::span<const std::int64_t> nonpad_;
  const Tensor* mask_ = nullptr;
  std::vector<std::int64_t> strides_;  // of the mask's rows
};

template <typename T>
void compute_attention_as(Call& call) {
  using enum AttentionInput::Index;
  const Attributes& attributes = call.attributes();
  const std::int64_t heads = attributes.get_int("kv_num_heads", 0);
  const bool computes = call.output(0).size() > 0 || (call.wants(3) && call.output(3).size() > 0);
  if (!computes && !call.wants(1)) return;
  const auto past = [&](std::size_t input) { return call.has(input) ? &call.input(input) : nullptr; };
  const Tensor keys = joined_heads<T>(call.input(kK), heads, past(kPastKey)),
               values = joined_heads<T>(call.input(kV), heads, past(kPastValue));
  if (computes) {
    const Heads<T> q(call.input(kQ), attributes.get_int("q_num_heads", 0));
    const AttentionBias<T> bias(call, {q.batch, q.heads, q.sequence, keys.shape()[2]});
    Attended<T> attended = {.q = q, .k = Heads<T>(keys, 0), .v = Heads<T>(values, 0)};
    if (attributes.has("scale")) attended.scale = attributes.get_float("scale", 0);
    attended.softcap = attributes.get_float("softcap", 0);
    attended.bias = [&](std::int64_t b, std::int64_t h, std::int64_t i, std::span<T> row) {
      return bias.fill(b, h, i, row);
    };
    attended.y = call.output(0).template mutable_as<T>().data();
    attended.y_in_rows = call.input(kQ).shape().size() == 3;
    if (call.wants(3)) attended.shown = call.output(3).template mutable_as<T>().data();
    attended.shown_stage = attributes.get_int("qk_matmul_output_mode", 0);
    attend(attended, call.parallel());
  }
  if (call.wants(1)) call.set_output(1, keys);
  if (call.wants(2)) call.set_output(2, values);
}

void compute_attention(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() { compute_attention_as<T>(call); });
}

}  // namespace

const Operator ops::kAttention = {
    .name = "Attention",
    .versions = {23, 24, 25},
    .formula = "Y = softmax(softcap(Q K^T * scale) + mask) V, for each head",
    .constraints =
        {{"attention_c1", "Q, K, V and the past have one floating-point type"},
         {"attention_c2",
          "Q, K and V have one rank, 3 or 4, one batch, K and V one sequence and one number of heads, which divides "
          "Q's; Q and K have one head size. With rank 3 q_num_heads and kv_num_heads are given and divide the last "
          "dimension"},
         {"attention_c3",
          "past_key and past_value come together and fit K and V; nonpad_kv_seqlen is int64, [batch], each in [0, kv "
          "sequence], and comes without them"},
         {"attention_c4",
          "attn_mask is bool or of Q's type, has 1 to 4 dimensions, and broadcasts to [batch, q heads, q sequence, "
          "total], but that its last dimension may be shorter"},
         {"attention_c5",
          "qk_matmul_output_mode is 0 to 3; the windows are -1 or more; scale is positive; softmax_precision names a "
          "floating-point type"}},
    .infer = infer_attention,
    .compute = compute_attention,
    .traits = {Trait::kManyTerms},
    .macs = MacRule::kAttention,
};

}  // namespace octet
