#include "octet/spec/support/fourier.h"

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Spectrum = std::vector<float>;

Tensor signal(const Spectrum& numbers) {
  return Tensor::from<float>({1, static_cast<std::int64_t>(numbers.size()), 1}, numbers);
}

void expect_near(const Tensor& got, const Spectrum& want, float tolerance = 1e-5F) {
  ASSERT_EQ(got.size(), static_cast<std::int64_t>(want.size()));
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got.as<float>()[k], want[k], tolerance) << k;
}

TEST(Fourier, GivesTheDefinitionForEveryLength) {
  for (std::size_t n = 1; n <= 40; ++n)
    for (const bool inverse : {false, true}) {
      std::vector<std::complex<double>> x;
      for (std::size_t k = 0; k < n; ++k) x.emplace_back(1.0 / static_cast<double>(k + 1), k % 3 == 0 ? -1.0 : 0.5);
      std::vector<std::complex<double>> got = x;
      Fourier(n, inverse).transform(got);
      for (std::size_t k = 0; k < n; ++k) {
        std::complex<double> want = 0;
        for (std::size_t t = 0; t < n; ++t)
          want += x[t] * std::polar(1.0, (inverse ? 2 : -2) * 3.14159265358979323846 * static_cast<double>(k * t) /
                                             static_cast<double>(n));
        EXPECT_LT(std::abs(got[k] - want), 1e-12) << n << " " << k;
      }
    }
}

TEST(Dft, TransformsRealSignals) {
  const Tensor x = signal({1, 2, 3, 4});
  expect_near(run_operator("DFT", 20, {}, {x})[0], {10, 0, -2, 2, -2, 0, -2, -2});
  expect_near(run_operator("DFT", 17, {{"onesided", 1L}}, {x})[0], {10, 0, -2, 2, -2, 0});
  expect_near(run_operator("DFT", 20, {}, {x, int64s({}, {3})})[0], {6, 0, -1.5F, 0.8660254F, -1.5F, -0.8660254F});
  expect_near(run_operator("DFT", 20, {}, {signal({1}), int64s({}, {2})})[0], {1, 0, 1, 0});
}

TEST(Dft, ComesBack) {
  for (const std::int64_t length : {4L, 5L, 6L}) {
    const Tensor x = counting<float>({2, length, 1}, 1);
    const Tensor y = run_operator("DFT", 20, {}, {x, Tensor(), int64s({}, {1})})[0];
    const Tensor back = run_operator("DFT", 20, {{"inverse", 1L}}, {y, Tensor(), int64s({}, {-2})})[0];
    for (std::int64_t k = 0; k < x.size(); ++k) EXPECT_NEAR(back.number_at(2 * k), x.number_at(k), 1e-5);
    const AttributeList half = {{"onesided", 1L}}, half_back = {{"onesided", 1L}, {"inverse", 1L}};
    const Tensor few = run_operator("DFT", 20, half, {x})[0];
    const Tensor real = run_operator("DFT", 20, half_back, {few, int64s({}, {length})})[0];
    EXPECT_EQ(real.shape(), x.shape());
    expect_near(real, values<float>(x));
  }
}

TEST(Dft, ChecksItsConstraints) {
  const Tensor x = signal({1, 2}), complex(DType::kFloat, {1, 2, 2});
  EXPECT_EQ(broken_constraint("DFT", 20, {}, {Tensor(DType::kInt32, {1, 2, 1})}), "dft_c1");
  EXPECT_EQ(broken_constraint("DFT", 20, {}, {Tensor(DType::kFloat, {1, 2, 3})}), "dft_c1");
  EXPECT_EQ(broken_constraint("DFT", 20, {{"onesided", 1L}}, {complex}), "dft_c1");
  EXPECT_EQ(broken_constraint("DFT", 20, {{"onesided", 1L}, {"inverse", 1L}}, {x}), "dft_c1");
  EXPECT_EQ(broken_constraint("DFT", 20, {}, {x, int64s({}, {0})}), "dft_c2");
  EXPECT_EQ(broken_constraint("DFT", 20, {}, {x, int64s({}, {1L << 40})}), "dft_c2");
  EXPECT_EQ(broken_constraint("DFT", 20, {}, {Tensor(DType::kFloat, {1, 0, 1})}), "dft_c2");
  EXPECT_EQ(broken_constraint("DFT", 20, {}, {x, Tensor(), int64s({}, {2})}), "dft_c3");
  EXPECT_EQ(broken_constraint("DFT", 17, {{"axis", -4L}}, {x}), "dft_c3");
}

TEST(Stft, TransformsFrames) {
  const Tensor x = signal({1, 1, 1, 1, 0, 0, 0, 0}), four = int64s({}, {4}),
               window = Tensor::from<float>({4}, {1, 1, 1, 1});
  const Spectrum want = {4, 0, 0, 0, 0, 0, 2, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  expect_near(run_operator("STFT", 17, {}, {x, int64s({}, {2}), Tensor(), four})[0], want);
  expect_near(run_operator("STFT", 17, {}, {x, int64s({}, {2}), window})[0], want);
  EXPECT_EQ(run_operator("STFT", 17, {{"onesided", 0L}}, {x, int64s({}, {2}), window})[0].shape(), (Shape{1, 3, 4, 2}));
}

TEST(Stft, ChecksItsConstraints) {
  const Tensor x = signal({1, 1, 1, 1}), two = int64s({}, {2});
  EXPECT_EQ(broken_constraint("STFT", 17, {}, {Tensor(DType::kFloat, {1, 4, 2}), two, Tensor(), two}), "stft_c1");
  EXPECT_EQ(broken_constraint("STFT", 17, {}, {x, two, Tensor(DType::kDouble, {2})}), "stft_c1");
  EXPECT_EQ(broken_constraint("STFT", 17, {}, {x, two}), "stft_c2");
  EXPECT_EQ(broken_constraint("STFT", 17, {}, {x, int64s({}, {0}), Tensor(), two}), "stft_c2");
  EXPECT_EQ(broken_constraint("STFT", 17, {}, {x, two, Tensor(), int64s({}, {5})}), "stft_c3");
  EXPECT_EQ(broken_constraint("STFT", 17, {}, {x, two, Tensor(DType::kFloat, {3}), two}), "stft_c3");
  EXPECT_EQ(broken_constraint("STFT", 17, {}, {x, two, Tensor(), int64s({}, {1L << 40})}), "stft_c3");
}

std::vector<Tensor> mel_inputs(std::int64_t bands, std::int64_t length, std::int64_t rate, float low, float high) {
  return {int64s({}, {bands}), int64s({}, {length}), int64s({}, {rate}), Tensor::scalar(low), Tensor::scalar(high)};
}

TEST(MelWeightMatrix, HasATriangleForEachBand) {
  // The points are the bins 0, 0, 1 and 2.
  const Tensor y = run_operator("MelWeightMatrix", 17, {}, mel_inputs(2, 8, 8192, 0, 4096))[0];
  EXPECT_EQ(y.shape(), (Shape{5, 2}));
  EXPECT_EQ(values<float>(y), (std::vector<float>{1, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(MelWeightMatrix, ChecksItsConstraints) {
  const auto broken = [](const AttributeList& attributes, const std::vector<Tensor>& inputs) {
    return broken_constraint("MelWeightMatrix", 17, attributes, inputs);
  };
  EXPECT_EQ(broken({}, mel_inputs(-1, 8, 8192, 0, 4096)), "mel_weight_matrix_c1");
  EXPECT_EQ(broken({}, mel_inputs(2, 0, 8192, 0, 4096)), "mel_weight_matrix_c1");
  EXPECT_EQ(broken({}, mel_inputs(2, 8, 8192, 0, 5000)), "mel_weight_matrix_c1");
  EXPECT_EQ(broken({}, mel_inputs(2, 8, 8192, 100, 50)), "mel_weight_matrix_c1");
  EXPECT_EQ(broken({{"output_datatype", 8L}}, mel_inputs(2, 8, 8192, 0, 4096)), "mel_weight_matrix_c2");
}

}  // namespace
}  // namespace octet
