#include "octet/data/preprocessing.h"

#include <gtest/gtest.h>

#include "octet/data/samples.h"
#include "octet/onnx/model_file.h"
#include "octet/system/npy.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

const Preprocessing kPhotos{.pixels = {.divisor = 255, .mean = {0.5F, 0.25F, 0.1F}, .deviation = {2, 0.3F, 4}},
                            .images = {.shorter_side = 256, .crop = ImageSize{224, 200}, .bgr = true},
                            .channels_last = true,
                            .classes = {"cat", "d\"o\ng"}};

TEST(Preprocessing, IsReadAsItWasRecorded) {
  Model model;
  EXPECT_FALSE(recorded_preprocessing(model));
  record_preprocessing(model, {});
  record_preprocessing(model, kPhotos);
  ASSERT_EQ(model.metadata.size(), 1U) << "in place of the first";
  const std::string bytes = serialize_model(model);
  const std::optional<Preprocessing> found =
      recorded_preprocessing(parse_model(std::as_bytes(std::span(bytes)), {.validate = false}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(*found == kPhotos);
  EXPECT_EQ(
      to_string(*found),
      "p / 255, minus 0.5,0.25,0.1, divided by 2,0.3,4, shorter side 256, middle 224x200, bgr, nhwc, 2 named classes");
}

TEST(Preprocessing, SaysWhatIsWrongInARecord) {
  const auto message = [](const char* value) {
    Model model;
    model.metadata = {{kPreprocessingKey, value}};
    const Error error = failure_of([&] { recorded_preprocessing(model); });
    EXPECT_EQ(error.code(), ErrorCode::kFormat);
    return error.message();
  };
  const std::string where = "the model's metadata octet.preprocessing can't be read: ";
  EXPECT_EQ(message(R"({"pixels": "byte"})"), where + "\"mean\" is missing");
  EXPECT_EQ(message(R"({"pixels": "bytes"})"), where + "\"pixels\" is \"bytes\"; wanted unit or byte");
  EXPECT_EQ(message(R"({"pixels": "byte", "mean": [1e99]})").find(where + "\"mean\" is "), 0U);
  EXPECT_EQ(message(R"({"pixels": "byte", "mean": [], "deviation": [0]})"),
            where + "\"deviation\" is [0]; wanted finite numbers above 0");
  EXPECT_EQ(message(R"({"pixels": "byte", "mean": [], "deviation": [], "resize": 0})"),
            where + "\"resize\" is 0; wanted a width and a height, or null");
}

TEST(Preprocessing, FillsInWhatWasNotAskedFor) {
  PixelForm pixels{.divisor = 1, .mean = {}, .deviation = {}};
  ImageForm images{.size = ImageSize{10, 20}};
  complete(pixels, images, kPhotos, true);
  EXPECT_EQ(pixels.divisor, 1);
  EXPECT_EQ(pixels.mean, kPhotos.pixels.mean);
  EXPECT_EQ(images.size, (ImageSize{10, 20}));
  EXPECT_FALSE(images.shorter_side);
  EXPECT_EQ(images.crop, kPhotos.images.crop);
  EXPECT_EQ(images.bgr, true);
  ImageForm none;
  complete(pixels, none, kPhotos, false);
  EXPECT_FALSE(none.asked_for());
}

TEST(Preprocessing, NamesWhatContradictsIt) {
  EXPECT_EQ(contradictions({}, {}, kPhotos), "");
  EXPECT_EQ(contradictions({.divisor = 255, .mean = kPhotos.pixels.mean, .deviation = {}},
                           {.shorter_side = 256, .bgr = true}, kPhotos),
            "");
  EXPECT_EQ(contradictions({.divisor = 1, .mean = {1}, .deviation = {3}},
                           {.size = ImageSize{4, 5}, .crop = ImageSize{1, 2}, .bgr = false}, kPhotos),
            "pixels byte in place of unit, mean 1 in place of 0.5,0.25,0.1, deviation 3 in place of 2,0.3,4, resize "
            "4x5 in place of "
            "256, crop 1x2 in place of 224x200, channel order rgb in place of bgr");
  EXPECT_EQ(contradictions({.divisor = 255, .mean = {0, 0, 0}, .deviation = {1}}, {}, {}), "") << "they change nothing";
}

class RecordedSamples : public testing::Test {
 protected:
  RecordedSamples() { save_npy(Tensor::from<std::uint8_t>({1, 1}, {51}), folder_ / "a.npy"); }

  struct Opened {
    float first;
    std::vector<std::string> notes, warnings;
    std::optional<Preprocessing> preprocessing;
  };
  Opened open(SampleOptions options) const {
    Model model;
    model.graph.inputs.push_back(
        {.name = "x", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim(1), Dim(1)}}});
    Opened opened{};
    options.note = [&](const std::string& text) { opened.notes.push_back(text); };
    options.warn = [&](const std::string& text) { opened.warnings.push_back(text); };
    SampleStream stream(model, folder_ / "a.npy", options);
    opened.first = stream.next(1)->inputs.at("x").as<float>()[0];
    opened.preprocessing = stream.preprocessing();
    return opened;
  }

  TemporaryFolder folder_;
};

TEST_F(RecordedSamples, BecomeInputsAsTheModelRecordsIt) {
  const Preprocessing recorded{.pixels = {.divisor = 51, .mean = {3}, .deviation = {}}};
  const Opened silent = open({.recorded = recorded});
  EXPECT_EQ(silent.first, -2.0F);
  EXPECT_TRUE(silent.warnings.empty());
  ASSERT_FALSE(silent.notes.empty());
  EXPECT_EQ(silent.notes[0].find("samples become inputs as the model records it: "), 0U);
  ASSERT_TRUE(silent.preprocessing);
  EXPECT_EQ(silent.preprocessing->pixels, recorded.pixels);
  const Opened other =
      open({.pixels = {.divisor = 51, .mean = {1}, .deviation = {}, .asked_for = true}, .recorded = recorded});
  EXPECT_EQ(other.first, 0.0F);
  EXPECT_EQ(other.warnings,
            std::vector<std::string>{
                "mean 1 in place of 3, as the model records it: its ranges were chosen for other numbers"});
  const Opened added =
      open({.pixels = {.divisor = {}, .mean = {1}, .deviation = {}, .asked_for = true}, .recorded = Preprocessing{}});
  EXPECT_EQ(added.warnings.size(), 1U) << "calibrated without a mean, evaluated with one";
}

TEST_F(RecordedSamples, AreLeftAloneWhereTheyAreNoPixels) {
  save_npy(Tensor::from<float>({1, 1}, {51}), folder_ / "a.npy");
  const Opened opened = open({.recorded = kPhotos});
  EXPECT_EQ(opened.first, 51.0F);
  EXPECT_TRUE(opened.notes.empty());
  EXPECT_FALSE(opened.preprocessing);
}

}  // namespace
}  // namespace octet
