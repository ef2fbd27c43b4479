// compile_model, export_c and compare_dumps on models/resnet8_int8.onnx.
#include "octet/export/compile_model.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "octet/engine/reference_engine.h"
#include "octet/export/compiled_network.h"
#include "octet/export/dump_comparison.h"
#include "octet/export/export_c.h"
#include "octet/export/prepare_export.h"
#include "octet/graph/default_dimensions.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/system/atomic_file.h"
#include "octet/system/npy.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"
#include "tests/support/models.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// An environment variable with another value, until the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

const Model& shipped() {
  static const Model model = load_model("models/resnet8_int8.onnx");
  return model;
}

NamedTensors sample_image() { return {{"image", load_npy("models/sample_image.npy")}}; }

const CompileResult& compiled_shipped() {
  static const CompileResult made = [] {
    const ScopedVariable quickly("CFLAGS", "-O0");
    return compile_model(shipped());
  }();
  return made;
}

const std::filesystem::path& shipped_library() {
  static const TemporaryFolder folder;
  static const std::filesystem::path file = [] {
    write_file(folder / "resnet8.so", compiled_shipped().library.bytes);
    return folder / "resnet8.so";
  }();
  return file;
}

// The program that the library was made of: its batch is 1.
Program shipped_program() { return lower(with_batch_of_one(shipped()), Policy::kExact); }

TEST(CompileModel, MakesALibraryThatComputesTheSameBits) {
  const CompileResult& made = compiled_shipped();
  const auto network = std::make_shared<const CompiledNetwork>(shipped_library());
  const Model inside = parse_model(network->model());
  const auto engine = compiled_engine(network, lower(inside, Policy::kExact));
  EXPECT_EQ(made.steps, engine->program().steps.size());
  EXPECT_GT(made.memory_bytes, 0);
  const NamedTensors wanted = ReferenceEngine(lower(shipped(), Policy::kExact)).run(sample_image(), {.keep_all = true});
  const NamedTensors found = engine->run(sample_image(), {.keep_all = true});
  ASSERT_EQ(found.size(), wanted.size());
  for (const auto& [name, tensor] : wanted) EXPECT_TRUE(found.at(name).identical(tensor)) << name;
}

TEST(CompileModel, RunsOfOneLibraryTakeTurns) {
  const Program program = shipped_program();
  const NamedTensors wanted = ReferenceEngine(program).run(sample_image());
  const auto right_runs = [&] {
    const auto engine = compiled_engine(std::make_shared<const CompiledNetwork>(shipped_library()), program);
    int right = 0;
    for (int i = 0; i < 20; ++i) right += identical(engine->run(sample_image()), wanted) ? 1 : 0;
    return right;
  };
  int others = 0;
  std::thread other([&] { others = right_runs(); });
  EXPECT_EQ(right_runs(), 20);
  other.join();
  EXPECT_EQ(others, 20);
}

TEST(CompileModel, ForgetsAListenerThatThrows) {
  const CompiledNetwork network(shipped_library());
  const Tensor image = sample_image().at("image");
  std::vector<float> scores(10);
  const std::array<const void*, 1> inputs = {image.bytes().data()};
  const std::array<void*, 1> outputs = {scores.data()};
  int calls = 0;
  const auto refuse = [&](const OctetTensor&, const void*) {
    ++calls;
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(network.run(inputs, outputs, refuse), std::runtime_error);
  network.run(inputs, outputs);
  EXPECT_EQ(calls, 1);
}

TEST(CompileModel, RefusesAProgramWithAnotherPolicyOrOtherNames) {
  const auto network = std::make_shared<const CompiledNetwork>(shipped_library());
  Program program = shipped_program();
  EXPECT_NO_THROW(compiled_engine(network, program));
  program.policy = Policy::kAsWritten;
  EXPECT_EQ(failure_of([&] { compiled_engine(network, program); }).message(),
            "the library was compiled with --policy exact, and the program has as-written");
  program.policy = Policy::kExact;
  program.values[program.inputs[0].value].name = "picture";
  EXPECT_EQ(failure_of([&] { compiled_engine(network, program); }).message(),
            "the library's image is not the program's: it was made of another");
}

TEST(CompileModel, SaysWhatTheCompilerSaid) {
  const ScopedVariable broken("CFLAGS", "--no-such-option");
  const Error refused = failure_of([] { compile_model(shipped()); });
  EXPECT_EQ(refused.code(), ErrorCode::kIo);
  EXPECT_NE(std::string(refused.what()).find("no-such-option"), std::string::npos) << refused.what();
}

TEST(PrepareExport, GivesTheBatchASizeAndRefusesWhatStaysOpen) {
  const auto network = [](SymbolicShape shape) {
    Model model = model_from("f(x) => (y) { y = Relu(x) }", {value("x", DType::kFloat, std::move(shape))});
    return model;
  };
  const PreparedExport prepared = prepare_export(network({N(), 3}), Policy::kExact);
  EXPECT_EQ(prepared.model.graph.inputs[0].type.shape, (SymbolicShape{1, 3}));
  const Error refused = failure_of([&] { prepare_export(network({N(), Dim::symbol("T")}), Policy::kExact); });
  EXPECT_EQ(refused.code(), ErrorCode::kUsage);
  EXPECT_NE(std::string(refused.what()).find("--dim T=NUMBER"), std::string::npos) << refused.what();
}

TEST(ExportC, WritesVectorsForTheInputsThatAreGiven) {
  const PreparedExport prepared = prepare_export(shipped(), Policy::kExact);
  const ExportedC plain = export_c(prepared.program, {.name = "net"});
  ASSERT_EQ(plain.files.size(), 3U);
  EXPECT_EQ(plain.files[0].name, "net.c");
  EXPECT_EQ(plain.files[2].name, "net_test.c");
  const ExportedC tested = export_c(prepared.program, {.name = "net", .vectors = "models/sample_image.npy"});
  EXPECT_EQ(tested.files[0].contents, plain.files[0].contents);
  const auto index = std::ranges::find(tested.files, "vectors/index.txt", &ExportedFile::name);
  EXPECT_NE(index, tested.files.end());
  EXPECT_EQ(failure_of([&] { export_c(prepared.program, {.name = "no name"}); }).code(), ErrorCode::kUsage);
}

TEST(CompareDumps, FindsTheStepWhoseDumpIsWrong) {
  const PreparedExport prepared = prepare_export(shipped(), Policy::kExact);
  const ReferenceEngine engine(prepared.program);
  const std::size_t step = 4;
  const std::string tensor = prepared.program.values[prepared.program.steps[step].operations.back().outputs[0]].name;
  Dumps dumps;
  dumps.inputs[0].tensors = engine.run(sample_image(), {.keep_all = true});
  for (const auto& [name, values] : dumps.inputs[0].tensors) dumps.inputs[0].files[name] = name + ".npy";
  const DumpComparison right = compare_dumps(engine, dumps, {{"image", sample_image()}});
  EXPECT_TRUE(right.equal);
  EXPECT_EQ(right.compared, right.tensors);
  dumps.inputs[0].tensors.at(tensor).mutable_as<std::int8_t>()[5] ^= 1;
  const DumpComparison wrong = compare_dumps(engine, dumps, {{"image", sample_image()}});
  EXPECT_FALSE(wrong.equal);
  ASSERT_NE(wrong.first_wrong(), nullptr);
  EXPECT_EQ(wrong.first_wrong()->step, step);
  EXPECT_EQ(wrong.first_wrong()->judged().differing, std::vector<std::int64_t>{5});
  const std::vector<VectorInput> two = {{"a", sample_image()}, {"b", sample_image()}};
  EXPECT_EQ(failure_of([&] { compare_dumps(engine, dumps, two); }).code(), ErrorCode::kUsage);
}

}  // namespace
}  // namespace octet
