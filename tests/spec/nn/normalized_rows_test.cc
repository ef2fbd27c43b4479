// InstanceNormalization beside its definition, plane by plane.
#include <cmath>

#include "tests/spec/random_rows.h"

namespace octet {
namespace {

// The order of ONNX Runtime's sums of a row that begins `offset` elements behind an aligned address: pairs of vectors of four, a
// single vector behind them, then what stands before the first vector and behind the last.
float sum_in_vectors(std::span<const float> row, std::size_t offset) {
  const std::size_t begin = (4 - offset % 4) % 4, vectors = row.size() < begin + 4 ? 0 : (row.size() - begin) / 4;
  const std::size_t end = begin + 4 * vectors, pairs = begin + 8 * (vectors / 2);
  float sum = 0;
  if (vectors == 0) {
    for (const float value : row) sum += value;
    return sum;
  }
  float lanes[4] = {};
  for (std::size_t lane = 0; lane < 4; ++lane) {
    float even = 0, odd = 0;
    for (std::size_t k = begin + lane; k < pairs; k += 8) {
      even += row[k];
      odd += row[k + 4];
    }
    lanes[lane] = even + odd;
    if (pairs < end) lanes[lane] += row[pairs + lane];
  }
  sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (std::size_t k = 0; k < begin; ++k) sum += row[k];
  for (std::size_t k = end; k < row.size(); ++k) sum += row[k];
  return sum;
}

TEST(NormalizedRows, AreNormalizedByTheirMoments) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const std::int64_t channels = random.number(1, 30), size = random.number(1, 50);
    const Tensor x = random.floats({1, channels, size}, false, seed % 3 == 0), scale = random.floats({channels}),
                 bias = random.floats({channels});
    Tensor wanted(DType::kFloat, x.shape());
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
      const auto plane = x.as<float>().subspan(c * static_cast<std::size_t>(size), static_cast<std::size_t>(size));
      const float count = static_cast<float>(size), mean = sum_in_vectors(plane, c * plane.size()) / count;
      std::vector<float> squares;
      for (const float value : plane) squares.push_back((value - mean) * (value - mean));
      const float variance = sum_in_vectors(squares, 0) / count;
      const float factor = 1 / std::sqrt(variance + 1e-5F) * scale.as<float>()[c];
      const float shift = bias.as<float>()[c] - mean * factor;
      for (std::size_t k = 0; k < plane.size(); ++k)
        wanted.mutable_as<float>()[c * plane.size() + k] = plane[k] * factor + shift;
    }
    EXPECT_TRUE(same_bits(run_operator("InstanceNormalization", 6, {}, {x, scale, bias})[0], wanted)) << seed;
  }
}

}  // namespace
}  // namespace octet
