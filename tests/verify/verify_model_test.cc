// verify_model on the networks in models/, against judges that are right, that are wrong in one element, and ONNX Runtime.
#include "octet/verify/verify_model.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"
#include "octet/verify/verification_text.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

VerifyBatches batches_from(std::vector<NamedTensors> all) {
  return [all = std::move(all), next = std::size_t{0}]() mutable -> std::optional<VerifyBatch> {
    if (next == all.size()) return std::nullopt;
    return VerifyBatch{.inputs = all[next++], .samples = 1, .total = static_cast<std::int64_t>(all.size())};
  };
}

class VerifyModel : public testing::Test {
 protected:
  explicit VerifyModel(const char* file = "models/resnet8_int8.onnx")
      : model_(load_model(file)), engine_(make_engine("fast", lower(model_, Policy::kExact), {.threads = 1})) {}

  // A judge that answers with these tensors, whatever it is asked.
  JudgeCommand answering(const NamedTensors& tensors) const {
    const std::filesystem::path answer = folder_ / "answer.npz";
    save_npz(tensors, answer);
    return {.command = fmt::format("f() {{ cp {} \"$3\"; }}; f", answer.string()), .file = "models/resnet8_int8.onnx"};
  }
  NamedTensors right_answer() const {
    NamedTensors tensors = engine_->run(image_, {.keep_all = true});
    tensors.insert(image_.begin(), image_.end());
    return tensors;
  }

  TemporaryFolder folder_;
  const Model model_;
  const std::unique_ptr<const Engine> engine_;
  const NamedTensors image_ = {{"image", load_npy("models/sample_image.npy")}};
};

TEST_F(VerifyModel, AgreesWithAJudgeThatIsRight) {
  const VerifyResult result =
      verify_model(model_, *engine_, batches_from({image_, image_}), {.against = answering(right_answer())});
  EXPECT_TRUE(result.agrees());
  EXPECT_EQ(result.samples, 2U);
  ASSERT_EQ(result.runs.size(), 1U);
  EXPECT_EQ(result.runs[0].title, answering({}).command);
  EXPECT_TRUE(result.runs[0].found.identical());
  EXPECT_EQ(result.runs[0].found.batches, 2);
  EXPECT_FALSE(result.saturation);
}

TEST_F(VerifyModel, NamesAndExplainsTheElementThatDiffers) {
  NamedTensors wrong = right_answer();
  const Step& step = engine_->program().steps[3];
  const std::string tensor = engine_->program().values[step.operations.back().outputs[0]].name;
  std::int8_t& element = wrong.at(tensor).mutable_as<std::int8_t>()[7];
  element = static_cast<std::int8_t>(element + 1);
  const VerifyResult result =
      verify_model(model_, *engine_, batches_from({image_}), {.against = answering(wrong), .width = 60});
  EXPECT_FALSE(result.agrees());
  const Verification& found = result.runs[0].found;
  ASSERT_FALSE(found.witnesses.empty());
  EXPECT_EQ(found.witnesses[0].step, 3U);
  EXPECT_EQ(found.witnesses[0].tensor, tensor);
  EXPECT_EQ(found.witnesses[0].index.back(), 7);
  EXPECT_FALSE(found.witnesses[0].explanation.empty());
}

TEST_F(VerifyModel, HoldsAnotherEngineToTheLastBit) {
  const VerifyResult result = verify_model(
      model_, *engine_, batches_from({image_}),
      {.against = answering(right_answer()),
       .rival = RivalEngine{"the reference engine", "reference", make_engine("reference", engine_->program())}});
  ASSERT_EQ(result.runs.size(), 2U);
  EXPECT_EQ(result.runs[0].title, "the reference engine");
  EXPECT_TRUE(result.runs[0].found.identical());
  EXPECT_EQ(result.runs[0].found.steps.size(), result.runs[1].found.steps.size());
}

TEST_F(VerifyModel, WritesTheModelForAJudgeWhoseFileIsNotNamed) {
  JudgeCommand judge = answering(right_answer());
  judge.command = fmt::format("g() {{ cp \"$1\" {}; cp {} \"$3\"; }}; g", (folder_ / "seen.onnx").string(),
                              (folder_ / "answer.npz").string());
  judge.file.clear();
  verify_model(model_, *engine_, batches_from({image_}), {.against = judge});
  EXPECT_EQ(serialize_model(load_model(folder_ / "seen.onnx")), serialize_model(model_));
}

TEST_F(VerifyModel, RefusesToVerifyNothing) {
  const VerifyOptions options{.against = answering(right_answer())};
  EXPECT_EQ(failure_of([&] { verify_model(model_, *engine_, batches_from({}), options); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(failure_of([] { judged_form_named("all"); }).code(), ErrorCode::kUsage);
}

TEST(VerificationText, SaysHowMuchIsSaturated) {
  const SaturationTrial trial{.saturated = 3,
                              .integers = 2048,
                              .first = {.tensor = "conv",
                                        .index = {0, 1, 2, 3},
                                        .ours = Tensor::from<std::uint8_t>({1}, {17}),
                                        .theirs = Tensor::from<std::uint8_t>({1}, {15}),
                                        .note = "40000 becomes 32767"}};
  EXPECT_EQ(saturation_text(trial),
            "On this machine ONNX Runtime saturates without session.x64quantprecision: 3 of 2,048 integers differ in "
            "the first batch.\nconv[0,1,2,3]: exactly 17, saturated 15; 40000 becomes 32767\n");
}

// ONNX Runtime in the project's own Python.
class VerifyWithRuntime : public VerifyModel {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(python_)) GTEST_SKIP() << python_ << " is missing: run tools/setup.sh test";
  }

  const std::string python_ = ".venv/bin/python";
};

TEST_F(VerifyWithRuntime, ComparesTheFileAndTheProgram) {
  const VerifyResult result =
      verify_model(model_, *engine_, batches_from({image_}), {.python = python_, .memory = std::uint64_t{1} << 30});
  ASSERT_EQ(result.runs.size(), 2U);
  EXPECT_TRUE(result.agrees());
  EXPECT_EQ(result.runs[0].title, "the file, as ONNX Runtime runs it");
  EXPECT_EQ(result.runs[0].found.runs, 1);
  EXPECT_TRUE(result.runs[0].found.runtime.starts_with("ONNX Runtime ")) << result.runs[0].found.runtime;
}

TEST_F(VerifyWithRuntime, AsksInSeveralRunsWhereMemoryIsShort) {
  const VerifyResult result =
      verify_model(model_, *engine_, batches_from({image_}),
                   {.form = JudgedForm::kProgram, .python = python_, .memory = std::uint64_t{256} << 10});
  ASSERT_EQ(result.runs.size(), 1U);
  EXPECT_TRUE(result.agrees());
  EXPECT_GT(result.runs[0].found.runs, 1);
}

}  // namespace
}  // namespace octet
