// Whole networks: those in the box, and those of others that $OCTET_SHARED has.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "octet/analyze/bounds.h"
#include "octet/onnx/model_file.h"
#include "octet/program/group_epilogues.h"
#include "octet/program/lower.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/plan.h"
#include "octet/spec/random.h"
#include "octet/system/npz.h"
#include "tests/integer/comparison.h"
#include "tests/support/lowered.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// Channels of all sums, and how many accumulators of theirs have an exception.
struct ChannelCount {
  std::int64_t channels = 0, with_exceptions = 0, excepted_accumulators = 0;
  bool operator==(const ChannelCount&) const = default;
};

void count_channels(const IntegerProgram& program, ChannelCount& count) {
  for (const IntegerStep& step : program.steps) {
    const integer::Epilogue* epilogue = nullptr;
    if (const auto* convolution = std::get_if<integer::Convolution>(&step.task)) epilogue = &convolution->epilogue;
    if (const auto* product = std::get_if<integer::MatrixProduct>(&step.task)) epilogue = &product->epilogue;
    if (!epilogue) continue;
    for (const IntegerRequantizer& channel : std::get<integer::Requantize>(epilogue->front()).channels) {
      ++count.channels;
      count.with_exceptions += channel.exceptions.empty() ? 0 : 1;
      count.excepted_accumulators += excepted(channel);
    }
  }
}

Tensor first_images(std::int64_t count) {
  const Tensor images = load_npz("models/samples.npz").at("image");
  Shape shape = images.shape();
  shape[0] = count;
  Tensor first(DType::kFloat, shape);
  for (std::int64_t k = 0; k < first.size(); ++k)
    first.mutable_as<float>()[static_cast<std::size_t>(k)] = static_cast<float>(images.number_at(k)) / 255;
  return first;
}

class InTheBox : public testing::TestWithParam<const char*> {};

TEST_P(InTheBox, InterpretEqualsTheReferenceEngine) {
  const std::int64_t images = kSanitized ? 1 : 4;
  const Program program = specialized(lowered(load_model(GetParam()), Policy::kExact), {{"N", images}});
  // 15 tensors of steps for each image, the logits' 10 at the end.
  const std::int64_t elements = 4 * 16384 + 4 * 8192 + 4 * 4096 + 64 + 64 + 10;
  const NamedTensors inputs = {{"image", first_images(images)}};
  EXPECT_EQ(expect_equal(program, inputs), images * elements);
  // The results of three convolutions lie between the stages of an epilogue.
  EXPECT_EQ(expect_equal(group_epilogues(program), inputs), images * (elements - 16384 - 8192 - 4096));
}

INSTANTIATE_TEST_SUITE_P(Models, InTheBox,
                         testing::Values("models/resnet8_int8.onnx", "models/resnet8_uint8.onnx",
                                         "models/resnet8_int8_qoperator.onnx"));

TEST(InTheBoxNumbers, AreThoseOfTheReference) {
  const Program program = specialized(lowered(load_model("models/resnet8_int8.onnx"), Policy::kExact), {{"N", 1}});
  const IntegerProgram integers = integer_program(program, {.host_border = true});
  EXPECT_EQ(integers.before.size(), 1U);
  EXPECT_EQ(integers.after.size(), 2U);
  ChannelCount count;
  count_channels(integers, count);
  EXPECT_EQ(count.channels, 346);
  EXPECT_EQ(count.with_exceptions, 346 - 311);
  EXPECT_EQ(count.excepted_accumulators, 49);
  for (const IntegerStep& step : integers.steps)
    if (const auto* pool = std::get_if<integer::Average>(&step.task)) {
      const IntegerRequantizer& average = std::get<integer::Requantize>(pool->epilogue[0]).channels[0];
      EXPECT_EQ(average.m, 18369);
      EXPECT_EQ(average.shift, 17);
      EXPECT_TRUE(average.exceptions.empty());
      EXPECT_EQ(pool->start, 64 * 128);
    }
}

void expect_same(const IntegerRequantizer& a, const IntegerRequantizer& b) {
  EXPECT_EQ(std::tuple(a.m, a.addend, a.shift, a.exceptions), std::tuple(b.m, b.addend, b.shift, b.exceptions));
}

// What bounds prints is what an exporter writes.
TEST(InTheBoxNumbers, AreThoseThatBoundsSays) {
  const Program program = specialized(lowered(load_model("models/resnet8_uint8.onnx"), Policy::kExact), {{"N", 1}});
  const auto task_of = [&](std::size_t step) { return integer_program(one_step(program, step)).steps.at(0).task; };
  std::size_t channels = 0, others = 0;
  for (const StepBounds& step : bounds(program)) {
    const integer::Task task = task_of(step.step);
    const auto* convolution = std::get_if<integer::Convolution>(&task);
    const auto* product = std::get_if<integer::MatrixProduct>(&task);
    const integer::Sum& sum = convolution ? convolution->sum : product->sum;
    const integer::Stage& stage = (convolution ? convolution->epilogue : product->epilogue)[0];
    for (std::size_t m = 0; m < step.channels.size(); ++m, ++channels) {
      expect_same(*step.channels[m].integer, std::get<integer::Requantize>(stage).channels[m]);
      EXPECT_EQ(step.channels[m].start, sum.starts[m]);
    }
  }
  for (const CombiningStep& step : combining_steps(program)) {
    const integer::Task task = task_of(step.step);
    if (const auto* pool = std::get_if<integer::Average>(&task)) {
      expect_same(std::get<IntegerRequantizer>(step.integer),
                  std::get<integer::Requantize>(pool->epilogue[0]).channels[0]);
    } else {
      const auto& said = std::get<IntegerAddition>(step.integer);
      const auto& made = std::get<IntegerAddition>(std::get<integer::Pairwise>(task).pair);
      EXPECT_EQ(std::tuple(said.ma, said.mb, said.addend, said.shift),
                std::tuple(made.ma, made.mb, made.addend, made.shift));
    }
    ++others;
  }
  EXPECT_EQ(channels, 346U);
  EXPECT_EQ(others, 4U);
}

// ---- networks of others

std::string shared(const std::string& file) {
  const char* given = std::getenv("OCTET_SHARED");
  return (std::filesystem::path(given ? given : "../shared") / file).string();
}

// Numbers from 0 to 1 for every input, symbols being 1.
NamedTensors random_inputs(const Model& model, std::uint64_t seed) {
  NamedTensors inputs;
  for (const Value& input : model.graph.inputs) {
    Shape shape;
    for (const Dim& dim : *input.type.shape) shape.push_back(dim.known() ? dim.value() : 1);
    Tensor tensor(DType::kFloat, shape);
    for (float& number : tensor.mutable_as<float>()) number = static_cast<float>(uniform(seed = mix(seed)));
    inputs[input.name] = tensor;
  }
  return inputs;
}

std::map<std::string, std::int64_t> symbols_as_one(const Model& model) {
  std::map<std::string, std::int64_t> symbols;
  for (const Value& input : model.graph.inputs)
    for (const Dim& dim : *input.type.shape)
      if (dim.is_symbol()) symbols[dim.symbol()] = 1;
  return symbols;
}

// With ranges of one random input, which is enough to get numbers of all sizes.
Model quantized(Model model, const StaticOptions& options) {
  model = simplify_for_quantization(std::move(model));
  const std::set<std::string> tensors = tensors_to_observe(model);
  Calibrator calibrator(tensors, {});
  const NamedTensors inputs = random_inputs(model, 1);
  NamedTensors values = ReferenceEngine(lowered(model, Policy::kAsWritten)).run(inputs, {.keep_all = true});
  values.insert(inputs.begin(), inputs.end());
  for (const std::string& tensor : tensors) calibrator.observe(tensor, values.at(tensor), {0, 1});
  return write_qdq(plan(std::move(model), calibrator.ranges(), options, Selection()));
}

struct OtherModel {
  const char* file;
  const char* refused;  // why it has no integer program; empty: it has one
};

class OfOthers : public testing::TestWithParam<OtherModel> {};

TEST_P(OfOthers, InterpretEqualsTheReferenceEngineWhenQuantized) {
  const std::string file = shared(GetParam().file);
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set OCTET_SHARED";
  if (kSanitized) return;  // ten times as long: the release build compares them
  for (const DType activations : {DType::kInt8, DType::kUint8}) {
    const Model model = quantized(load_model(file), {.activations = activations});
    const Program program = specialized(lowered(model, Policy::kExact), symbols_as_one(model));
    EXPECT_FALSE(expect_equal_steps(program, random_inputs(model, 3)).empty());
    std::string refused;
    error_of([&] { integer_program(program, {.host_border = true}); }, &refused);
    EXPECT_EQ(refused, GetParam().refused);
    if (!refused.empty()) continue;
    EXPECT_GT(expect_equal(program, random_inputs(model, 2)), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OfOthers,
                         testing::Values(OtherModel{"mobilenet/mobilenet_cifar10.onnx", ""},
                                         OtherModel{"models/mlperf_tiny_resnet8.onnx", ""},
                                         OtherModel{"models/mlperf_tiny_resnet8_nhwc.onnx", ""},
                                         OtherModel{"models/mnist_float.onnx", ""},
                                         OtherModel{"models/mlperf_tiny_kws_dscnn.onnx",
                                                    "1 of 15 steps is not of integers alone:\n"
                                                    "  avgpool (QLinearAveragePool): it averages windows in float"}),
                         [](const testing::TestParamInfo<OtherModel>& info) {
                           return std::filesystem::path(info.param.file).stem().string();
                         });

// Its additions are float, so it is no integer program; its convolutions are.
TEST(OfOthersMobileNetV2, EqualsTheReferenceEngineStepByStep) {
  const std::string file = shared("models/mobilenetv2-12-qdq.onnx");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set OCTET_SHARED";
  if (kSanitized) return;  // ten times as long: the release build compares them
  const Model model = load_model(file);
  const Program program = specialized(lowered(model, Policy::kExact), symbols_as_one(model));
  std::string refused;
  EXPECT_EQ(error_of([&] { integer_program(program, {.host_border = true}); }, &refused), ErrorCode::kUnsupported);
  EXPECT_NE(refused.find("Add_32 (Add): it computes in float: 356 is float"), std::string::npos) << refused;
  const std::vector<IntegerProgram> steps = expect_equal_steps(program, random_inputs(model, 1));
  EXPECT_GE(steps.size(), 52U + 1 + 1);
  ChannelCount count;
  for (const IntegerProgram& step : steps) count_channels(step, count);
  EXPECT_EQ(count.channels, 18056);
  EXPECT_EQ(count.with_exceptions, 304);
  EXPECT_EQ(count.excepted_accumulators, 912);
}

}  // namespace
}  // namespace octet
