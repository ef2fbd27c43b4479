// mel_weight_matrix.cc: the meaning of MelWeightMatrix.
//
//   y[k, m] = the weight of frequency bin k in mel band m: up to 1 in its middle, 0 at its lower and upper edge
//
// y is [dft_length / 2 + 1, num_mel_bins]. The edges and middles are num_mel_bins + 2 points at equal distances from
// lower_edge_hertz to upper_edge_hertz on the mel scale, 2595 * log10(1 + f / 700), the distance being the range over
// num_mel_bins + 2; a point is the bin floor((dft_length + 1) * f / sample_rate). In float64, rounded once.
//
//   mel_weight_matrix_c1  num_mel_bins, dft_length and sample_rate are one int32 or int64 each, positive (num_mel_bins
//                         may be 0) and up to 2^31; the edges are one number each, floating point, with 0 <= lower <=
//                         upper <= sample_rate / 2.
//   mel_weight_matrix_c2  output_datatype is floating point or an integer of 8 to 64 bits.
#include <algorithm>
#include <array>
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr std::int64_t kMostMelBins = std::int64_t{1} << 31;

DType mel_type(const Attributes& attributes) {
  const std::int64_t type = attributes.get_int("output_datatype", 1);
  const DType dtype = type > 0 && type < kDTypeCount ? static_cast<DType>(type) : DType::kUndefined;
  if (!is_float(dtype) && !(is_integer(dtype) && bits(dtype) >= 8))
    fail_constraint("mel_weight_matrix_c2", "output_datatype is {}, wanted a type of numbers", type);
  return dtype;
}

Dim mel_count(const Inference& i, std::size_t input, std::int64_t least) {
  require_index_type(i, input, "mel_weight_matrix_c1");
  const auto values = known_integers(i, input);
  if (!values) return {};
  if (values->size() != 1 || values->front() < least || values->front() > kMostMelBins)
    fail_constraint("mel_weight_matrix_c1", "input {} has {} elements, wanted one from {} to {}", input, values->size(),
                    least, kMostMelBins);
  return values->front();
}

void require_edges(const Inference& i, const Dim& sample_rate) {
  std::array<double, 2> edges{};
  for (std::size_t k = 0; k < 2; ++k) {
    require_type(i, k + 3, TypeKind::kFloat, "mel_weight_matrix_c1");
    const Tensor* edge = i.constant(k + 3);
    if (!edge || !sample_rate.known()) return;
    if (edge->size() != 1)
      fail_constraint("mel_weight_matrix_c1", "input {} has {} elements, wanted 1", k + 3, edge->size());
    edges[k] = edge->number_at(0);
  }
  if (!(0 <= edges[0] && edges[0] <= edges[1] && edges[1] <= static_cast<double>(sample_rate.value()) / 2))
    fail_constraint("mel_weight_matrix_c1", "the edges are {} and {} Hz at {} samples a second", edges[0], edges[1],
                    sample_rate.value());
}

void infer_mel_weight_matrix(Inference& i) {
  const Dim bands = mel_count(i, 0, 0), length = mel_count(i, 1, 1);
  require_edges(i, mel_count(i, 2, 1));
  i.set_output(0, mel_type(i.attributes()), SymbolicShape{floor_divide(length, 2) + 1, bands});
}

double to_mel(double hertz) { return 2595 * std::log1p(hertz / 700) / std::log(10); }
double to_hertz(double mel) { return 700 * std::expm1(mel / 2595 * std::log(10)); }

void compute_mel_weight_matrix(Call& call) {
  const std::int64_t rows = call.output_shape(0)[0], bands = call.output_shape(0)[1];
  const auto bins = static_cast<double>(call.input(1).int_at(0) + 1);
  const auto rate = static_cast<double>(call.input(2).int_at(0));
  const double low = to_mel(call.input(3).number_at(0)), high = to_mel(call.input(4).number_at(0));
  const double distance = (high - low) / static_cast<double>(bands + 2);
  const auto point = [&](std::int64_t k) {
    return static_cast<std::int64_t>(std::floor(bins * to_hertz(low + static_cast<double>(k) * distance) / rate));
  };
  Tensor matrix(DType::kDouble, {rows, bands});
  const std::span<double> elements = matrix.mutable_as<double>();
  for (std::int64_t m = 0; m < bands; ++m) {
    const std::int64_t left = point(m), middle = point(m + 1), right = point(m + 2);
    for (std::int64_t k = std::max<std::int64_t>(0, left); k < std::min(rows, std::max(right, middle + 1)); ++k)
      elements[static_cast<std::size_t>(k * bands + m)] =
          k == middle  ? 1.0
          : k < middle ? static_cast<double>(k - left) / static_cast<double>(middle - left)
                       : static_cast<double>(right - k) / static_cast<double>(right - middle);
  }
  call.set_output(0, convert(matrix, call.output_dtype(0)));
}

}  // namespace

const Operator ops::kMelWeightMatrix = {
    .name = "MelWeightMatrix",
    .versions = {17},
    .formula = "y[k,m] = the weight of frequency bin k in mel band m",
    .constraints = {{"mel_weight_matrix_c1",
                     "num_mel_bins, dft_length and sample_rate are one int32 or int64 each, positive (num_mel_bins may "
                     "be 0) and up to 2^31; the edges are one number each, floating point, with 0 <= lower <= upper <= "
                     "sample_rate / 2"},
                    {"mel_weight_matrix_c2", "output_datatype is floating point or an integer of 8 to 64 bits"}},
    .infer = infer_mel_weight_matrix,
    .compute = compute_mel_weight_matrix,
    .halves = Halves::kAsIs,
};

}  // namespace octet
