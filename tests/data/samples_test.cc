#include "octet/data/samples.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

class Samples : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("octet_samples_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Model model_with(SymbolicShape shape, DType dtype = DType::kFloat) {
    Model model;
    model.graph.inputs.push_back({.name = "x", .type = {.dtype = dtype, .shape = std::move(shape)}});
    return model;
  }
  static SymbolicShape planes() { return {Dim::symbol("N"), Dim(3), Dim(32), Dim(32)}; }

  // Image i has the label i; its byte k is i + k, modulo 256.
  fs::path cifar(int images, const char* name = "images.bin") const {
    std::ofstream file(folder_ / name, std::ios::binary);
    for (int i = 0; i < images; ++i) {
      file.put(static_cast<char>(i));
      for (int k = 0; k < 3072; ++k) file.put(static_cast<char>(i + k));
    }
    return folder_ / name;
  }
  static float at(const Batch& batch, std::size_t index) { return batch.inputs.at("x").as<float>()[index]; }

  template <typename F>
  static std::string message_of(F f) {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

// Parts in memory, one after the other.
SampleArrays parts_of(std::vector<std::map<std::string, Tensor>> parts) {
  return [parts = std::move(parts), next = std::size_t{0}]() mutable -> std::optional<std::map<std::string, Tensor>> {
    if (next == parts.size()) return std::nullopt;
    return parts[next++];
  };
}

TEST_F(Samples, ComeFromMemoryPartByPart) {
  const Model model = model_with({Dim::symbol("N"), Dim(2)});
  const Tensor first = Tensor::from<float>({3, 2}, {0, 1, 2, 3, 4, 5}), second = Tensor::from<float>({1, 2}, {6, 7});
  SampleStream samples(model, parts_of({{{"", first}}, {{"", second}}}));
  EXPECT_EQ(samples.next(2)->inputs.at("x"), Tensor::from<float>({2, 2}, {0, 1, 2, 3}));
  EXPECT_EQ(samples.next(2)->inputs.at("x"), Tensor::from<float>({1, 2}, {4, 5}));
  EXPECT_EQ(samples.next(2)->inputs.at("x"), second);
  EXPECT_FALSE(samples.next(2));
}

TEST_F(Samples, InMemoryHaveNamesAndLabelsAsInArchives) {
  const Model model = model_with({Dim::symbol("N"), Dim(1)});
  const Tensor pixels = Tensor::from<std::uint8_t>({2, 1}, {0, 255});
  SampleStream samples(model, parts_of({{{"photos", pixels}, {"labels", Tensor::from<std::int64_t>({2}, {7, 9})}}}));
  const Batch batch = *samples.next(8);
  EXPECT_EQ(batch.inputs.at("x"), Tensor::from<float>({2, 1}, {0, 1}));
  EXPECT_EQ(batch.labels, (std::vector<std::int64_t>{7, 9}));
}

TEST_F(Samples, InMemoryAreHeldToTheModel) {
  const Model model = model_with({Dim::symbol("N"), Dim(2)});
  SampleStream wrong(model, parts_of({{{"", Tensor::from<double>({1, 2}, {0, 1})}}}));
  EXPECT_THROW(wrong.next(1), Error);
  EXPECT_THROW(SampleStream(model, parts_of({}), {.images = {.bgr = true}}), Error);
}

TEST_F(Samples, LookAtTheHeaderBeforeTheElements) {
  save_npz({{"x", Tensor(DType::kFloat, {2, 1 << 16})}}, folder_ / "x.npz");
  SampleStream stream(model_with({Dim::symbol("N"), Dim(3)}), folder_ / "x.npz", {});
  const MemoryBudget budget((2 << 18) + (1 << 16));  // the archive fits, its elements beside it do not
  EXPECT_EQ(message_of([&] { stream.next(1); }), "input x is float32[2,65536], and the model wants float32[?,3]");
}

TEST_F(Samples, ReadCifarInBatchesWithLabels) {
  SampleStream stream(model_with(planes()), cifar(5), {});
  EXPECT_EQ(stream.total(), 5);
  const auto first = stream.next(3), second = stream.next(3);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(stream.next(3));
  EXPECT_EQ(first->labels, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(second->labels, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(second->inputs.at("x").shape(), (Shape{2, 3, 32, 32}));
  EXPECT_EQ(at(*first, 0), 0.0F);
  EXPECT_EQ(at(*first, 3072 + 254), 1.0F);  // byte 255
  EXPECT_EQ(at(*second, 48), 51.0F / 255.0F);
}

TEST_F(Samples, FollowTheLayoutOfTheModel) {
  SampleStream stream(model_with({Dim::symbol("N"), Dim(32), Dim(32), Dim(3)}), cifar(1), {.pixels = {.divisor = 1}});
  const auto batch = stream.next(1);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->inputs.at("x").shape(), (Shape{1, 32, 32, 3}));
  EXPECT_EQ(at(*batch, 3), 1.0F);                          // red of the second pixel
  EXPECT_EQ(at(*batch, 3 * 300 + 1), (1024 + 300) % 256);  // green of pixel 300
}

TEST_F(Samples, LeaveBytesForAModelThatTakesThem) {
  SampleStream stream(model_with(planes(), DType::kUint8), cifar(1), {});
  EXPECT_EQ(stream.next(1)->inputs.at("x").as<std::uint8_t>()[200], 200);
}

TEST_F(Samples, NormalizeEachChannel) {
  const PixelForm form{.divisor = 255, .mean = {0, 0.5F, 0}, .deviation = {1, 0.25F, 2}};
  SampleStream stream(model_with(planes()), cifar(1), {.pixels = form});
  const auto batch = stream.next(1);
  EXPECT_EQ(at(*batch, 255), 1.0F);
  EXPECT_EQ(at(*batch, 1024 + 255), 2.0F);  // (1 - 0.5) / 0.25
  EXPECT_EQ(at(*batch, 2048 + 255), 0.5F);
}

TEST_F(Samples, NormalizeBytesOfAnArrayToo) {
  save_npy(Tensor::from<std::uint8_t>({2, 1}, {0, 51}), folder_ / "a.npy");
  SampleStream stream(model_with({Dim::symbol("N"), Dim(1)}), folder_ / "a.npy",
                      {.pixels = {.divisor = 51, .mean = {1}}});
  const auto batch = stream.next(9);
  EXPECT_EQ(at(*batch, 0), -1.0F);
  EXPECT_EQ(at(*batch, 1), 0.0F);
}

TEST_F(Samples, RefuseToConvertPixelsThatAreNone) {
  save_npy(Tensor::from<float>({2, 1}, {0, 51}), folder_ / "a.npy");
  SampleStream stream(model_with({Dim::symbol("N"), Dim(1)}), folder_ / "a.npy", {.pixels = {.asked_for = true}});
  EXPECT_EQ(message_of([&] { stream.next(1); }),
            (folder_ / "a.npy").string() + " holds no bytes for a float32 input: there are no pixels to convert");
}

TEST_F(Samples, RefuseMeansThatAreNotOnePerChannel) {
  SampleStream stream(model_with(planes()), cifar(1), {.pixels = {.mean = {1, 2}}});
  EXPECT_EQ(message_of([&] { stream.next(1); }), "2 means or deviations for input x, whose samples have 3 channels");
}

TEST_F(Samples, RefuseDeviationsByWhichNothingCanBeDivided) {
  EXPECT_EQ(message_of([&] {
              SampleStream(model_with(planes()), cifar(1), {.pixels = {.deviation = {1, 0, 1}}});
            }),
            "a deviation of 0, by which pixels are divided; wanted finite numbers above 0");
}

TEST_F(Samples, TakeTheArraysOfAnArchiveByName) {
  save_npz({{"pictures", Tensor::from<float>({3, 1}, {1, 2, 3})}, {"y", Tensor::from<std::int64_t>({3}, {7, 8, 9})}},
           folder_ / "a.npz");
  SampleStream stream(model_with({Dim::symbol("N"), Dim(1)}), folder_ / "a.npz", {.limit = 2});
  const auto batch = stream.next(9);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->samples, 2);  // the limit
  EXPECT_EQ(batch->labels, (std::vector<std::int64_t>{7, 8}));
  EXPECT_EQ(at(*batch, 1), 2.0F);
  EXPECT_FALSE(stream.next(9));
}

// Sorted by class, the first samples would be those of the first classes.
TEST_F(Samples, AreTakenEvenlyOverTheClasses) {
  std::vector<float> x;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 12; ++i) x.push_back(static_cast<float>(i)), labels.push_back(i / 4);
  const auto save = [&](const char* name) {
    save_npz({{"x", Tensor::from<float>({12, 1}, std::span<const float>(x))},
              {"y", Tensor::from<std::int64_t>({12}, std::span<const std::int64_t>(labels))}},
             folder_ / name);
  };
  save("a.npz");
  std::vector<std::string> notes;
  const auto note = [&](const std::string& text) { notes.push_back(text); };
  const Model model = model_with({Dim::symbol("N"), Dim(1)});
  SampleStream stream(model, folder_ / "a.npz", {.limit = 6, .note = note});
  EXPECT_EQ(stream.total(), 6);
  const auto batch = stream.next(9);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->labels, (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(at(*batch, i), 2.0F * static_cast<float>(i));
  EXPECT_EQ(batch->sources[3].number, 6);
  EXPECT_EQ(batch->sources[3].file, (folder_ / "a.npz").string());
  EXPECT_FALSE(stream.next(9));
  EXPECT_EQ(notes, std::vector<std::string>{(folder_ / "a.npz").string() +
                                            ": 6 of 12 samples, 2 of each of 3 classes, at even distances"});
  notes.clear();
  SampleStream(model, folder_ / "a.npz", {.limit = 12, .note = note});
  EXPECT_TRUE(notes.empty()) << "all of them are";

  // Over two files, for a model with a batch that takes from both.
  for (std::int64_t& label : labels) label += 3;
  save("b.npz");
  SampleStream both(model_with({Dim(4), Dim(1)}), folder_, {.limit = 12});
  std::vector<std::int64_t> taken;
  while (const auto next = both.next(1)) taken.insert(taken.end(), next->labels.begin(), next->labels.end());
  EXPECT_EQ(taken, (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
  SampleStream half(model_with({Dim(4), Dim(1)}), folder_, {.limit = 4});
  EXPECT_EQ(half.next(1)->labels, (std::vector<std::int64_t>{0, 1, 3, 4})) << "classes at even distances";
}

// Each sample is in one part, and each part has every class.
TEST_F(Samples, AreSharedOutInParts) {
  std::vector<std::int64_t> all;
  for (const std::int64_t index : {0, 1, 2}) {
    SampleStream stream(model_with(planes()), cifar(10), {.limit = 7, .part = SamplePart{index, 3}});
    const auto batch = stream.next(99);
    EXPECT_EQ(stream.total(), 0);
    EXPECT_EQ(batch->samples, index == 0 ? 3 : 2);
    all.insert(all.end(), batch->labels.begin(), batch->labels.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 4, 5, 7, 8}));
  EXPECT_EQ(message_of([&] {
              SampleStream(model_with(planes()), cifar(2), {.part = SamplePart{0, 3}});
            }),
            "2 samples make no 3 parts");
}

TEST_F(Samples, AreTakenEvenlyOverTheFilesOfAFolder) {
  cifar(12, "b.bin");
  cifar(12, "a.bin");
  const std::vector<std::int64_t> one_of_each = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  SampleStream stream(model_with(planes()), folder_, {.limit = 12});
  EXPECT_EQ(stream.next(99)->labels, one_of_each);
  EXPECT_FALSE(stream.next(99));
  SampleStream drawn(model_with(planes()), folder_, {.limit = 12, .seed = 2});
  std::vector<std::int64_t> labels;
  std::set<std::string> files;
  while (const auto next = drawn.next(9)) {
    labels.insert(labels.end(), next->labels.begin(), next->labels.end());
    for (const SampleSource& source : next->sources) files.insert(source.file);
  }
  std::ranges::sort(labels);
  EXPECT_EQ(labels, one_of_each);
  EXPECT_EQ(files.size(), 2U);
  EXPECT_EQ(message_of([&] { SampleStream(model_with(planes()), folder_, {.seed = 2}); }),
            "a seed draws samples where not all are taken; say how many with --samples");
}

TEST_F(Samples, ReadAFolderInTheOrderOfNames) {
  cifar(2, "b.bin");
  cifar(1, "a.bin");
  std::ofstream(folder_ / "readme.txt") << "not a sample";
  SampleStream stream(model_with(planes()), folder_, {});
  EXPECT_EQ(stream.total(), 3);
  EXPECT_EQ(stream.next(9)->samples, 1);
  EXPECT_EQ(stream.next(9)->samples, 2);
}

TEST_F(Samples, KeepToTheBatchOfTheModel) {
  SampleStream stream(model_with({Dim(2), Dim(3), Dim(32), Dim(32)}), cifar(5), {.limit = 4});
  EXPECT_EQ(stream.next(9)->samples, 2);
  EXPECT_EQ(stream.next(9)->samples, 2);
  EXPECT_FALSE(stream.next(9));
  SampleStream all(model_with({Dim(2), Dim(3), Dim(32), Dim(32)}), cifar(5), {});
  all.next(1), all.next(1);
  EXPECT_EQ(message_of([&] { all.next(1); }),
            "the model takes batches of 2; samples left over: 1; ask for a multiple of 2");
  SampleStream cut(model_with({Dim(2), Dim(3), Dim(32), Dim(32)}), cifar(5), {.limit = 3});
  cut.next(1);
  EXPECT_EQ(message_of([&] { cut.next(1); }),
            "the model takes batches of 2; samples left over: 1; ask for a multiple of 2");
}

// Numbers of another type are never converted in silence.
TEST_F(Samples, NameTheArrayWhoseTypeIsAnother) {
  const Model model = model_with({Dim::symbol("N"), Dim(1)});
  const auto refused = [&](const fs::path& path) { return message_of([&] { SampleStream(model, path, {}).next(1); }); };
  const std::string wanted = " wants float32, or uint8 for pixels; save it with that type (numpy: astype)";
  save_npy(Tensor::from<double>({2, 1}, {1, 2}), folder_ / "a.npy");
  EXPECT_EQ(refused(folder_ / "a.npy"), (folder_ / "a.npy").string() + ": the array is float64, and input x" + wanted);
  save_npz({{"x", Tensor::from<std::int64_t>({2, 1}, {1, 2})}}, folder_ / "a.npz");
  EXPECT_EQ(refused(folder_ / "a.npz"), (folder_ / "a.npz").string() + ": array x is int64, and input x" + wanted);
  save_npz({{"data", Tensor::from<double>({2, 1}, {1, 2})}, {"more", Tensor::from<double>({2}, {1, 2})}},
           folder_ / "b.npz");
  EXPECT_EQ(refused(folder_ / "b.npz"), (folder_ / "b.npz").string() +
                                            " has no array x, and none of its others fits it alone: data "
                                            "(float64[2,1]), more (float64[2]); wanted float32[N,1]");
  save_npy(Tensor::from<float>({2, 1}, {1, 2}), folder_ / "c.npy");
  EXPECT_EQ(message_of([&] {
              SampleStream(model_with({Dim::symbol("N"), Dim(1)}, DType::kUint8), folder_ / "c.npy", {}).next(1);
            }),
            (folder_ / "c.npy").string() +
                ": the array is float32, and input x wants uint8; save it with that type (numpy: astype)");
}

TEST_F(Samples, TakeWholeNumbersForLabels) {
  const auto batch = [&](const Tensor& labels) {
    save_npz({{"x", Tensor::from<float>({3, 1}, {1, 2, 3})}, {"y", labels}}, folder_ / "a.npz");
    return *SampleStream(model_with({Dim::symbol("N"), Dim(1)}), folder_ / "a.npz", {}).next(3);
  };
  EXPECT_EQ(batch(Tensor::from<double>({3}, {0, 2, 1})).labels, (std::vector<std::int64_t>{0, 2, 1}));
  EXPECT_EQ(batch(Tensor::from<float>({3}, {7, 8, 9})).labels, (std::vector<std::int64_t>{7, 8, 9}));
  const std::string file = (folder_ / "a.npz").string();
  // They may be no labels at all: whoever counts answers says so.
  const Batch halves = batch(Tensor::from<double>({3}, {0, 1, 1.5}));
  EXPECT_EQ(halves.labels, std::vector<std::int64_t>());
  EXPECT_EQ(halves.unlabelled, file + ": the label of sample 3 in y is 1.5; wanted a whole number");
  EXPECT_EQ(batch(Tensor::from<float>({3}, {std::nanf(""), 1, 1})).unlabelled,
            file + ": the label of sample 1 in y is nan; wanted a whole number");
  EXPECT_EQ(batch(Tensor::from<float>({3}, {1, 1e30F, 1})).unlabelled,
            file + ": the label of sample 2 in y is 1.0000000150474662e+30; wanted a whole number");
  EXPECT_EQ(SampleStream(model_with(planes()), cifar(1), {}).next(1)->unlabelled, "");
}

TEST_F(Samples, HaveNoLabelsWhereTwoArraysOfThemDiffer) {
  const auto batch = [&](const Tensor& y, const Tensor& labels) {
    save_npz({{"x", Tensor::from<float>({2, 1}, {1, 2})}, {"y", y}, {"labels", labels}}, folder_ / "a.npz");
    return *SampleStream(model_with({Dim::symbol("N"), Dim(1)}), folder_ / "a.npz", {}).next(2);
  };
  const Tensor ints = Tensor::from<std::int64_t>({2}, {3, 4});
  EXPECT_EQ(batch(Tensor::from<float>({2}, {3, 4}), ints).labels, (std::vector<std::int64_t>{3, 4}));
  for (const Tensor& other : {Tensor::from<std::int64_t>({2}, {3, 5}), Tensor::from<float>({2}, {0.5F, 1})})
    for (const Batch& found : {batch(ints, other), batch(other, ints)}) {
      EXPECT_EQ(found.labels, std::vector<std::int64_t>());
      EXPECT_EQ(found.unlabelled,
                (folder_ / "a.npz").string() + ": labels and y are both labels and differ; keep one of them");
    }
}

// What is no image may be no pixels either, and is not divided in silence.
TEST_F(Samples, SayWhereBytesAreTakenAsPixels) {
  std::vector<std::string> notes;
  const auto first = [&](const Model& model, SampleOptions options) {
    notes.clear();
    options.note = [&](const std::string& text) { notes.push_back(text); };
    return SampleStream(model, folder_ / "a.npy", options).next(1)->inputs.at("x").as<float>()[0];
  };
  save_npy(Tensor::from<std::uint8_t>({1, 1}, {51}), folder_ / "a.npy");
  const Model numbers = model_with({Dim::symbol("N"), Dim(1)});
  EXPECT_EQ(first(numbers, {}), 0.2F);
  EXPECT_EQ(notes, std::vector<std::string>{(folder_ / "a.npy").string() +
                                            ": the bytes for input x are taken as pixels and divided by 255; --pixels "
                                            "byte leaves them"});
  EXPECT_EQ(first(numbers, {.pixels = {.divisor = 1, .asked_for = true}}), 51.0F);
  EXPECT_TRUE(notes.empty());
  save_npy(Tensor::from<std::uint8_t>({1, 1, 1, 1}, {51}), folder_ / "a.npy");
  EXPECT_EQ(first(model_with({Dim::symbol("N"), Dim(1), Dim(1), Dim(1)}), {}), 0.2F);
  EXPECT_TRUE(notes.empty());
}

TEST_F(Samples, MatchArraysAndInputsOneToOne) {
  Model model = model_with({Dim::symbol("N"), Dim(1)});
  model.graph.inputs.push_back(model.graph.inputs[0]);
  model.graph.inputs[1].name = "z";
  const fs::path path = folder_ / "a.npz";
  const auto refused = [&] { return message_of([&] { SampleStream(model, path, {}).next(1); }); };
  save_npz({{"one", Tensor::from<float>({2, 1}, {1, 2})}}, path);
  EXPECT_EQ(
      refused(),
      path.string() + " has no array x, and none of its others fits it alone: one (float32[2,1]); wanted float32[N,1]")
      << "it could be either input";
  save_npz({{"x", Tensor::from<float>({2, 1}, {1, 2})}, {"z", Tensor::from<float>({3, 1}, {1, 2, 3})}}, path);
  EXPECT_EQ(refused(), path.string() + ": array z holds 3 samples, another 2");
}

TEST_F(Samples, GoDownSixteenFolders) {
  fs::path deep = folder_ / "class";
  for (int i = 0; i < 17; ++i) deep /= "f";
  fs::create_directories(deep);
  EXPECT_NE(message_of([&] { SampleStream(model_with(planes()), folder_, {}); }).find("lies deeper than 16 folders"),
            std::string::npos);
}

TEST_F(Samples, SayWhichImagesOfOtherKindsTheyPassOver) {
  for (const char* name : {"a.bmp", "b.BMP", "c.webp", "notes.txt", ".hidden.gif"})
    std::ofstream(folder_ / name) << "x";
  EXPECT_EQ(
      message_of([&] { SampleStream(model_with(planes()), folder_, {}); }),
      folder_.string() +
          " holds no images (.jpg, .jpeg, .png), arrays (.bin, .npy, .npz) or ONNX test data (input_0.pb); images "
          "of other kinds are not read: 2 .bmp, 1 .webp");
  fs::create_directories(folder_ / "cat" / "more");
  std::ofstream(folder_ / "cat" / "a.png") << "x";
  std::ofstream(folder_ / "cat" / "more" / "d.tiff") << "x";
  std::vector<std::string> notes;
  const auto note = [&](const std::string& text) { notes.push_back(text); };
  const std::string rest = "; images are .jpg, .jpeg and .png";
  const auto open = [&](const fs::path& path) { SampleStream(model_with(planes()), path, {.note = note}); };
  open(folder_);
  open(folder_ / "cat");
  fs::remove_all(folder_ / "cat" / "more");
  open(folder_ / "cat");
  EXPECT_EQ(notes, (std::vector<std::string>{folder_.string() + ": passed over: 2 .bmp, 1 .tiff, 1 .webp" + rest,
                                             (folder_ / "cat").string() + ": passed over: 1 .tiff" + rest}));
}

TEST_F(Samples, SayWhatIsWrong) {
  const fs::path cut = folder_ / "cut.bin";
  std::ofstream(cut) << "abc";
  EXPECT_EQ(message_of([&] { SampleStream(model_with(planes()), cut, {}).next(1); }),
            cut.string() + " has 3 bytes; CIFAR-10's binary format has 3073 for each image");
  EXPECT_EQ(message_of([&] {
              SampleStream(model_with({Dim(1), Dim(8)}), cifar(1), {}).next(1);
            }),
            "input x is [1,8]; CIFAR-10 images are [N,3,32,32] or [N,32,32,3]");
  EXPECT_EQ(message_of([&] { SampleStream(model_with(planes()), folder_ / "x.gif", {}).next(1); }),
            "there is no file or folder " + (folder_ / "x.gif").string());
  std::ofstream(folder_ / "x.gif") << "GIF89a";
  EXPECT_EQ(message_of([&] { SampleStream(model_with(planes()), folder_ / "x.gif", {}).next(1); }),
            (folder_ / "x.gif").string() + ": wanted a .jpg, .png, .bin, .npy, .npz or .pb file, or a folder of them");
  save_npz({{"x", Tensor::from<float>({2, 1}, {1, 2})}, {"y", Tensor::from<std::int64_t>({1}, {7})}},
           folder_ / "b.npz");
  EXPECT_EQ(message_of([&] {
              SampleStream(model_with({Dim::symbol("N"), Dim(1)}), folder_ / "b.npz", {}).next(1);
            }),
            (folder_ / "b.npz").string() + ": 1 labels for 2 samples");
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(message_of([&] { SampleStream(model_with(planes()), folder_ / "empty", {}); }),
            (folder_ / "empty").string() +
                " holds no images (.jpg, .jpeg, .png), arrays (.bin, .npy, .npz) or ONNX test data (input_0.pb)");
}

}  // namespace
}  // namespace octet
