// Exported C beside the reference engine: every tensor, to the last bit.
#include "octet/export/c_source.h"

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <regex>
#include <set>

#include "octet/graph/model_hash.h"
#include "octet/integer/one_step.h"
#include "octet/onnx/model_file.h"
#include "octet/program/group_epilogues.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/ranges_file.h"
#include "octet/spec/random.h"
#include "octet/system/npz.h"
#include "tests/export/compiled_c.h"
#include "tests/integer/comparison.h"
#include "tests/program/random_network.h"
#include "tests/support/lowered.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// One of the samples; behind the last of them, random bytes.
NamedTensors image_number(std::int64_t number) {
  const Tensor images = load_npz("models/samples.npz").at("image");
  Tensor image(DType::kFloat, {1, 3, 32, 32});
  for (std::int64_t k = 0; k < image.size(); ++k) {
    const std::int64_t place = number * image.size() + k;
    const double byte = place < images.size() ? images.number_at(place)
                                              : std::floor(256 * uniform(mix(static_cast<std::uint64_t>(place))));
    image.mutable_as<float>()[static_cast<std::size_t>(k)] = static_cast<float>(byte) / 255;
  }
  return {{"image", image}};
}

Program for_one_image(const Model& model) { return specialized(lowered(model, Policy::kExact), {{"N", 1}}); }

Program shipped(const std::string& file) { return for_one_image(load_model("models/" + file + ".onnx")); }

void expect_pass(const CommandResult& result, const std::string& wanted) {
  EXPECT_EQ(result.code, 0) << result.said;
  EXPECT_NE(result.said.find(wanted), std::string::npos) << result.said;
}

// 3, and in the long run, make judge, OCTET_IMAGES.
std::vector<NamedTensors> images_to_try() {
  const char* count = std::getenv("OCTET_IMAGES");
  std::vector<NamedTensors> images;
  for (std::int64_t number = 0; number < (count ? std::strtoll(count, nullptr, 10) : 3); ++number)
    images.push_back(image_number(number));
  return images;
}

std::string pass_of(std::size_t images) {
  return fmt::format("PASS: {} tensors, {} elements", 18 * images, 117'918 * images);
}

class CNetworks : public testing::TestWithParam<const char*> {};

TEST_P(CNetworks, EveryTensorOfEveryImageIsTheReferences) {
  const Program program = shipped(GetParam());
  const std::vector<NamedTensors> images = images_to_try();
  const CSource source = c_source(program, {.name = "resnet8"});
  const std::string wanted = pass_of(images.size());
  for (const char* compiler : {"gcc", "clang"})
    expect_pass(run_exported(program, source, images, compiler, std::string(kStrictFlags) + " -O3"), wanted);
  expect_pass(run_exported(program, source, {images[0]}, "gcc", "-O1 -fsanitize=undefined -fno-sanitize-recover"),
              "PASS: 18 tensors");
  expect_pass(run_exported(program, c_source(program, {.name = "resnet8", .float32_requantize = true}), images, "gcc",
                           std::string(kStrictFlags) + " -O2"),
              wanted);
}

INSTANTIATE_TEST_SUITE_P(Models, CNetworks, testing::Values("resnet8_int8", "resnet8_uint8", "resnet8_int8_qoperator"));

TEST(CSource, HasPerTensorWeightsToo) {
  const Model original = load_model("models/resnet8.onnx");
  const RangesFile ranges = load_ranges("models/resnet8_ranges.json", model_hash(original));
  const Model model = simplify_for_quantization(original);
  const std::vector<NamedTensors> images = images_to_try();
  for (const DType activations : {DType::kInt8, DType::kUint8}) {
    const Program program = for_one_image(
        write_qdq(plan(model, ranges.ranges, {.activations = activations, .per_channel = false}, Selection())));
    expect_pass(run_exported(program, c_source(program, {.name = "resnet8"}), images, "gcc",
                             std::string(kStrictFlags) + " -O2"),
                pass_of(images.size()));
  }
}

TEST(CSource, RefusesToBeCompiledInexactly) {
  const Program program = shipped("resnet8_int8");
  const CSource source = c_source(program, {.name = "resnet8"});
  for (const char* flags : {"-ffast-math", "-funsafe-math-optimizations", "-ffinite-math-only", "-freciprocal-math"}) {
    const CommandResult result = run_exported(program, source, {image_number(0)}, "gcc", std::string(flags) + " 2>&1");
    EXPECT_NE(result.code, 0) << flags;
    EXPECT_NE(result.said.find("results are exact: no -ffast-math, nor a part of it"), std::string::npos)
        << result.said;
  }
}

TEST(CSource, HasFloatNetworks) {
  const Program program = shipped("resnet8");
  const CSource source = c_source(program, {.name = "resnet8"});
  expect_pass(run_exported(program, source, {image_number(0)}, "gcc", std::string(kStrictFlags) + " -O2"),
              "PASS: 30 tensors");
  // With the processor's fused multiply-add where there is one.
  expect_pass(run_exported(program, source, {image_number(0)}, "gcc", "-std=gnu11 -O3 -march=native"),
              "PASS: 30 tensors");
}

// NaN, infinities, zeros, and a range so small that the scale is 0.
TEST(CSource, DynamicQuantizationTakesSpecialValuesAsTheReferenceDoes) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN(),
                  kLeast = std::numeric_limits<float>::denorm_min();
  Model model =
      model_from("f (x) => (q, s, z, y) { q, s, z = DynamicQuantizeLinear(x) y = DynamicQuantizeMatMul(x, b, t) }",
                 {value("x", DType::kFloat, SymbolicShape{1, 4})}, 13);
  model.graph.nodes[1].domain = "com.microsoft";
  model.opset_imports.push_back({"com.microsoft", 1});
  add_initializer(model, "b", Tensor::from<std::int8_t>({4, 2}, {1, -2, 3, -4, 5, -6, 127, -128}));
  add_initializer(model, "t", Tensor::scalar(0.5F));
  const Program program = lowered(model, Policy::kExact);
  const std::unique_ptr<const Engine> engine = compiled(program, "-O1 -march=native");
  ASSERT_TRUE(engine);
  const std::vector<std::vector<float>> all = {
      {1, -kInfinity, 2, 3}, {kInfinity, -kInfinity, 1, 0}, {1, 2, -3, kInfinity}, {-kInfinity, 0, 0, 0},
      {kNan, 1, -2, 3},      {kNan, kNan, kNan, kNan},      {kLeast, 0, 0, 0},     {-kLeast, 0, 0, 0},
      {3e38F, -3e38F, 1, 0}, {-1.5F, 253.5F, 0.5F, 2.5F},   {0, -0.0F, 0, 0},      {-5, -4, -3, -2},
      {5, 4, 3, 2},          {1e-40F, 5e-40F, -2e-40F, 0}};
  for (const std::vector<float>& x : all) {
    const NamedTensors inputs = {{"x", Tensor::from<float>({1, 4}, x)}};
    const NamedTensors wanted = all_values(program, inputs);
    for (const auto& [name, tensor] : engine->run(inputs, {.keep_all = true}))
      EXPECT_TRUE(tensor.identical(wanted.at(name))) << name << " of " << x[0] << ", " << x[1] << ", ...";
  }
}

// One wrong constant in each step must be seen.
TEST(CSource, AWrongConstantInAnyStepIsSeen) {
  const Program program = shipped("resnet8_int8");
  const CSource source = c_source(program, {.name = "resnet8"});
  const std::string& text = source.source.contents;
  // By what a step has: addends of channels, of one sum, of a pair; a scale.
  const std::vector<std::regex> constants = {std::regex(R"(_addend\[\d+\] = \{\s+)"),
                                             std::regex(R"(requantize_all\(acc, q, \d+, \d+, )"),
                                             std::regex(R"(shift_down_32\(left \* \d+ \+ right \* \d+ \+ )"),
                                             std::regex(R"(quantize\(x\[[^/]*/ )"),
                                             std::regex(R"(\(float\)\(x\[[^*]*\* )"),
                                             std::regex(R"(exponential_of_negative\(from\[k\] - )")};
  int changed = 0;
  std::size_t begin = text.find("/* Step 1:");
  while (begin != std::string::npos) {
    const std::size_t end = text.find("/* Step ", begin + 1);
    const std::string step = text.substr(begin, end == std::string::npos ? std::string::npos : end - begin);
    for (const std::regex& constant : constants) {
      std::smatch found;
      if (!std::regex_search(step, found, constant)) continue;
      CSource wrong = source;
      const std::size_t at = begin + static_cast<std::size_t>(found.position() + found.length());
      wrong.source.contents.insert(at, constants.size() - 3 <= static_cast<std::size_t>(&constant - constants.data())
                                           ? "1.01f * "
                                           : "(INT32_C(1) << 28) + ");
      const CommandResult result = run_exported(program, wrong, {image_number(0)}, "gcc", "-O1 -w");
      EXPECT_EQ(result.code, 1) << step.substr(0, 60) << result.said;
      EXPECT_NE(result.said.find("FAIL: "), std::string::npos) << result.said;
      ++changed;
      break;
    }
    begin = end;
  }
  EXPECT_EQ(changed, 17);  // all but the flatten, which moves nothing
}

// ---- networks of others

std::string shared_file(const std::string& file) {
  const char* given = std::getenv("OCTET_SHARED");
  return (std::filesystem::path(given ? given : "../shared") / file).string();
}

NamedTensors numbers_for(const Program& program, std::uint64_t seed) {
  NamedTensors inputs;
  for (const ProgramInput& input : program.inputs) {
    Tensor tensor(DType::kFloat, concrete(*program.values[input.value].shape).value());
    for (float& number : tensor.mutable_as<float>()) number = static_cast<float>(uniform(seed = mix(seed)));
    inputs[program.values[input.value].name] = tensor;
  }
  return inputs;
}

class CNetworksOfOthers : public testing::TestWithParam<const char*> {};

TEST_P(CNetworksOfOthers, EqualTheReferenceEngine) {
  const std::string file = shared_file(GetParam());
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set OCTET_SHARED";
  if (kSanitized) return;  // the release build compares them
  const Program program =
      specialized(lowered(load_model(file), Policy::kExact), {{"N", 1}, {"batch_size", 1}, {"batch", 1}});
  const NamedTensors inputs = numbers_for(program, 1);
  const std::unique_ptr<const Engine> engine = compiled(program, "-O1 -march=native");
  ASSERT_TRUE(engine);
  const NamedTensors got = engine->run(inputs, {.keep_all = true});
  const NamedTensors wanted = all_values(program, inputs);
  EXPECT_GT(got.size(), 5U);
  for (const auto& [name, tensor] : got) EXPECT_TRUE(tensor.identical(wanted.at(name))) << name;
}

INSTANTIATE_TEST_SUITE_P(Models, CNetworksOfOthers,
                         testing::Values("models/mobilenetv2-12-qdq.onnx", "models/mobilenetv2_dynamic.onnx",
                                         "models/mlperf_tiny_kws_dscnn.onnx", "models/mlperf_tiny_resnet8_nhwc.onnx",
                                         "models/mnist_float.onnx", "models/mnist_dynamic.onnx"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           std::string name = std::filesystem::path(info.param).stem().string();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(COfTheKeywordSpotter, EqualsTheReferenceEngineWhenQuantized) {
  const std::string file = shared_file("models/mlperf_tiny_kws_dscnn.onnx");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set OCTET_SHARED";
  Model model = simplify_for_quantization(load_model(file));
  const std::set<std::string> tensors = tensors_to_observe(model);
  Calibrator calibrator(tensors, {});
  const Program real = specialized(lowered(model, Policy::kAsWritten), {{"N", 1}, {"batch", 1}});
  const NamedTensors values = all_values(real, numbers_for(real, 1));
  for (const std::string& tensor : tensors) calibrator.observe(tensor, values.at(tensor), {0, 1});
  const Program program =
      specialized(lowered(write_qdq(plan(std::move(model), calibrator.ranges(), {}, Selection())), Policy::kExact),
                  {{"N", 1}, {"batch", 1}});
  expect_pass(run_exported(program, c_source(program, {.name = "kws"}), {numbers_for(program, 2)}, "gcc",
                           std::string(kStrictFlags) + " -O2"),
              "PASS: ");
}

// ---- random networks

// make judge sets OCTET_NETWORKS.
std::vector<std::uint64_t> networks_in_c() {
  const char* count = std::getenv("OCTET_NETWORKS");
  std::vector<std::uint64_t> seeds(count ? std::strtoull(count, nullptr, 10) / 10 : kSanitized ? 3 : 30);
  std::iota(seeds.begin(), seeds.end(), 1);
  seeds.push_back(175);  // two outputs of its integer part stand in the same memory of the caller
  seeds.push_back(365);  // a matrix product whose zero point of x is not part of its starts
  return seeds;
}

// The steps that C has, as a program: what the others make is given, and what nobody of them reads is an output.
Program exportable_part(const Program& program) {
  Program part = program;
  part.steps.clear();
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    if (!error_of([&] { c_source(one_step(program, s)); })) part.steps.push_back(program.steps[s]);
  std::set<ValueId> made, given, read;
  for (const Step& step : part.steps) {
    for (const ValueId id : inputs_of(program, step)) (made.contains(id) ? read : given).insert(id);
    for (const ValueId id : outputs_of(program, step)) made.insert(id);
  }
  part.inputs.clear();
  for (const ValueId id : given) part.inputs.push_back({id, {program.values[id].dtype, program.values[id].shape}, {}});
  part.outputs.clear();
  for (const ValueId id : made)
    if (!read.contains(id) || std::ranges::count(program.outputs, id) > 0) part.outputs.push_back(id);
  return part;
}

TEST(CRandomNetworks, EqualTheReferenceEngine) {
  std::size_t exported = 0, all = 0;
  for (const std::uint64_t seed : networks_in_c()) {
    const RandomNetwork network = random_network(seed);
    const Policy policy = std::array{Policy::kExact, Policy::kOnnxRuntime, Policy::kAsWritten}[seed % 3];
    SCOPED_TRACE(fmt::format("seed {}, policy {}", seed, name(policy)));
    const std::int64_t batch = seed % 2 == 0 ? 1 : 2;
    Program program = specialized(lowered(network.model, policy), {{"N", batch}});
    if (seed % 4 == 0) program = group_epilogues(program);
    const Program part = exportable_part(program);
    all += program.steps.size();
    exported += part.steps.size();
    if (part.steps.empty()) continue;
    const NamedTensors wanted = all_values(program, network.inputs(batch, seed));
    NamedTensors inputs;
    for (const ProgramInput& input : part.inputs) {
      const std::string& name = part.values[input.value].name;
      inputs[name] = wanted.at(name);
    }
    const std::unique_ptr<const Engine> engine = compiled(part, "-O0");
    ASSERT_TRUE(engine);
    for (const auto& [name, tensor] : engine->run(inputs, {.keep_all = true}))
      EXPECT_TRUE(tensor.identical(wanted.at(name))) << name;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(exported * 10, all * 9) << exported << " of " << all << " steps";
}

// ---- sums of 16 bits

TEST(CSource, JoinsSumsOfSixteenBits) {
  for (const DType weights : {DType::kInt8, DType::kInt16}) {
    Model model = model_from(
        "main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear <axis: int = 0> (wq, ws)\n"
        " t = Conv <pads: ints = [1, 1, 1, 1]> (a, w, b)\n r = Relu (t)\n y = QuantizeLinear (r, ys, xz) }",
        {value("x", DType::kInt16, SymbolicShape{1, 2, 3, 3})}, 21);
    Tensor w = Tensor(DType::kInt64, {3, 2, 3, 3}), x(DType::kInt16, {1, 2, 3, 3});
    for (std::size_t k = 0; k < 54; ++k)
      w.mutable_as<std::int64_t>()[k] = static_cast<std::int64_t>(k * 37 % 251) - 125;
    for (std::size_t k = 0; k < 18; ++k)
      x.mutable_as<std::int16_t>()[k] = static_cast<std::int16_t>(static_cast<int>(k * 7919 % 65536) - 32768);
    add_initializer(model, "xs", Tensor::scalar(0.001F));
    add_initializer(model, "xz", Tensor::scalar<std::int16_t>(-77));
    add_initializer(model, "wq", convert(w, weights));
    add_initializer(model, "ws", Tensor::from<float>({3}, {0.5F, 0.1F, 0.3F}));
    add_initializer(model, "b", Tensor::from<float>({3}, {10, -300, 0.1F}));
    add_initializer(model, "ys", Tensor::scalar(5.0F));
    const Program program = lowered(model, Policy::kExact);
    ASSERT_EQ(program.steps.size(), weights == DType::kInt8 ? 6U : 8U);
    for (const char* compiler : {"gcc", "clang"})
      expect_pass(run_exported(program, c_source(program), {{{"x", x}}}, compiler, kStrictFlags), "PASS: ");
  }
}

// ---- names and refusals

TEST(CSource, HostileNamesStayNames) {
  const std::string names[] = {"*/ int x; /*",
                               "\"); system(\"true",
                               "int",
                               "a\nb",
                               "?"
                               "?/",
                               std::string(100000, 'n')};
  for (const std::string& name : names) {
    Model model = model_from("f (x) => (y) { y = Relu(x) }", {value("x", DType::kFloat, SymbolicShape{1, 3})}, 13);
    model.graph.nodes[0].inputs[0] = model.graph.inputs[0].name = name;
    model.graph.nodes[0].outputs[0] = model.graph.outputs[0].name = name + name;
    model.graph.nodes[0].name = model.graph.name = name;
    const Program program = lowered(model, Policy::kExact);
    expect_pass(run_exported(program, c_source(program), {{{name, Tensor::from<float>({1, 3}, {-1, 0, 2})}}}, "gcc",
                             kStrictFlags),
                "PASS: 1 tensors, 3 elements");
  }
}

TEST(CSource, ListsEveryStepThatItCantHave) {
  const Model model = model_from("f (x) => (y) { a = Erf(x) b = Tan(a) y = Relu(b) }",
                                 {value("x", DType::kFloat, SymbolicShape{1, 3})}, 13);
  std::string what;
  EXPECT_EQ(error_of([&] { c_source(lowered(model, Policy::kExact)); }, &what), ErrorCode::kUnsupported);
  EXPECT_NE(what.find("2 of 3 steps can't be exported to C:\n  a (Erf): "), std::string::npos) << what;
  EXPECT_NE(what.find("\n  b (Tan): "), std::string::npos) << what;
}

TEST(CSource, ListsInputsAndOutputsThatItCantHave) {
  const Model model =
      model_from("f (x, z) => (y, x) { y = Relu(z) }",
                 {value("x", DType::kFloat16, SymbolicShape{1, 3}), value("z", DType::kFloat, SymbolicShape{1})});
  std::string what;
  EXPECT_EQ(error_of([&] { c_source(lowered(model, Policy::kExact)); }, &what), ErrorCode::kUnsupported);
  EXPECT_EQ(what, "the network can't be exported to C:\n  input x: it is float16\n  output x: it is float16");
}

TEST(CSource, WantsKnownShapes) {
  std::string what;
  EXPECT_EQ(error_of([&] { c_source(lowered(load_model("models/resnet8_int8.onnx"), Policy::kExact)); }, &what),
            ErrorCode::kUsage);
  EXPECT_NE(what.find("N"), std::string::npos) << what;
}

TEST(CompiledNetworks, OthersLibrariesAreRefused) {
  EXPECT_EQ(error_of([] { CompiledNetwork("models/resnet8.onnx"); }), ErrorCode::kFormat);
  EXPECT_EQ(error_of([] { CompiledNetwork("no such file.so"); }), ErrorCode::kIo);
  const TestFolder folder;
  ASSERT_EQ(run_command(fmt::format("cd {0} && echo 'int x;' > a.c && cc -shared -fPIC a.c -o a.so && echo 'struct {{ "
                                    "unsigned mark, version; }} octet_library = {{0x7465634Fu, 99}};' > b.c && cc "
                                    "-shared -fPIC b.c -o b.so",
                                    folder.path().string()))
                .code,
            0);
  std::string what;
  EXPECT_EQ(error_of([&] { CompiledNetwork(folder.path() / "a.so"); }, &what), ErrorCode::kFormat);
  EXPECT_NE(what.find("is no network that octet compile made"), std::string::npos) << what;
  EXPECT_EQ(error_of([&] { CompiledNetwork(folder.path() / "b.so"); }, &what), ErrorCode::kFormat);
  EXPECT_NE(what.find("has version 99 of the interface, wanted 1"), std::string::npos) << what;
}

TEST(CompiledNetworks, RunOnlyTheProgramThatTheyWereMadeOf) {
  const Program program = shipped("resnet8_int8");
  const std::unique_ptr<const Engine> engine = compiled(program, "-O0");
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->run(image_number(0)), ReferenceEngine(program).run(image_number(0)));
}

}  // namespace
}  // namespace octet
