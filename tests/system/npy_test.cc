#include "octet/system/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "octet/text/utf8.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

using namespace std::string_literals;

FileBytes file_of(const std::string& text) {
  const auto memory = std::make_shared<std::string>(text);
  return {std::as_bytes(std::span(*memory)), memory};
}

std::string npy(const std::string& dict, const std::string& elements, int version = 1) {
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  return file + dict + elements;
}

std::string dict(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}

Tensor parse(const std::string& text) { return parse_npy(file_of(text)); }
ErrorCode code_of(const std::string& text) {
  return failure_of([&] { parse(text); }).code();
}

std::string written(const Tensor& tensor) {
  const NpyParts parts = npy_parts(tensor);
  const std::span<const std::byte> bytes = parts.elements.bytes();
  return parts.header + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

TEST(Npy, WritesTheBytesNumPyWrites) {
  const Tensor tensor = Tensor::from<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(written(tensor), "\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"s +
                                 std::string(58, ' ') + "\n\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00"s);
}

TEST(Npy, ElementsBeginAtAnAlignedByte) {
  for (std::size_t rank = 0; rank < 64; ++rank) {
    const std::string header = npy_parts(Tensor(DType::kUint8, Shape(rank, 1))).header;
    EXPECT_EQ(header.size() % 64, 0U) << rank;
    EXPECT_EQ(parse(header + '\0').shape(), Shape(rank, 1));
  }
}

TEST(Npy, EveryNumPyTypeComesBackAsItself) {
  for (const DType dtype : {DType::kBool, DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16, DType::kInt32,
                            DType::kUint32, DType::kInt64, DType::kUint64, DType::kFloat16, DType::kFloat,
                            DType::kDouble, DType::kComplex64, DType::kComplex128}) {
    Tensor tensor(dtype, {2, 2});
    std::memset(tensor.mutable_bytes().data(), 1, tensor.byte_size());
    EXPECT_TRUE(parse(written(tensor)).identical(tensor)) << name(dtype);
  }
}

TEST(Npy, TypesNumPyLacksAreStoredByTheirValues) {
  const Tensor halves = Tensor::from<BFloat16>({2}, {to_bfloat16(1.5F), to_bfloat16(-3e38F)});
  EXPECT_TRUE(parse(written(halves)).identical(convert(halves, DType::kFloat)));
  const Tensor nibbles = Tensor::from<std::int8_t>({2}, {-8, 7}, DType::kInt4);
  EXPECT_TRUE(parse(written(nibbles)).identical(Tensor::from<std::int8_t>({2}, {-8, 7})));
  const Tensor unsigned_nibbles = Tensor::from<std::uint8_t>({2}, {0, 15}, DType::kUint4);
  EXPECT_TRUE(parse(written(unsigned_nibbles)).identical(Tensor::from<std::uint8_t>({2}, {0, 15})));
  const Tensor minifloats = Tensor::from<std::uint8_t>({2}, {0x38, 0xff}, DType::kFloat8E4M3FN);
  EXPECT_TRUE(parse(written(minifloats)).identical(Tensor::from<std::uint8_t>({2}, {0x38, 0xff})));
}

TEST(Npy, StringsComeBackFromUtf32) {
  const Tensor tensor = Tensor::from_strings({3}, {"", "größe", "\xF0\x9F\x90\x99!"});
  EXPECT_TRUE(parse(written(tensor)).identical(tensor));
  EXPECT_NE(written(tensor).find("'<U5'"), std::string::npos);
}

TEST(Npy, ReadsByteStringsAndBigEndianText) {
  EXPECT_EQ(parse(npy(dict("|S3", "(2,)"), "ab\0xyz"s)).strings(), (std::vector<std::string>{"ab", "xyz"}));
  EXPECT_EQ(parse(npy(dict(">U1", "(1,)"), "\0\0\0A"s)).strings(), (std::vector<std::string>{"A"}));
}

TEST(Npy, ReadsEveryVersion) {
  for (int version = 1; version <= 3; ++version)
    EXPECT_TRUE(parse(npy(dict("|i1", "(2,)"), "\1\2", version)).identical(Tensor::from<std::int8_t>({2}, {1, 2})));
}

TEST(Npy, TurnsBigEndianAround) {
  EXPECT_TRUE(parse(npy(dict(">i4", "()"), "\x01\x02\x03\x04")).identical(Tensor::scalar<std::int32_t>(0x01020304)));
  const Tensor complex = parse(npy(dict(">c8", "(1,)"), "\x3f\x80\0\0\x40\0\0\0"s));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(complex.bytes().data()), 8), "\0\0\x80\x3f\0\0\0\x40"s);
}

TEST(Npy, TurnsColumnMajorIntoRowMajor) {
  EXPECT_TRUE(parse(npy(dict("|u1", "(2, 3)", true), "\1\4\2\5\3\6"))
                  .identical(Tensor::from<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(parse(npy(dict("|u1", "(2, 1, 2)", true), "\1\2\3\4"))
                  .identical(Tensor::from<std::uint8_t>({2, 1, 2}, {1, 3, 2, 4})));
  EXPECT_EQ(parse(npy(dict("|S1", "(2, 2)", true), "acbd")).strings(), (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(Npy, ReadsTwoUntypedBytesAsBFloat16) {
  EXPECT_TRUE(parse(npy(dict("<V2", "(1,)"), "\x80\x3f")).identical(Tensor::from<BFloat16>({1}, {to_bfloat16(1.0F)})));
}

TEST(Npy, AcceptsWhatOldPythonsWrote) {
  EXPECT_EQ(parse(npy("{'shape': (2L, 1L), 'descr':'|i1','fortran_order':False}", "ab")).shape(), (Shape{2, 1}));
}

TEST(Npy, EmptyArraysAndScalarsHaveTheirShapes) {
  EXPECT_EQ(parse(npy(dict("<f4", "(0, 3)"), "")).shape(), (Shape{0, 3}));
  EXPECT_EQ(parse(npy(dict("<f4", "(0, 4611686018427387904)", true), "")).size(), 0);
  EXPECT_EQ(parse(npy(dict("<f8", "()"), std::string(8, '\0'))).shape(), Shape{});
}

TEST(Npy, BoolsAreZeroOrOne) {
  const Tensor tensor = parse(npy(dict("|b1", "(3,)"), "\0\1\7"s));
  EXPECT_TRUE(tensor.identical(Tensor::from<bool>({3}, {false, true, true})));
}

TEST(Npy, RefusesFilesThatAreNotWhatTheyClaim) {
  EXPECT_EQ(code_of(""), ErrorCode::kFormat);
  EXPECT_EQ(code_of("\x93NUMPY"), ErrorCode::kFormat);
  EXPECT_EQ(code_of("\x93NUMPY\x02\0\0\0"s), ErrorCode::kFormat);
  EXPECT_EQ(code_of("\x93NUMPY\x01\0\xff\xff{}"s), ErrorCode::kFormat);
  EXPECT_EQ(code_of("\x93NUMPY\x02\0\xff\xff\xff\xff{}"s), ErrorCode::kFormat);
  EXPECT_EQ(code_of("PK\3\4"), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy("", "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy("{", "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy("{}", "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy("{'descr", "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<f4", "(2,)") + "x", "12345678")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy("{'descr': '|i1', 'descr': '|i1'}", "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<f4", "(2"), "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<f4", "(-1,)"), "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<f4", "(2,)"), "1234567")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<f4", "(2,)"), "123456789")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<f4", "(1000000000000,)"), "1234")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<U0", "(1000000000000,)"), "")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(dict("<U99999999999999999999", "(1,)"), "")), ErrorCode::kFormat);
}

TEST(Npy, RefusesShapesBeyondAllBounds) {
  EXPECT_EQ(code_of(npy(dict("|i1", "(9223372036854775808,)"), "")), ErrorCode::kLimit);
  EXPECT_EQ(code_of(npy(dict("|i1", "(4294967296, 4294967296)"), "")), ErrorCode::kLimit);
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_EQ(code_of(npy(dict("|i1", many + ")"), "a")), ErrorCode::kFormat);
  EXPECT_EQ(code_of(npy(std::string(70000, ' '), "", 2)), ErrorCode::kLimit);
}

TEST(Npy, NamesTheTypesItDoesNotHave) {
  EXPECT_EQ(code_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "1234")),
            ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(npy(dict("|O", "()"), "")), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(npy(dict("<f16", "()"), "")), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(npy(dict("<M8[s]", "()"), "")), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(npy(dict("|V1", "()"), "a")), ErrorCode::kUnsupported);
}

TEST(Npy, FilesRoundTripAndErrorsNameThem) {
  const TemporaryFolder folder;
  const Tensor tensor = Tensor::from<float>({2}, {1.25F, std::numeric_limits<float>::infinity()});
  save_npy(tensor, folder / "x.npy");
  EXPECT_TRUE(load_npy(folder / "x.npy").identical(tensor));
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_EQ(failure_of([&] { load_npy("/dev/null"); }).where(), "/dev/null");
}

TEST(Utf8, ReplacesWhatIsNotValid) {
  EXPECT_EQ(decode_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x99"), U"a\u00e4\u20ac\U0001F419");
  EXPECT_EQ(decode_utf8("\xC0\x80"), U"\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(decode_utf8("\xE0\x9F\xBF").size(), 3U);              // of U+07FF
  EXPECT_EQ(decode_utf8("\xF0\x8F\xBF\xBF").size(), 4U);          // of U+FFFF
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80").size(), 4U);          // beyond U+10FFFF
  EXPECT_EQ(decode_utf8("\xE2\x82"), U"\uFFFD\uFFFD");            // cut off
  std::string text;
  append_utf8(text, 0xD800);
  EXPECT_EQ(text, "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace octet
