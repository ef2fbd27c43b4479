#include "octet/export/array_files.h"

#include <gtest/gtest.h>

#include "octet/system/npz.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

FileBytes file_bytes(const std::string& contents) {
  const auto owner = std::make_shared<std::string>(contents);
  return {std::as_bytes(std::span(*owner)), owner};
}

const Tensor kBytes = Tensor::from<std::int8_t>({1, 2, 1, 3}, {1, -1, 16, -128, 127, 0});

FileArray array_of(Tensor elements, bool has_layout = true) {
  return {"tensors/x", "x", std::move(elements), has_layout};
}

std::string only_file(const FileArray& array, const ArrayStyle& style, const std::string& name) {
  const ExportedFiles files = array_files({array}, style);
  EXPECT_EQ(files.front().name, name);
  return files.front().contents;
}

TEST(ArrayFiles, HexHasAWordOnEachLineTheHighestByteFirst) {
  EXPECT_EQ(only_file(array_of(kBytes), {ArrayFormat::kHex, Layout::kChw, 1}, "tensors/x.hex"),
            "// x: int8 [1,2,1,3], stored as [1,2,1,3] (chw)\n"
            "// words: 6, bytes of a word: 1; the first element in the lowest bits, little-endian\n"
            "01\nff\n10\n80\n7f\n00\n");
  EXPECT_EQ(only_file(array_of(kBytes), {ArrayFormat::kHex, Layout::kHwc, 4}, "tensors/x.hex"),
            "// x: int8 [1,2,1,3], stored as [1,1,3,2] (hwc)\n"
            "// words: 2, bytes of a word: 4; the first element in the lowest bits, little-endian\n"
            "7fff8001\n00000010\n");
}

TEST(ArrayFiles, WordsOfHexAreNoNarrowerThanElements) {
  const Tensor wide = Tensor::from<std::int32_t>({3}, {1, -2, 0x12345678});
  EXPECT_EQ(only_file(array_of(wide), {ArrayFormat::kHex, Layout::kHwc, 1}, "tensors/x.hex"),
            "// x: int32 [3]\n// words: 3, bytes of a word: 4; the first element in the lowest bits, little-endian\n"
            "00000001\nfffffffe\n12345678\n");
  EXPECT_EQ(only_file(array_of(wide), {ArrayFormat::kHex, Layout::kHwc, 8}, "tensors/x.hex"),
            "// x: int32 [3]\n// words: 2, bytes of a word: 8; the first element in the lowest bits, little-endian\n"
            "fffffffe00000001\n0000000012345678\n");
  EXPECT_STREQ(failure_of([&] {
                 array_files({array_of(wide)}, {ArrayFormat::kHex, Layout::kChw, 6});
               }).what(),
               "words of 6 bytes do not hold whole elements of x, which are int32");
}

TEST(ArrayFiles, RawIsTheBytesInTheOrderOfTheLayout) {
  EXPECT_EQ(only_file(array_of(kBytes), {ArrayFormat::kRaw, Layout::kHwc, 1}, "tensors/x.bin"),
            std::string("\x01\x80\xff\x7f\x10\x00", 6));
  EXPECT_EQ(only_file(array_of(kBytes, false), {ArrayFormat::kRaw, Layout::kHwc, 1}, "tensors/x.bin"),
            std::string("\x01\xff\x10\x80\x7f\x00", 6));
  EXPECT_EQ(
      only_file(array_of(Tensor::scalar<std::int32_t>(-2)), {ArrayFormat::kRaw, Layout::kChw, 1}, "tensors/x.bin"),
      "\xfe\xff\xff\xff");
}

TEST(ArrayFiles, CHasOneHeaderForEachAndOneForAll) {
  const ExportedFiles files = array_files({array_of(kBytes)}, {ArrayFormat::kC, Layout::kChw, 1});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "tensors/x.h");
  EXPECT_EQ(files[0].contents,
            "/* x: int8 [1,2,1,3], stored as [1,2,1,3] (chw) */\n#ifndef OCTET_VECTORS_TENSORS_X_H\n"
            "#define OCTET_VECTORS_TENSORS_X_H\n\n#include <stdint.h>\n\n"
            "static const int8_t tensors_x[6] = {\n    1, -1, 16, -128, 127, 0\n};\n\n#endif\n");
  EXPECT_EQ(files[1].name, "vectors.h");
  EXPECT_NE(files[1].contents.find("#include \"tensors/x.h\"\n"), std::string::npos);
}

TEST(ArrayFiles, CHasNoLiteralForTheLeastInt64) {
  const Tensor wide = Tensor::from<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(), -5});
  EXPECT_NE(only_file(array_of(wide), {ArrayFormat::kC, Layout::kChw, 1}, "tensors/x.h").find("INT64_MIN, INT64_C(-5)"),
            std::string::npos);
}

TEST(ArrayFiles, CIsNotLedAstrayByNames) {
  FileArray array = array_of(kBytes);
  array.name = "*/ int main() {\n\"";
  const std::string text = only_file(array, {ArrayFormat::kC, Layout::kChw, 1}, "tensors/x.h");
  EXPECT_EQ(text.find("*/"), text.find(" (chw) */") + 7);
  const std::string hex = only_file(array, {ArrayFormat::kHex, Layout::kChw, 1}, "tensors/x.hex");
  EXPECT_EQ(std::count(hex.begin(), hex.end(), '\n'), 2 + 6);
}

TEST(ArrayFiles, NumPyFormatsHaveTypeAndShape) {
  const Tensor stored = to_stored(Layout::kHwc, kBytes);
  const ArrayStyle npy{ArrayFormat::kNpy, Layout::kHwc, 1}, npz{ArrayFormat::kNpz, Layout::kHwc, 1};
  EXPECT_TRUE(parse_npy(file_bytes(only_file(array_of(kBytes), npy, "tensors/x.npy"))).identical(stored));
  const NpzReader archive(file_bytes(only_file(array_of(kBytes), npz, "vectors.npz")), "vectors.npz");
  EXPECT_EQ(archive.names(), std::vector<std::string>{"tensors/x"});
  EXPECT_TRUE(archive.read("tensors/x").identical(stored));
}

TEST(ArrayFiles, HaveFiveFormats) {
  for (const std::string format : {"npz", "npy", "hex", "c", "raw"})
    EXPECT_EQ(name(array_format_named(format)), format);
  EXPECT_STREQ(failure_of([] { array_format_named("csv"); }).what(),
               "there is no format csv; the formats are npz, npy, hex, c, raw");
}

}  // namespace
}  // namespace octet
