#include "octet/quantize/observe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "octet/base/error.h"
#include "octet/program/lower.h"
#include "octet/system/npy.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSamples = 23, kWidth = 1000;

// y = Relu(x - 0.25), one row for each sample.
Model network() {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  const ValueType rows = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim::symbol("N"), kWidth}};
  model.graph = {.name = "rows",
                 .nodes = {{.name = "add", .op_type = "Add", .inputs = {"x", "shift"}, .outputs = {"sum"}},
                           {.name = "relu", .op_type = "Relu", .inputs = {"sum"}, .outputs = {"y"}}},
                 .initializers = {{.name = "shift", .tensor = Tensor::scalar(-0.25F)}},
                 .inputs = {{.name = "x", .type = rows}},
                 .outputs = {{.name = "y", .type = rows}}};
  return model;
}

class Observe : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("octet_observe_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Number k of sample i is (i + 1) sin(i + k).
  static Tensor samples() {
    Tensor tensor(DType::kFloat, {kSamples, kWidth});
    const auto numbers = tensor.mutable_as<float>();
    for (std::int64_t i = 0; i < kSamples; ++i)
      for (std::int64_t k = 0; k < kWidth; ++k)
        numbers[static_cast<std::size_t>(i * kWidth + k)] =
            static_cast<float>(i + 1) * std::sin(static_cast<float>(i + k));
    return tensor;
  }

  RangesFile ranges_of(const Tensor& samples, Calibration method, int threads, std::int64_t batch,
                       std::int64_t kept = 1 << 18) const {
    save_npy(samples, folder_ / "samples.npy");
    SampleStream stream(network(), folder_ / "samples.npy", {});
    return observe(network(), stream,
                   {.calibration = {.method = method}, .batch = batch, .threads = threads, .kept = kept});
  }

  fs::path folder_;
};

TEST_F(Observe, SeesInputsAndEveryActivation) {
  Tensor tensor(DType::kFloat, {2, kWidth});
  tensor.mutable_as<float>()[7] = -3;
  tensor.mutable_as<float>()[kWidth] = 5;
  const RangesFile file = ranges_of(tensor, Calibration::kMinMax, 2, 1);
  EXPECT_EQ(file.samples, 2);
  EXPECT_EQ(file.calibration, "minmax");
  EXPECT_EQ(file.ranges, (std::map<std::string, Range>{{"x", {-3, 5}}, {"sum", {-3.25F, 4.75F}}, {"y", {0, 4.75F}}}));
}

TEST_F(Observe, SeesEachTensorByItsOwnMethod) {
  const auto observed = [&](const ObserveOptions& options) {
    save_npy(samples(), folder_ / "samples.npy");
    SampleStream stream(network(), folder_ / "samples.npy", {});
    return observe(network(), stream, options);
  };
  const RangesFile all = observed({}), averaged = observed({.calibration = {.method = Calibration::kMovingAverage}}),
                   cut = observed({.calibration = {.method = Calibration::kPercentile, .percentile = 90}});
  const RangesFile mixed = observed({.others = {{"sum", {.method = Calibration::kMovingAverage}},
                                                {"y", {.method = Calibration::kPercentile, .percentile = 90}}}});
  ASSERT_NE(averaged.ranges.at("sum"), all.ranges.at("sum"));
  ASSERT_NE(cut.ranges.at("y"), all.ranges.at("y"));
  EXPECT_EQ(mixed.ranges,
            (std::map<std::string, Range>{
                {"x", all.ranges.at("x")}, {"sum", averaged.ranges.at("sum")}, {"y", cut.ranges.at("y")}}));
  EXPECT_EQ(mixed.calibration, "minmax");
  EXPECT_EQ(mixed.others, (std::map<std::string, std::string>{{"sum", "moving-average"}, {"y", "percentile 90"}}));
}

TEST_F(Observe, SeesTensorsThatTheProgramWouldFuseAway) {
  // x -> 8 bits -> twice that -> 8 bits: a table in the exact program, and t is not in it.
  Model model = network();
  model.graph.initializers = {{.name = "s", .tensor = Tensor::scalar(0.5F)},
                              {.name = "z", .tensor = Tensor::scalar<std::uint8_t>(0)}};
  model.graph.nodes = {{.op_type = "QuantizeLinear", .inputs = {"x", "s", "z"}, .outputs = {"q"}},
                       {.op_type = "DequantizeLinear", .inputs = {"q", "s", "z"}, .outputs = {"a"}},
                       {.op_type = "Add", .inputs = {"a", "a"}, .outputs = {"t"}},
                       {.op_type = "QuantizeLinear", .inputs = {"t", "s", "z"}, .outputs = {"p"}},
                       {.op_type = "DequantizeLinear", .inputs = {"p", "s", "z"}, .outputs = {"y"}}};
  ASSERT_EQ(find_value(lowered(model, Policy::kExact), "t"), nullptr);
  Tensor tensor(DType::kFloat, {1, kWidth});
  tensor.mutable_as<float>()[7] = 3;
  save_npy(tensor, folder_ / "samples.npy");
  SampleStream stream(model, folder_ / "samples.npy", {});
  EXPECT_EQ(observe(model, stream, {.tensors = {"t"}, .threads = 1}).ranges,
            (std::map<std::string, Range>{{"t", {0, 6}}}));
}

// Where they may be kept until the end of a run, and one by one.
TEST_F(Observe, SeesTheSameWhetherActivationsAreKeptOrNot) {
  const RangesFile expected = ranges_of(samples(), Calibration::kPercentile, 1, 1, 0);
  EXPECT_EQ(expected.ranges.size(), 3U);
  EXPECT_EQ(ranges_of(samples(), Calibration::kPercentile, 2, 4, 3 * kWidth).ranges, expected.ranges);
}

TEST_F(Observe, DependsOnNeitherThreadsNorBatches) {
  for (const Calibration method : {Calibration::kMinMax, Calibration::kMovingAverage, Calibration::kPercentile,
                                   Calibration::kEntropy, Calibration::kSquaredError}) {
    const RangesFile expected = ranges_of(samples(), method, 1, kSamples);
    EXPECT_EQ(expected.samples, kSamples);
    for (const int threads : {1, 2, 5})
      for (const std::int64_t batch : {1, 4}) {
        const RangesFile file = ranges_of(samples(), method, threads, batch);
        EXPECT_EQ(file.samples, kSamples);
        EXPECT_EQ(file.ranges, expected.ranges) << name(method) << ", " << threads << " threads, batches of " << batch;
      }
  }
}

TEST_F(Observe, NamesTheFirstSampleThatIsBrokenWhateverTheThreads) {
  Tensor broken = samples();
  for (const std::int64_t sample : {5, 6, 20})
    broken.mutable_as<float>()[static_cast<std::size_t>(sample * kWidth)] = std::nanf("");
  for (const int threads : {1, 2, 5}) {
    try {
      ranges_of(broken, Calibration::kMinMax, threads, 1);
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "tensor x is NaN for sample 6");
    }
  }
}

TEST_F(Observe, TellsItsProgressInOrder) {
  save_npy(samples(), folder_ / "samples.npy");
  SampleStream stream(network(), folder_ / "samples.npy", {});
  std::vector<std::size_t> told;
  observe(network(), stream,
          {.batch = 1, .threads = 3, .progress = [&](std::size_t done, std::size_t) { told.push_back(done); }});
  ASSERT_EQ(told.size(), static_cast<std::size_t>(kSamples));
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i + 1);
}

}  // namespace
}  // namespace octet
