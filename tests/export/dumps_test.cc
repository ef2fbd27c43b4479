// Tensors as simulations, C programs and NumPy wrote them, read back.
#include "octet/export/dumps.h"

#include <gtest/gtest.h>

#include "octet/system/atomic_file.h"
#include "octet/system/npz.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// ---- words of hex

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

std::string hex_failure(std::string_view text, int word = 0) {
  return failure_of([&] { parse_hex_words(text, word); }).what();
}

TEST(HexDumps, HaveTheirLowestByteFirst) {
  const HexWords words = parse_hex_words("0102 a_b0C // a comment\n/* another\n one */ ffFF", 0);
  EXPECT_EQ(words.word, 2U);
  EXPECT_EQ(words.bytes, bytes({0x02, 0x01, 0x0C, 0xAB, 0xFF, 0xFF}));
}

// A simulator may leave out the first digit of an odd number of them.
TEST(HexDumps, HaveWordsOfOneLength) {
  EXPECT_EQ(parse_hex_words("102 304", 2).bytes, bytes({0x02, 0x01, 0x04, 0x03}));
  EXPECT_EQ(hex_failure("0102 02"), "word 1 has 2 digits, wanted 4");
  EXPECT_EQ(hex_failure("01", 2), "word 0 has 2 digits, wanted 4");
  EXPECT_EQ(hex_failure("01 0002"), "word 1 has 4 digits, wanted 2");
}

TEST(HexDumps, HaveAddressesThatGoOn) {
  EXPECT_EQ(parse_hex_words("@0 01 02 @2 03", 1).bytes, bytes({1, 2, 3}));
  std::string many = "@0 ";
  for (int k = 0; k < 17; ++k) many += "00 ";
  EXPECT_EQ(parse_hex_words(many + "@11 05", 1).bytes.size(), 18U);
  EXPECT_EQ(hex_failure("01 @2 03"), "@2 does not go on behind word 1: words are missing or stand twice");
  EXPECT_EQ(hex_failure("01 02 @1 03"), "@1 does not go on behind word 2: words are missing or stand twice");
  EXPECT_EQ(hex_failure("@x 01"), "@x is no address");
  EXPECT_EQ(hex_failure("@10000000000000000 01"), "@10000000000000000 is no address");
}

TEST(HexDumps, SayWhatNothingHasDriven) {
  EXPECT_EQ(hex_failure("01 0x"), "word 1 is 0x, which is no hexadecimal number: nothing has driven it");
  EXPECT_EQ(hex_failure("01 zz"), "word 1 is zz, which is no hexadecimal number: nothing has driven it");
  EXPECT_EQ(hex_failure("01 0g"), "word 1 is 0g, which is no hexadecimal number");
}

// ---- one file

const DumpedTensor kWanted = {"t", DType::kInt8, {1, 2, 3}};

Tensor counted() { return Tensor::from<std::int8_t>({1, 2, 3}, {0, 1, 2, 3, 4, -5}); }

std::string read_failure(const std::filesystem::path& file, const DumpStyle& style = {}) {
  return failure_of([&] { read_dump(file, kWanted, style); }).what();
}

TEST(Dumps, ComeBackFromEveryFormat) {
  const TemporaryFolder folder;
  write_file(folder / "t.raw", std::string_view(bytes({0, 1, 2, 3, 4, 0xFB})));
  write_file(folder / "t.mem", std::string_view("00 01 02 03 04 fb"));
  write_file(folder / "words.hex", std::string_view("03020100 0000fb04"));  // the last word is filled up
  for (const char* file : {"t.raw", "t.mem", "words.hex"})
    EXPECT_TRUE(read_dump(folder / file, kWanted, {}).identical(counted())) << file;
  write_file(folder / "hwc.bin", std::string_view(bytes({0, 3, 1, 4, 2, 0xFB})));
  EXPECT_TRUE(read_dump(folder / "hwc.bin", kWanted, {.layout = Layout::kHwc}).identical(counted()));
}

TEST(Dumps, HaveTheBytesOfTheirTensor) {
  const TemporaryFolder folder;
  write_file(folder / "t.raw", std::string_view("12345"));
  write_file(folder / "two.hex", std::string_view("00010203 00000405 00000000"));
  write_file(folder / "one.hex", std::string_view("00 01 02 03 04 05 06"));
  EXPECT_EQ(read_failure(folder / "t.raw"),
            (folder / "t.raw").string() + ": it has 5 bytes, wanted t int8 [1,2,3], 6 bytes (chw)");
  for (const char* file : {"two.hex", "one.hex"})
    EXPECT_NE(read_failure(folder / file).find(" bytes, wanted t int8 [1,2,3], 6 bytes"), std::string::npos) << file;
}

TEST(Dumps, TakeOtherIntegersThatFit) {
  const TemporaryFolder folder;
  const auto save = [&](const Tensor& tensor) {
    save_npz({{"t", tensor}}, folder / "a.npz");
    Model model = model_from("f (x) => (t) { t = Identity (x) }", {value("x", DType::kInt8, SymbolicShape{1, 2, 3})});
    return read_dumps(lowered(model, Policy::kAsWritten), {(folder / "a.npz").string()}, {});
  };
  const Dumps wide = save(convert(counted(), DType::kInt32).reshaped({6}));
  EXPECT_TRUE(wide.inputs.at(0).tensors.at("t").identical(counted()));
  const auto failure = [&](const Tensor& tensor) { return std::string(failure_of([&] { save(tensor); }).what()); };
  EXPECT_NE(failure(Tensor::from<std::int32_t>({1, 2, 3}, {0, 1, 2, 3, 4, 128})).find("whose elements do not all fit"),
            std::string::npos);
  EXPECT_NE(failure(Tensor(DType::kFloat, {1, 2, 3})).find("it is float32, wanted t int8"), std::string::npos);
  EXPECT_NE(failure(Tensor(DType::kInt8, {3, 2, 1})).find("it is int8[3,2,1], wanted t int8"), std::string::npos);
}

// ---- folders and archives

// One input, x; a value a, and the output y.
Program two_steps() {
  return lowered(
      model_from("f (x) => (y) { a = Neg (x)\n y = Abs (a) }", {value("x", DType::kInt8, SymbolicShape{1, 2})}),
      Policy::kAsWritten);
}

class DumpFolder {
 public:
  void write(const std::string& file, int first) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    write_file(folder_ / file, std::string_view(bytes({first, 0})));
  }
  Dumps read() const { return read_dumps(two_steps(), {folder_.path().string()}, {}); }
  std::string failure() const {
    return failure_of([&] { read(); }).what();
  }

 private:
  TemporaryFolder folder_;
};

int first_of(const Dumps& dumps, std::size_t input, const std::string& tensor) {
  return static_cast<int>(dumps.inputs.at(input).tensors.at(tensor).int_at(0));
}

TEST(DumpFolders, HaveTensorsOfSeveralInputsInNumberedFolders) {
  DumpFolder folder;
  folder.write("0/a.bin", 1);
  folder.write("tensors/10/a.bin", 2);
  folder.write("10/y.bin", 3);
  folder.write("010/a.bin", 4);  // no number of an input
  folder.write("other/a.bin", 5);
  folder.write("0/unknown.bin", 6);
  folder.write("0/notes.txt", 7);
  const Dumps dumps = folder.read();
  ASSERT_EQ(dumps.inputs.size(), 2U);
  EXPECT_EQ(first_of(dumps, 0, "a"), 1);
  EXPECT_EQ(first_of(dumps, 10, "a"), 2);
  EXPECT_EQ(first_of(dumps, 10, "y"), 3);
  EXPECT_EQ(dumps.inputs.at(0).tensors.size(), 1U);
  ASSERT_EQ(dumps.unmatched.size(), 1U);
  EXPECT_TRUE(dumps.unmatched[0].ends_with("0/unknown.bin")) << dumps.unmatched[0];
  EXPECT_FALSE(dumps.has_words);
}

TEST(DumpFolders, DoNotMixTensorsWithAndWithoutTheNumberOfAnInput) {
  DumpFolder folder;
  folder.write("a.bin", 1);
  folder.write("1/y.bin", 2);
  EXPECT_NE(folder.failure().find("is of one of several inputs, and "), std::string::npos) << folder.failure();
}

TEST(DumpFolders, HaveEveryTensorOnce) {
  DumpFolder folder;
  folder.write("a.bin", 1);
  folder.write("a.raw", 1);
  EXPECT_NE(folder.failure().find("a is there twice: "), std::string::npos) << folder.failure();
  EXPECT_NE(DumpFolder().failure().find(" has no dumps: files that end in .npy, .npz"), std::string::npos);
}

TEST(DumpArchives, HaveFoldersInTheirNames) {
  const TemporaryFolder folder;
  const Tensor one = Tensor::from<std::int8_t>({1, 2}, {1, 0}), two = Tensor::from<std::int8_t>({1, 2}, {2, 0});
  save_npz({{"tensors/0/a", one}, {"tensors/1/a", two}, {"constants/a", two}, {"directed/y", two}, {"1/b", one}},
           folder / "vectors.npz");
  const Dumps dumps = read_dumps(two_steps(), {(folder / "vectors.npz").string()}, {});
  EXPECT_EQ(first_of(dumps, 0, "a"), 1);
  EXPECT_EQ(first_of(dumps, 1, "a"), 2);
  EXPECT_EQ(dumps.inputs.at(1).tensors.size(), 1U);
  EXPECT_EQ(dumps.unmatched, std::vector<std::string>{(folder / "vectors.npz").string() + ", array 1/b"});
}

}  // namespace
}  // namespace octet
