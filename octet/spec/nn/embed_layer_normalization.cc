// embed_layer_normalization.cc: the meaning of com.microsoft EmbedLayerNormalization.
//
//   e = word_embedding[input_ids] + position_embedding[position] [+ segment_embedding[segment_ids]]
//   output = (e - mean) / sqrt(var + epsilon) * gamma + beta        along the last dimension (normal_rows.h)
//   mask_index[b] = how many elements of mask[b] are 1              0 without a mask
//
// position is that of position_ids, or the place in the sequence. Sums are float32, from left to right, also for float16.
//
//   embed_layer_normalization_c1  the ids and the mask are int32; the tables, gamma and beta have the same type, float32 or
//                                 float16.
//   embed_layer_normalization_c2  input_ids, segment_ids and mask are [B, S]; position_ids is [B, S] or [1, S].
//   embed_layer_normalization_c3  the tables are [rows, H] with H >= 1; gamma and beta are [H]; segment_ids and
//                                 segment_embedding come together.
//   embed_layer_normalization_c4  every id is the number of a row of its table, and S does not exceed the positions.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/normal_rows.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

struct EmbedInput {
  enum Index : std::size_t { kIds, kSegments, kWords, kPositions, kSegmentTable, kGamma, kBeta, kMask, kPositionIds };
};

// The ids are known: each names a row of the table.
void require_rows(const Inference& i, std::size_t ids, std::size_t table) {
  const Tensor* numbers = i.constant(ids);
  if (numbers == nullptr || !i.has_shape(table) || !i.shape(table)[0].known()) return;
  const std::int64_t rows = i.shape(table)[0].value();
  for (const std::int32_t id : numbers->as<std::int32_t>())
    if (id < 0 || id >= rows)
      fail_constraint("embed_layer_normalization_c4",
                      "input {} holds {}, wanted the number of one of the {} rows of {}", ids, id, rows, table);
}

void infer_embed_layer_normalization(Inference& i) {
  using enum EmbedInput::Index;
  constexpr std::string_view kTypes = "embed_layer_normalization_c1", kIdShapes = "embed_layer_normalization_c2",
                             kTables = "embed_layer_normalization_c3";
  i.input(kIds);
  for (const std::size_t ids : {kIds, kSegments, kMask, kPositionIds}) require_dtype(i, ids, DType::kInt32, kTypes);
  const DType real = i.dtype(kWords);
  if (real != DType::kFloat && real != DType::kFloat16)
    fail_constraint(kTypes, "word_embedding is {}, wanted float32 or float16", name(real));
  for (const std::size_t table : {kPositions, kGamma, kBeta}) i.input(table);
  for (const std::size_t table : {kPositions, kSegmentTable, kGamma, kBeta}) require_dtype(i, table, real, kTypes);
  if (i.has(kSegments) != i.has(kSegmentTable))
    fail_constraint(kTables, "only one of segment_ids and segment_embedding is given, wanted both or none");

  for (const std::size_t ids : {kIds, kPositionIds}) require_rank(i, ids, 2, kIdShapes);
  const SymbolicShape ids = i.has_shape(kIds) ? i.shape(kIds) : SymbolicShape{Dim(), Dim()};
  for (const std::size_t same : {kSegments, kMask}) require_shape(i, same, ids, kIdShapes);
  if (i.has_shape(kPositionIds) && !i.shape(kPositionIds)[0].is(1)) require_shape(i, kPositionIds, ids, kIdShapes);
  require_shape(i, kPositionIds, {Dim(), ids[1]}, kIdShapes);
  for (const std::size_t table : {kWords, kPositions, kSegmentTable}) require_rank(i, table, 2, kTables);
  const Dim hidden = i.has_shape(kWords) ? i.shape(kWords)[1] : Dim();
  if (hidden.is(0)) fail_constraint(kTables, "word_embedding is {}, wanted a column", to_string(i.shape(kWords)));
  for (const std::size_t table : {kPositions, kSegmentTable}) require_shape(i, table, {Dim(), hidden}, kTables);
  for (const std::size_t vector : {kGamma, kBeta}) require_shape(i, vector, {hidden}, kTables);

  require_rows(i, kIds, kWords);
  require_rows(i, kSegments, kSegmentTable);
  require_rows(i, kPositionIds, kPositions);
  if (!i.has(kPositionIds) && i.has_shape(kPositions) && ids[1].known() && i.shape(kPositions)[0].known() &&
      ids[1].value() > i.shape(kPositions)[0].value())
    fail_constraint("embed_layer_normalization_c4",
                    "sequences have {} tokens, wanted at most as many as position_embedding has rows, {}",
                    ids[1].value(), i.shape(kPositions)[0].value());
  const SymbolicShape y = {ids[0], ids[1], hidden};
  i.set_output(0, real, y);
  i.set_output(1, DType::kInt32, SymbolicShape{ids[0]});
  i.set_output(2, real, y);
}

void count_mask(Call& call) {
  using enum EmbedInput::Index;
  const std::span<std::int32_t> counts = call.output(1).mutable_as<std::int32_t>();
  std::fill(counts.begin(), counts.end(), 0);
  if (!call.has(kMask) || counts.empty()) return;
  const std::span<const std::int32_t> mask = call.input(kMask).as<std::int32_t>();
  const std::size_t length = mask.size() / counts.size();
  for (std::size_t k = 0; k < mask.size(); ++k) counts[k / length] += mask[k] == 1 ? 1 : 0;
}

void compute_embed_layer_normalization(Call& call) {
  using enum EmbedInput::Index;
  const std::int64_t steps = call.input(kIds).shape()[1], length = call.input(kWords).shape()[1];
  const float epsilon = call.attributes().get_float("epsilon", 1e-12F);
  const auto ids = [&](std::size_t k) { return call.has(k) ? call.input(k).as<std::int32_t>().data() : nullptr; };
  const auto reals = [&](std::size_t k) { return call.has(k) ? call.input(k).as<float>().data() : nullptr; };
  const std::int32_t *word_ids = ids(kIds), *segment_ids = ids(kSegments), *position_ids = ids(kPositionIds);
  const std::int64_t positions = call.has(kPositionIds) ? call.input(kPositionIds).size() : 0;
  const float *words = reals(kWords), *places = reals(kPositions), *segments = reals(kSegmentTable),
              *gamma = reals(kGamma), *beta = reals(kBeta);
  float* y = call.output(0).mutable_as<float>().data();
  float* sums = call.wants(2) ? call.output(2).mutable_as<float>().data() : y;
  call.parallel().for_each_block(call.input(kIds).size(), 1, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      float* sum = sums + row * length;
      const float* word = words + word_ids[row] * length;
      const float* place = places + (position_ids ? position_ids[row % positions] : row % steps) * length;
      const float* segment = segments ? segments + segment_ids[row] * length : nullptr;
      for (std::int64_t k = 0; k < length; ++k) sum[k] = segment ? word[k] + place[k] + segment[k] : word[k] + place[k];
      write_normal_row(centred_row(sum, length, epsilon), sum, length, gamma, beta, y + row * length);
    }
  });
  if (call.wants(1)) count_mask(call);
}

}  // namespace

const Operator ops::kEmbedLayerNormalization = {
    .name = "EmbedLayerNormalization",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "output = (e - mean) / sqrt(var + epsilon) * gamma + beta, e = words + positions + segments",
    .constraints =
        {{"embed_layer_normalization_c1",
          "the ids and the mask are int32; the tables, gamma and beta have the same type, float32 or float16"},
         {"embed_layer_normalization_c2",
          "input_ids, segment_ids and mask are [B, S]; position_ids is [B, S] or [1, S]"},
         {"embed_layer_normalization_c3",
          "the tables are [rows, H] with H >= 1; gamma and beta are [H]; segment_ids and segment_embedding "
          "come together"},
         {"embed_layer_normalization_c4",
          "every id is the number of a row of its table, and S does not exceed the positions"}},
    .infer = infer_embed_layer_normalization,
    .compute = compute_embed_layer_normalization,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
