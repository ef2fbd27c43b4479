#include "octet/quantize/calibrate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "octet/base/error.h"
#include "octet/quantize/finite_range.h"

namespace octet {
namespace {

Tensor batch(std::int64_t samples, const std::vector<float>& values) {
  const auto per_sample = static_cast<std::int64_t>(values.size()) / samples;
  return Tensor::from<float>({samples, per_sample}, std::span<const float>(values));
}

Range observed(Calibration method, const std::vector<Tensor>& batches, double percentile = 99.999) {
  Calibrator calibrator({"t"}, {.method = method, .percentile = percentile, .encoding = {DType::kInt8}});
  std::int64_t first = 0;
  for (const Tensor& values : batches) {
    calibrator.observe("t", values, {first, values.shape()[0]});
    first += values.shape()[0];
  }
  return calibrator.ranges().at("t");
}

TEST(Calibrator, MinMaxSeesEverything) {
  EXPECT_EQ(observed(Calibration::kMinMax, {batch(2, {1, -2, 3, 4}), batch(1, {-5, 0})}), (Range{-5, 4}));
}

TEST(Calibrator, MovingAverageIsOverSamplesWhateverTheBatches) {
  const Range one = observed(Calibration::kMovingAverage, {batch(2, {-1, 1, -3, 5})});
  const Range two = observed(Calibration::kMovingAverage, {batch(1, {-1, 1}), batch(1, {-3, 5})});
  EXPECT_EQ(one, (Range{-2, 3}));
  EXPECT_EQ(two, one);
}

TEST(Calibrator, PercentileCutsRareNumbers) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 1000;
  values[999] = 64;                                                                  // one outlier in a thousand
  const Range range = observed(Calibration::kPercentile, {batch(1, values)}, 99.0);  // 0.5 % at either end
  EXPECT_NEAR(range.max, 0.995F, 2 * 128.0F / 8192);
  EXPECT_EQ(observed(Calibration::kPercentile, {batch(1, values)}, 100.0).max, 64);
}

// 2 % is cut away, half of it at either end: of 0, 1, ..., 9999 the lowest and the highest hundred.
TEST(Calibrator, PercentileCutsHalfOfTheRestAtEitherEnd) {
  std::vector<float> values(10'000);
  std::iota(values.begin(), values.end(), 0.0F);
  const Range range = observed(Calibration::kPercentile, {batch(1, values)}, 98.0);
  EXPECT_NEAR(range.min, 100, 3);
  EXPECT_NEAR(range.max, 9899, 3);
}

TEST(Calibrator, EntropyDropsALoneOutlier) {
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i) values.push_back(std::sin(static_cast<float>(i)));
  values.push_back(40);
  const Range range = observed(Calibration::kEntropy, {batch(1, values)});
  EXPECT_LT(range.max, 10);
  EXPECT_GE(range.max, 1);
}

// The divergence of P from Q, as its definition spells it, for 2,048 bins and the threshold `half` bins from the middle.
double divergence(const std::vector<double>& counts, std::size_t half) {
  const std::size_t middle = counts.size() / 2, begin = middle - half, end = middle + half;
  std::vector<double> p(counts.begin() + static_cast<std::ptrdiff_t>(begin),
                        counts.begin() + static_cast<std::ptrdiff_t>(end)),
      q(p.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (i < begin || i >= end) (i < begin ? p.front() : p.back()) += counts[i];
  for (std::size_t step = 0; step < 256; ++step) {
    const std::size_t first = q.size() * step / 256, last = q.size() * (step + 1) / 256;
    double sum = 0, filled = 0;
    for (std::size_t i = first; i < last; ++i) {
      sum += counts[begin + i];
      filled += counts[begin + i] > 0 ? 1 : 0;
    }
    for (std::size_t i = first; i < last; ++i) q[i] = counts[begin + i] > 0 ? sum / filled : 0;
  }
  const double total_p = std::accumulate(p.begin(), p.end(), 0.0), total_q = std::accumulate(q.begin(), q.end(), 0.0);
  double result = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0) result += p[i] / total_p * std::log(p[i] / total_p / (std::max(q[i], 1e-4) / total_q));
  return result;
}

TEST(Calibrator, EntropyIsLeastAtItsThreshold) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Histogram histogram;
    std::vector<float> values(5000);
    for (float& value : values) {
      value = std::normal_distribution<float>()(random);
      if (round % 2 == 1) value = std::max(value, 0.0F);
      if (random() % 500 == 0) value *= static_cast<float>(1 + round % 7);
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    histogram.add(values, {*low, *high});

    constexpr std::size_t kCoarse = 2048;
    const std::vector<std::uint64_t> fine = histogram.counts();
    std::vector<double> counts(kCoarse);
    for (std::size_t i = 0; i < fine.size(); ++i) counts[i / (fine.size() / kCoarse)] += static_cast<double>(fine[i]);
    counts[kCoarse / 2] -= static_cast<double>(histogram.zeros());
    const double width = histogram.bin_width() * static_cast<double>(fine.size() / kCoarse);
    const auto reach =
        std::max<std::size_t>(128, static_cast<std::size_t>(static_cast<double>(std::max(-*low, *high)) / width) + 1);
    std::size_t best = 128;
    for (std::size_t half = 128; half <= reach; ++half)
      if (divergence(counts, half) < divergence(counts, best)) best = half;

    const auto threshold = static_cast<float>(static_cast<double>(best) * width);
    EXPECT_EQ(entropy_range(histogram), (Range{std::max(*low, -threshold), std::min(*high, threshold)})) << round;
  }
}

TEST(Calibrator, EntropyDoesNotMindTheZerosOfARelu) {
  std::vector<float> values(60000, 0.0F);
  for (int i = 0; i < 20000; ++i) values.push_back(std::fabs(std::sin(static_cast<float>(i))));
  EXPECT_GT(observed(Calibration::kEntropy, {batch(1, values)}).max, 0.9F);
}

TEST(Calibrator, SquaredErrorClipsWhatCostsLess) {
  std::vector<float> values;
  for (int i = 0; i < 100000; ++i) values.push_back(std::sin(static_cast<float>(i)));
  values.push_back(3);
  const Range range = observed(Calibration::kSquaredError, {batch(1, values)});
  EXPECT_LT(range.max, 3);  // steps of 1/64 for all to save one number cost more than clipping it
  EXPECT_GE(range.max, 1);
}

TEST(Calibrator, SquaredErrorKeepsARangeThatIsUsed) {
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(static_cast<float>(i) / 1000);
  EXPECT_GT(observed(Calibration::kSquaredError, {batch(1, values)}).max, 0.97F);
}

TEST(Calibrator, CopesWithZerosOnly) {
  for (Calibration method : {Calibration::kMinMax, Calibration::kMovingAverage, Calibration::kPercentile,
                             Calibration::kEntropy, Calibration::kSquaredError})
    EXPECT_EQ(observed(method, {batch(1, {0, 0, 0})}), (Range{0, 0})) << name(method);
}

TEST(Calibrator, RefusesNumbersThatAreNone) {
  EXPECT_THROW(observed(Calibration::kMinMax, {batch(1, {std::numeric_limits<float>::quiet_NaN()})}), Error);
  EXPECT_THROW(observed(Calibration::kEntropy, {batch(1, {-std::numeric_limits<float>::infinity(), std::nanf("")})}),
               Error);
}

TEST(Calibrator, RefusesAnUnknownMethodAndPercentile) {
  EXPECT_THROW(calibration_named("maxmin"), Error);
  EXPECT_THROW(Calibrator({}, {.percentile = 40}), Error);
}

TEST(Histogram, KeepsEveryCountWhenItGrows) {
  Histogram histogram;
  histogram.add(std::vector<float>{0.25F, -0.25F}, {-0.25F, 0.25F});
  histogram.add(std::vector<float>{100, -100, 0.25F}, {-100, 100});
  std::uint64_t sum = 0;
  for (std::uint64_t count : histogram.counts()) sum += count;
  EXPECT_EQ(sum, 5U);
  EXPECT_EQ(histogram.seen(), (Range{-100, 100}));
  for (int bin = 0; bin < Histogram::kBins; ++bin)
    if (histogram.counts()[static_cast<std::size_t>(bin)] == 2) {
      EXPECT_LE(histogram.edge(bin), 0.25);
      EXPECT_GT(histogram.edge(bin + 1), 0.25);
    }
}

TEST(Histogram, CountsZerosThatCameFirst) {
  Histogram histogram;
  histogram.add(std::vector<float>{0, 0, 0}, {0, 0});
  histogram.add(std::vector<float>{1, -0.0F}, {0, 1});
  EXPECT_EQ(histogram.counts()[Histogram::kBins / 2], 4U);
  EXPECT_EQ(histogram.zeros(), 4U);
  EXPECT_EQ(histogram.total(), 5U);
}

TEST(FiniteRange, FindsExtremesAndWhatIsNotFiniteAnywhere) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::size_t size : {1U, 31U, 32U, 33U, 100U})
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<float> values(size, 1);
      values[at] = 5;
      EXPECT_EQ(finite_range(values)->max, 5);
      values[at] = -5;
      EXPECT_EQ(finite_range(values)->min, -5);
      for (float broken : {kInfinity, -kInfinity, std::nanf("")}) {
        values[at] = broken;
        EXPECT_FALSE(finite_range(values)) << size << " " << at << " " << broken;
      }
    }
}

TEST(Calibrator, SeesTheTensorsItWasAskedFor) {
  Calibrator calibrator({"a", "b", "never"}, {});
  calibrator.observe("a", batch(2, {1, 2, 3, 4}), {0, 2});
  calibrator.observe("b", batch(1, {-1}), {0, 2});
  calibrator.observe("c", batch(1, {9}), {0, 2});
  EXPECT_EQ(calibrator.ranges(), (std::map<std::string, Range>{{"a", {1, 4}}, {"b", {-1, -1}}}));
}

TEST(Calibrator, DoesNotDependOnTheOrderOfSamples) {
  // 1e18 - 1e18 + 300 is 300 in float64, and 300 - 1e18 + 1e18 is not.
  const std::vector<std::vector<float>> samples = {{-3e-30F, 1e18F}, {-1e18F, -1e18F}, {0, 1}, {-900, 300}, {-0.0F, 1}};
  for (Calibration method : {Calibration::kMinMax, Calibration::kMovingAverage, Calibration::kPercentile,
                             Calibration::kEntropy, Calibration::kSquaredError}) {
    const auto in_order = [&](const std::vector<std::size_t>& order) {
      Calibrator calibrator({"t"}, {.method = method, .percentile = 70, .encoding = {DType::kInt8}});
      for (const std::size_t i : order)
        calibrator.observe("t", batch(1, samples[i]), {static_cast<std::int64_t>(i), 1});
      return calibrator.ranges().at("t");
    };
    const Range expected = in_order({0, 1, 2, 3, 4});
    EXPECT_EQ(in_order({4, 3, 2, 1, 0}), expected) << name(method);
    EXPECT_EQ(in_order({2, 0, 4, 1, 3}), expected) << name(method);
  }
}

TEST(Calibrator, NamesTheSampleThatIsBroken) {
  Calibrator calibrator({"t"}, {});
  try {
    calibrator.observe("t", batch(4, {0, 0, std::nanf(""), 0}), {8, 4});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "tensor t is NaN for sample 11");
  }
}

TEST(Calibrator, KeepsAnInfiniteEndWhateverTheMethod) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Calibration method : {Calibration::kMinMax, Calibration::kMovingAverage, Calibration::kPercentile,
                                   Calibration::kEntropy, Calibration::kSquaredError}) {
    Calibrator calibrator({"t"}, {.method = method, .encoding = {DType::kInt8}});
    calibrator.observe("t", batch(1, {1, 2}), {0, 1});
    calibrator.observe("t", batch(1, {-infinity, 0.5F}), {1, 1});
    calibrator.observe("t", batch(1, {1, 3}), {2, 1});
    EXPECT_EQ(calibrator.ranges().at("t"), (Range{-infinity, 3})) << name(method);
  }
}

TEST(Histogram, IsThatOfTheNumbersWhateverTheirOrder) {
  // As the histogram grows from 2^-20 to 2^20, a number just below 0 stays below the middle.
  const std::vector<float> numbers = {-1e-30F, 5e-7F, -1, 0, 1e6F, -1e-45F, 3e-7F};
  Histogram up, down;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (auto [histogram, number] : {std::pair{&up, numbers[i]}, std::pair{&down, numbers[numbers.size() - 1 - i]}})
      histogram->add(std::vector<float>{number}, {number, number});
  EXPECT_EQ(up.counts(), down.counts());
  EXPECT_EQ(up.counts()[Histogram::kBins / 2 - 1], 3U);
  EXPECT_EQ(up.counts()[Histogram::kBins / 2], 3U);
}

}  // namespace
}  // namespace octet
