// group_query_attention.cc: the meaning of com.microsoft GroupQueryAttention.
//
//   output, present_key, present_value = attention of query, key and value, keys and values behind their past       (attend.h)
//
// with num_heads heads of queries, kv_num_heads of keys and values, `scale` (1 / sqrt(head size) where that is 0), softcap and
// attention_bias. query is [batch, S, heads * size], key and value likewise; or query has all three side by side.
//
// total_sequence_length is the largest number of keys. Where it is S, this is a prompt, and nothing of the past counts;
// else image b has p(b) = seqlens_k[b] + 1 - S past keys. present is the past, then key at p(b), then 0; its length is the
// larger of total_sequence_length and the past's. Key j counts for query i where j <= seqlens_k[b], and with causal = 1
// j <= p(b) + i, and with local_window_size > 0 also j > p(b) + i - local_window_size. head_sink joins the sum of the softmax
// (attend.h), 0 with smooth_softmax = 1.
//
// do_rotary = 1 rotates queries and keys first (rotate.h): by position_ids[b, i], p(b) + i unless given; in a prompt by
// position_ids[0, 0] + i, i unless given. The caches are [positions, pairs]. Arithmetic is float32, also for the half types.
//
//   group_query_attention_c1  all reals have one type, float32, float16 or bfloat16; seqlens_k and total_sequence_length are
//                             int32, position_ids int64. The past is not quantized.
//   group_query_attention_c2  num_heads is a multiple of kv_num_heads; the shapes are as above, with one S.
//   group_query_attention_c3  past_key and past_value come together, [batch, kv heads, P, size]; total_sequence_length is one
//                             element, P + S or at most P, and S without a past; seqlens_k are [batch], each from S - 1 (from 0
//                             in a prompt) to total_sequence_length - 1; without a prompt S is 1 or the batch is 1.
//   group_query_attention_c4  cos_cache and sin_cache are there with do_rotary = 1, with at most half as many pairs as a head has
//                             elements, and a row for every position.
//   group_query_attention_c5  attention_bias is [batch or 1, heads or 1, S, total_sequence_length], head_sink [heads].
//   group_query_attention_c6  scale and softcap are not negative; sliding_window_cache and qk_output are 0, causal is 0 or 1, and
//                             quantized caches, q_norm_weight and k_norm_weight are not given.
#include <algorithm>
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/attend.h"
#include "octet/spec/support/padding_mask.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/rotate.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

struct GroupQueryInput {
  enum Index : std::size_t {
    kQuery,
    kKey,
    kValue,
    kPastKey,
    kPastValue,
    kLengths,
    kTotal,
    kCos,
    kSin,
    kPositions,
    kAdded,
    kSink,
    kKeyScale,
    kValueScale,
    kQueryNorm,
    kKeyNorm
  };
};

struct GroupQueryHeads {
  std::int64_t queries, keys;

  explicit GroupQueryHeads(const Attributes& attributes)
      : queries(attributes.get_int("num_heads", 0)), keys(attributes.get_int("kv_num_heads", 0)) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (keys < 1 || queries < 1 || queries > kMost || queries % keys != 0)
      fail_constraint("group_query_attention_c2", "num_heads is {} and kv_num_heads is {}, wanted a multiple", queries,
                      keys);
  }
};

void require_group_query_options(const Inference& i) {
  using enum GroupQueryInput::Index;
  constexpr std::string_view kLabel = "group_query_attention_c6";
  const Attributes& attributes = i.attributes();
  for (const std::string_view number : {"scale", "softcap"})
    if (!(attributes.get_float(number, 0) >= 0))
      fail_constraint(kLabel, "{} is {}, wanted 0 or more", number, attributes.get_float(number, 0));
  for (const std::string_view unknown : {"sliding_window_cache", "qk_output"})
    if (attributes.get_int(unknown, 0) != 0)
      fail_constraint(kLabel, "{} is {}, wanted 0", unknown, attributes.get_int(unknown, 0));
  if (const std::int64_t causal = attributes.get_int("causal", 1); causal != 0 && causal != 1)
    fail_constraint(kLabel, "causal is {}, wanted 0 or 1", causal);
  for (const std::size_t input : {kKeyScale, kValueScale, kQueryNorm, kKeyNorm})
    if (i.has(input)) fail_constraint(kLabel, "input {} is given, wanted no scale of a cache and no norm", input);
  if (i.wants(3)) fail_constraint(kLabel, "the output output_qk is wanted, which Octet does not have");
}

// [batch, S, size of a head].
SymbolicShape group_query_sizes(const Inference& i, const GroupQueryHeads& heads) {
  using enum GroupQueryInput::Index;
  constexpr std::string_view kLabel = "group_query_attention_c2";
  if (i.has(kKey) != i.has(kValue)) fail_constraint(kLabel, "one of key and value is missing, wanted both or none");
  for (const std::size_t input : {kQuery, kKey, kValue}) require_rank(i, input, 3, kLabel);
  if (!i.has_shape(kQuery)) return SymbolicShape(3);
  const SymbolicShape& query = i.shape(kQuery);
  const std::int64_t parts = heads.queries + (i.has(kKey) ? 0 : 2 * heads.keys);
  if (query[2].known() && (query[2].value() == 0 || query[2].value() % parts != 0))
    fail_constraint(kLabel, "query is {}, wanted a last dimension that {} heads divide", to_string(query), parts);
  const Dim size = floor_divide(query[2], parts);
  for (const std::size_t input : {kKey, kValue})
    require_shape(i, input, {query[0], query[1], size * heads.keys}, kLabel);
  return {query[0], query[1], size};
}

std::int64_t group_query_past(std::int64_t length, std::int64_t total, std::int64_t steps) {
  return total == steps ? 0 : length + 1 - steps;
}

// total_sequence_length, as far as it is known.
Dim require_group_query_lengths(const Inference& i, const SymbolicShape& x, const Dim& past) {
  using enum GroupQueryInput::Index;
  constexpr std::string_view kLabel = "group_query_attention_c3";
  require_one_element(i, kTotal, kLabel);
  require_one_shape_of(i, kLengths, {{x[0]}, {x[0], 1}}, kLabel);
  const Tensor* wanted = i.constant(kTotal);
  if (wanted == nullptr || !x[0].known() || !x[1].known() || !past.known()) return {};
  const std::int64_t total = wanted->int_at(0), steps = x[1].value();
  if (total != past.value() + steps && (total > past.value() || total < 1))
    fail_constraint(kLabel, "total_sequence_length is {}, wanted {}, or 1 to {}", total, past.value() + steps,
                    past.value());
  if (total != steps && steps > 1 && x[0].value() > 1)
    fail_constraint(kLabel, "{} queries of {} images behind a past, wanted one of either", steps, x[0].value());
  if (const Tensor* lengths = i.constant(kLengths))
    for (const std::int64_t length : lengths->to_ints())
      if (length < (total == steps ? 0 : steps - 1) || length >= total)
        fail_constraint(kLabel, "seqlens_k holds {}, wanted {} to {}", length, total == steps ? 0 : steps - 1,
                        total - 1);
  return total;
}

// The position whose row of the caches rotates query i of image b.
std::int64_t rotary_position(const Tensor* positions, bool prompt, std::int64_t past, std::int64_t place,
                             std::int64_t i) {
  if (positions == nullptr) return past + i;
  return prompt ? positions->int_at(0) + i : positions->int_at(place);
}

// Every position is a row of the caches.
void require_group_query_rows(const Inference& i, const Dim& steps, const Dim& total, const Dim& rows) {
  using enum GroupQueryInput::Index;
  const Tensor *lengths = i.constant(kLengths), *positions = i.constant(kPositions);
  if (lengths == nullptr || !total.known() || !rows.known() || steps.is(0)) return;
  if (i.has(kPositions) && (positions == nullptr || positions->size() == 0)) return;
  const bool prompt = surely_equal(total, steps);
  std::vector<std::int64_t> firsts = {0};
  if (positions != nullptr) firsts = prompt ? std::vector{positions->int_at(0)} : positions->to_ints();
  if (positions == nullptr)
    for (const std::int64_t length : lengths->to_ints())
      firsts.push_back(group_query_past(length, total.value(), steps.value()));
  const std::int64_t behind = positions != nullptr && !prompt ? 0 : steps.value() - 1;
  for (const std::int64_t first : firsts)
    if (first < 0 || first >= rows.value() || behind >= rows.value() - first)
      fail_constraint("group_query_attention_c4", "position {}, wanted 0 to {}, the rows of cos_cache", first,
                      rows.value() - 1 - behind);
}

void require_group_query_rotation(const Inference& i, const SymbolicShape& x, const Dim& total) {
  using enum GroupQueryInput::Index;
  constexpr std::string_view kLabel = "group_query_attention_c4";
  if (i.attributes().get_int("do_rotary", 0) == 0) return;
  if (!i.has(kCos) || !i.has(kSin)) fail_constraint(kLabel, "a cache is missing, wanted both with do_rotary = 1");
  for (const std::size_t cache : {kCos, kSin}) require_rank(i, cache, 2, kLabel);
  require_shape(i, kPositions, {x[0], x[1]}, kLabel);
  if (!i.has_shape(kCos)) return;
  const SymbolicShape& cache = i.shape(kCos);
  require_shape(i, kSin, cache, kLabel);
  if (cache[1].known() && x[2].known() && cache[1].value() > x[2].value() / 2)
    fail_constraint(kLabel, "cos_cache is {}, wanted at most {} columns", to_string(cache), x[2].value() / 2);
  require_group_query_rows(i, x[1], total, cache[0]);
}

void infer_group_query_attention(Inference& i) {
  using enum GroupQueryInput::Index;
  constexpr std::string_view kTypes = "group_query_attention_c1", kPast = "group_query_attention_c3",
                             kAdditions = "group_query_attention_c5";
  const GroupQueryHeads heads(i.attributes());
  require_type(i, kQuery, TypeKind::kFloat, kTypes);
  if (i.dtype(kQuery) == DType::kDouble)
    fail_constraint(kTypes, "query is float64, wanted float32, float16 or bfloat16");
  for (const std::size_t input : {kLengths, kTotal}) i.input(input);
  for (const std::size_t input : {kKey, kValue, kPastKey, kPastValue, kCos, kSin, kAdded, kSink})
    require_dtype(i, input, i.dtype(kQuery), kTypes);
  for (const std::size_t input : {kLengths, kTotal}) require_dtype(i, input, DType::kInt32, kTypes);
  require_dtype(i, kPositions, DType::kInt64, kTypes);
  require_group_query_options(i);

  const SymbolicShape x = group_query_sizes(i, heads);
  if (i.has(kPastKey) != i.has(kPastValue))
    fail_constraint(kPast, "one of past_key and past_value is missing, wanted both or none");
  for (const std::size_t input : {kPastKey, kPastValue}) require_rank(i, input, 4, kPast);
  const Dim past = !i.has(kPastKey) ? Dim(0) : i.has_shape(kPastKey) ? i.shape(kPastKey)[2] : Dim();
  for (const std::size_t input : {kPastKey, kPastValue}) require_shape(i, input, {x[0], heads.keys, past, x[2]}, kPast);
  const Dim total = require_group_query_lengths(i, x, past);
  require_group_query_rotation(i, x, total);
  require_attention_bias(i, kAdded, {x[0], heads.queries, x[1], total}, kAdditions);
  require_shape(i, kSink, {heads.queries}, kAdditions);

  const Dim longest = total.known() ? Dim(std::max(total.value(), past.value())) : Dim();
  const SymbolicShape present = {x[0], heads.keys, longest, x[2]};
  i.set_output(0, i.dtype(kQuery), SymbolicShape{x[0], x[1], x[2] * heads.queries});
  for (const std::size_t output : {1U, 2U}) i.set_output(output, i.dtype(kQuery), present);
}

class GroupQuery {
 public:
  explicit GroupQuery(const Call& call)
      : call_(call),
        heads_(call.attributes()),
        batch_(call.input(kQuery).shape()[0]),
        steps_(call.input(kQuery).shape()[1]),
        packed_(!call.has(kKey)),
        size_(call.input(kQuery).shape()[2] / (heads_.queries + (packed_ ? 2 * heads_.keys : 0))),
        total_(call.input(kTotal).int_at(0)),
        before_(call.has(kPastKey) ? call.input(kPastKey).shape()[2] : 0) {}

  Tensor queries() const {
    Tensor tensor = Tensor::uninitialized(DType::kFloat, {batch_, heads_.queries, steps_, size_});
    float* to = tensor.mutable_as<float>().data();
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t h = 0; h < heads_.queries; ++h)
        for (std::int64_t i = 0; i < steps_; ++i, to += size_) write_head(kQuery, b, h, i, to);
    return tensor;
  }

  // Keys or values behind their past, then 0: [batch, kv heads, longest, size].
  Tensor present(std::size_t input, std::size_t past) const {
    const std::int64_t longest = std::max(total_, before_);
    Tensor tensor(DType::kFloat, {batch_, heads_.keys, longest, size_});
    float* to = tensor.mutable_as<float>().data();
    for (std::int64_t head = 0; head < batch_ * heads_.keys; ++head, to += longest * size_) {
      const std::int64_t b = head / heads_.keys, kept = past_of(b);
      if (kept > 0) std::copy_n(call_.input(past).as<float>().data() + head * before_ * size_, kept * size_, to);
      for (std::int64_t i = 0; i < steps_; ++i) write_head(input, b, head % heads_.keys, i, to + (kept + i) * size_);
    }
    return tensor;
  }

  // Fills the bias of the scores of query i of image b. Returns whether any key is visible.
  bool fill_bias(std::int64_t b, std::int64_t h, std::int64_t i, std::span<float> row) const {
    const std::int64_t place = past_of(b) + i, window = call_.attributes().get_int("local_window_size", -1);
    const bool causal = call_.attributes().get_int("causal", 1) == 1;
    std::fill(row.begin(), row.end(), 0.0F);
    if (call_.has(kAdded))
      add_attention_bias(call_.input(kAdded), b, h, i, row.first(static_cast<std::size_t>(total_)));
    bool any = false;
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(row.size()); ++j) {
      const bool counts = j <= length(b) && (!causal || j <= place) && (window <= 0 || place - j < window);
      if (!counts) row[static_cast<std::size_t>(j)] = -std::numeric_limits<float>::infinity();
      any = any || counts;
    }
    return any;
  }

 private:
  using enum GroupQueryInput::Index;

  std::int64_t length(std::int64_t b) const { return call_.input(kLengths).int_at(b); }
  std::int64_t past_of(std::int64_t b) const { return group_query_past(length(b), total_, steps_); }

  // Head h of query, key or value i of image b, rotated unless it is a value.
  void write_head(std::size_t input, std::int64_t b, std::int64_t h, std::int64_t i, float* to) const {
    const std::int64_t first = !packed_ || input == kQuery ? 0 : heads_.queries + (input == kKey ? 0 : heads_.keys);
    const Tensor& from = call_.input(packed_ ? static_cast<std::size_t>(kQuery) : input);
    const float* x = from.as<float>().data() + (b * steps_ + i) * from.shape()[2] + (first + h) * size_;
    if (input == kValue || call_.attributes().get_int("do_rotary", 0) == 0) {
      std::copy_n(x, size_, to);
      return;
    }
    const Tensor *positions = call_.has(kPositions) ? &call_.input(kPositions) : nullptr, &cos = call_.input(kCos);
    const std::int64_t row = rotary_position(positions, total_ == steps_, past_of(b), b * steps_ + i, i),
                       pairs = cos.shape()[1];
    rotate_head({2 * pairs, size_, call_.attributes().get_int("rotary_interleaved", 0) == 1}, x,
                cos.as<float>().data() + row * pairs, call_.input(kSin).as<float>().data() + row * pairs, to);
  }

  const Call& call_;
  GroupQueryHeads heads_;
  std::int64_t batch_, steps_;
  bool packed_;
  std::int64_t size_, total_, before_;
};

void compute_group_query_attention(Call& call) {
  using enum GroupQueryInput::Index;
  const GroupQuery group(call);
  const Tensor q = group.queries(), k = group.present(kKey, kPastKey), v = group.present(kValue, kPastValue);
  const std::vector<float> zeros(static_cast<std::size_t>(q.shape()[1]), 0.0F);
  Attended<float> attended = {.q = Heads<float>(q, 0), .k = Heads<float>(k, 0), .v = Heads<float>(v, 0)};
  if (const float scale = call.attributes().get_float("scale", 0); scale > 0) attended.scale = scale;
  attended.softcap = call.attributes().get_float("softcap", 0);
  if (call.has(kSink))
    attended.sinks = call.input(kSink).as<float>();
  else if (call.attributes().get_int("smooth_softmax", 0) == 1)
    attended.sinks = zeros;
  attended.bias = [&](std::int64_t b, std::int64_t h, std::int64_t i, std::span<float> row) {
    return group.fill_bias(b, h, i, row);
  };
  attended.y = call.output(0).mutable_as<float>().data();
  attended.y_in_rows = true;
  if (call.output(0).size() > 0) attend(attended, call.parallel());
  if (call.wants(1)) call.set_output(1, k);
  if (call.wants(2)) call.set_output(2, v);
}

}  // namespace

const Operator ops::kGroupQueryAttention = {
    .name = "GroupQueryAttention",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "softmax(softcap(q k^T * scale) + mask) v for each head, keys and values behind their past",
    .constraints =
        {{"group_query_attention_c1",
          "all reals have one type, float32, float16 or bfloat16; seqlens_k and total_sequence_length are int32, "
          "position_ids int64. The past is not quantized"},
         {"group_query_attention_c2",
          "num_heads is a multiple of kv_num_heads; query is [batch, S, heads * size], key and value [batch, S, kv "
          "heads * "
          "size], or all three are query's columns"},
         {"group_query_attention_c3",
          "past_key and past_value come together, [batch, kv heads, P, size]; total_sequence_length is one element, P "
          "+ S "
          "or at most P; seqlens_k are [batch], each from S - 1 (from 0 in a prompt) to total_sequence_length - 1; "
          "without a "
          "prompt S is 1 or the batch is 1"},
         {"group_query_attention_c4",
          "cos_cache and sin_cache are there with do_rotary = 1, with at most half as many pairs as a head has "
          "elements, "
          "and a row for every position"},
         {"group_query_attention_c5",
          "attention_bias is [batch or 1, heads or 1, S, total_sequence_length], head_sink [heads]"},
         {"group_query_attention_c6",
          "scale and softcap are not negative; sliding_window_cache and qk_output are 0, causal is 0 or 1, and "
          "quantized "
          "caches, q_norm_weight and k_norm_weight are not given"}},
    .infer = infer_group_query_attention,
    .compute = compute_group_query_attention,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
