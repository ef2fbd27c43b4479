// qembed_layer_normalization.cc: the meaning of com.microsoft QEmbedLayerNormalization.
//
//   layernorm_out, mask_index_out = EmbedLayerNormalization of DequantizeLinear of the tables, of gamma and of beta
//
// each with a scale and a zero point for all of it; only the rows that ids name are dequantized. Arithmetic is float32.
//
//   qembed_layer_normalization_c1  the tables, gamma and beta are int8 or uint8, each zero point has their type; scales are float32.
//   qembed_layer_normalization_c2  scales and zero points have one element; those of segments come with segment_embedding.
//   and what EmbedLayerNormalization wants.
#include <numeric>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {
namespace {

struct QEmbedInput {
  enum Index : std::size_t { kIds, kSegments, kWords, kPositions, kSegmentTable, kGamma, kBeta, kMask, kScales };
};
constexpr std::size_t kEmbedded = 5;  // words, positions, segments, gamma, beta: inputs from kWords on
constexpr std::size_t kEmbedOpset = 1;

std::size_t scale_of(std::size_t table) { return QEmbedInput::kScales + (table - QEmbedInput::kWords); }
std::size_t zero_point_of(std::size_t table) { return scale_of(table) + kEmbedded; }

void infer_qembed_layer_normalization(Inference& i) {
  using enum QEmbedInput::Index;
  constexpr std::string_view kTypes = "qembed_layer_normalization_c1", kParameters = "qembed_layer_normalization_c2";
  std::vector<Fact> inputs;
  for (std::size_t k = kIds; k <= kMask; ++k) {
    inputs.push_back(i.has(k) ? i.input(k) : Fact());
    if (k < QEmbedInput::kWords || k == kMask) continue;
    if (k == kSegmentTable && !i.has(k)) {
      if (i.has(scale_of(k)) || i.has(zero_point_of(k)))
        fail_constraint(kParameters, "segment_embedding is missing, and its scale or zero point given, wanted neither");
      continue;
    }
    require_8bit(i, k, kTypes);
    require_dtype(i, k, i.dtype(kWords), kTypes);
    require_quantization(i, i.dtype(kWords), scale_of(k), zero_point_of(k), {.types = kTypes, .shapes = kParameters});
    inputs.back().dtype = DType::kFloat;
    inputs.back().constant = {};
  }
  Inference embedding(kEmbedOpset, i.attributes(), std::move(inputs), 2);
  ops::kEmbedLayerNormalization.infer(embedding);
  for (const std::size_t output : {0U, 1U})
    i.set_output(output, embedding.outputs()[output].dtype, embedding.outputs()[output].shape);
}

// The rows of a table that `rows` names, or all of a vector, as floats.
Tensor dequantized_rows(const Call& call, std::size_t table, const std::vector<std::int64_t>& rows) {
  const Tensor& integers = call.input(table);
  const Quantization quantization = quantization_at(call, scale_of(table), zero_point_of(table));
  const std::int64_t width = integers.shape().back();
  Tensor result = Tensor::uninitialized(DType::kFloat, {static_cast<std::int64_t>(rows.size()), width});
  float* to = result.mutable_as<float>().data();
  for (const std::int64_t row : rows)
    for (std::int64_t k = 0; k < width; ++k)
      *to++ = static_cast<float>(integers.int_at(row * width + k) - quantization.zero_point) * quantization.scale;
  return result;
}

void compute_qembed_layer_normalization(Call& call) {
  using enum QEmbedInput::Index;
  const Tensor& ids = call.input(kIds);
  std::vector<std::int32_t> places(static_cast<std::size_t>(ids.size()));
  std::iota(places.begin(), places.end(), 0);
  std::vector<std::int64_t> steps(static_cast<std::size_t>(ids.shape()[1]));
  std::iota(steps.begin(), steps.end(), 0);
  const Tensor every = Tensor::from<std::int32_t>(ids.shape(), places);  // each id names a row of its own
  const auto vector = [&](std::size_t input) {
    return dequantized_rows(call, input, {0}).reshaped({call.input(input).size()});
  };
  std::vector<Tensor> inputs = {every,
                                {},
                                dequantized_rows(call, kWords, ids.to_ints()),
                                dequantized_rows(call, kPositions, steps),
                                {},
                                vector(kGamma),
                                vector(kBeta),
                                call.has(kMask) ? call.input(kMask) : Tensor()};
  if (call.has(kSegments)) {
    inputs[kSegments] = every;
    inputs[kSegmentTable] = dequantized_rows(call, kSegmentTable, call.input(kSegments).to_ints());
  }
  std::vector<Tensor> results = execute(ops::kEmbedLayerNormalization, kEmbedOpset, call.attributes(), inputs, 2,
                                        {.arithmetic = call.arithmetic(), .parallel = call.parallel()});
  call.set_output(0, std::move(results[0]));
  if (call.wants(1)) call.set_output(1, std::move(results[1]));
}

}  // namespace

const Operator ops::kQEmbedLayerNormalization = {
    .name = "QEmbedLayerNormalization",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "EmbedLayerNormalization of the dequantized tables, gamma and beta",
    .constraints =
        {{"qembed_layer_normalization_c1",
          "the tables, gamma and beta are int8 or uint8, each zero point has their type; scales are float32"},
         {"qembed_layer_normalization_c2",
          "scales and zero points have one element; those of segments come with segment_embedding"}},
    .infer = infer_qembed_layer_normalization,
    .compute = compute_qembed_layer_normalization,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
