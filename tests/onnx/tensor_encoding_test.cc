// Every element type in every way a file can hold it. The bytes and numbers are written by hand from the format's
// description.
#include <gtest/gtest.h>

#include "octet/onnx/support/packing.h"
#include "tests/onnx/messages.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

using namespace std::string_literals;

std::string bytes_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes().data()), tensor.byte_size()};
}

struct Case {
  DType dtype;
  Shape shape;
  std::string raw;     // as raw_data holds it
  std::string memory;  // as a Tensor holds it
};

class RawEncoding : public testing::TestWithParam<Case> {};

TEST_P(RawEncoding, IsReadAndWrittenBack) {
  const Case& c = GetParam();
  format::TensorProto message = tensor_message(c.dtype, c.shape);
  message.set_raw_data(c.raw);
  const Model model = parse(message_with(message));
  const Tensor& tensor = model.graph.initializers.at(0).tensor;
  EXPECT_EQ(tensor.dtype(), c.dtype);
  EXPECT_EQ(tensor.shape(), c.shape);
  EXPECT_EQ(bytes_of(tensor), c.memory);

  format::ModelProto written;
  ASSERT_TRUE(written.ParseFromString(serialize_model(model)));
  EXPECT_EQ(written.graph().initializer(0).raw_data(), c.raw);
}

const std::string kEight = "\x01\x02\x03\x04\x05\x06\x07\xF8";

INSTANTIATE_TEST_SUITE_P(
    AllTypes, RawEncoding,
    testing::Values(Case{DType::kFloat, {2}, kEight, kEight}, Case{DType::kUint8, {2, 4}, kEight, kEight},
                    Case{DType::kInt8, {8}, kEight, kEight}, Case{DType::kUint16, {4}, kEight, kEight},
                    Case{DType::kInt16, {2, 2}, kEight, kEight}, Case{DType::kInt32, {2}, kEight, kEight},
                    Case{DType::kInt64, {}, kEight, kEight}, Case{DType::kBool, {3}, "\1\0\1"s, "\1\0\1"s},
                    Case{DType::kFloat16, {4}, kEight, kEight}, Case{DType::kDouble, {1}, kEight, kEight},
                    Case{DType::kUint32, {2}, kEight, kEight}, Case{DType::kUint64, {1, 1}, kEight, kEight},
                    Case{DType::kComplex64, {1}, kEight, kEight},
                    Case{DType::kComplex128, {1}, kEight + kEight, kEight + kEight},
                    Case{DType::kBFloat16, {4}, kEight, kEight}, Case{DType::kFloat8E4M3FN, {8}, kEight, kEight},
                    Case{DType::kFloat8E4M3FNUZ, {8}, kEight, kEight}, Case{DType::kFloat8E5M2, {8}, kEight, kEight},
                    Case{DType::kFloat8E5M2FNUZ, {8}, kEight, kEight}, Case{DType::kFloat8E8M0, {8}, kEight, kEight},
                    Case{DType::kUint4, {3}, "\x21\x0F", "\x01\x02\x0F"},
                    Case{DType::kInt4, {3}, "\x87\x0F", "\x07\xF8\xFF"},
                    Case{DType::kFloat4E2M1, {2}, "\x9F", "\x0F\x09"},
                    Case{DType::kUint2, {5}, "\xE4\x03"s, "\x00\x01\x02\x03\x03"s},
                    Case{DType::kInt2, {5}, "\xE4\x03"s, "\x00\x01\xFE\xFF\xFF"s}, Case{DType::kFloat, {0}, "", ""},
                    Case{DType::kInt4, {2, 0}, "", ""}),
    [](const auto& test) { return std::string(name(test.param.dtype)) + "_" + std::to_string(test.index); });

TEST(RawEncoding, ReadsEveryBoolThatIsNotZeroAsTrue) {
  format::TensorProto message = tensor_message(DType::kBool, {3});
  message.set_raw_data("\x02\x00\xFF"s);
  EXPECT_TRUE(parse_tensor(message).identical(Tensor::from<bool>({3}, {true, false, true})));
}

TEST(RawEncoding, IgnoresTheUnusedBitsOfTheLastByte) {
  format::TensorProto message = tensor_message(DType::kUint4, {1});
  message.set_raw_data("\xF3");
  EXPECT_EQ(bytes_of(parse_tensor(message)), "\x03");
}

TEST(TypedEncoding, ReadsFloats) {
  format::TensorProto message = tensor_message(DType::kFloat, {2});
  message.add_float_data(1.5F);
  message.add_float_data(-0.0F);
  EXPECT_TRUE(parse_tensor(message).identical(Tensor::from<float>({2}, {1.5F, -0.0F})));
}

TEST(TypedEncoding, ReadsDoubles) {
  format::TensorProto message = tensor_message(DType::kDouble, {});
  message.add_double_data(0.1);
  EXPECT_TRUE(parse_tensor(message).identical(Tensor::scalar(0.1)));
}

TEST(TypedEncoding, ReadsInt64s) {
  format::TensorProto message = tensor_message(DType::kInt64, {2});
  message.add_int64_data(INT64_MIN);
  message.add_int64_data(7);
  EXPECT_TRUE(parse_tensor(message).identical(Tensor::from<std::int64_t>({2}, {INT64_MIN, 7})));
}

TEST(TypedEncoding, ReadsUint64sAndUint32sFromTheSameField) {
  format::TensorProto message = tensor_message(DType::kUint64, {1});
  message.add_uint64_data(UINT64_MAX);
  EXPECT_TRUE(parse_tensor(message).identical(Tensor::from<std::uint64_t>({1}, {UINT64_MAX})));
  message.set_data_type(static_cast<int>(DType::kUint32));
  message.set_uint64_data(0, UINT32_MAX);
  EXPECT_TRUE(parse_tensor(message).identical(Tensor::from<std::uint32_t>({1}, {UINT32_MAX})));
}

TEST(TypedEncoding, ReadsComplexNumbersAsPairs) {
  format::TensorProto message = tensor_message(DType::kComplex64, {1});
  message.add_float_data(1.0F);
  message.add_float_data(2.0F);
  EXPECT_EQ(bytes_of(parse_tensor(message)), "\x00\x00\x80\x3F\x00\x00\x00\x40"s);
  message = tensor_message(DType::kComplex128, {1});
  message.add_double_data(1.0);
  message.add_double_data(2.0);
  EXPECT_EQ(bytes_of(parse_tensor(message)), "\0\0\0\0\0\0\xF0\x3F\0\0\0\0\0\0\0\x40"s);
}

TEST(TypedEncoding, ReadsStrings) {
  format::TensorProto message = tensor_message(DType::kString, {2});
  message.add_string_data("");
  message.add_string_data("\0\xFF"s);
  EXPECT_EQ(parse_tensor(message).strings(), (std::vector<std::string>{"", "\0\xFF"s}));
}

struct Int32Case {
  DType dtype;
  Shape shape;
  std::vector<int> field;
  std::string memory;
};

class Int32Encoding : public testing::TestWithParam<Int32Case> {};

TEST_P(Int32Encoding, IsRead) {
  const Int32Case& c = GetParam();
  format::TensorProto message = tensor_message(c.dtype, c.shape);
  message.mutable_int32_data()->Add(c.field.begin(), c.field.end());
  const Tensor tensor = parse_tensor(message);
  EXPECT_EQ(tensor.dtype(), c.dtype);
  EXPECT_EQ(bytes_of(tensor), c.memory);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Int32Encoding,
                         testing::Values(Int32Case{DType::kInt32, {1}, {-2}, "\xFE\xFF\xFF\xFF"},
                                         Int32Case{DType::kInt16, {2}, {-2, 3}, "\xFE\xFF\x03\x00"s},
                                         Int32Case{DType::kUint16, {1}, {65535}, "\xFF\xFF"},
                                         Int32Case{DType::kInt8, {2}, {-128, 127}, "\x80\x7F"},
                                         Int32Case{DType::kUint8, {2}, {255, 0}, "\xFF\x00"s},
                                         Int32Case{DType::kBool, {3}, {0, 1, 256}, "\x00\x01\x01"s},
                                         Int32Case{DType::kFloat16, {1}, {0x3C00}, "\x00\x3C"s},
                                         Int32Case{DType::kBFloat16, {1}, {0x3F80}, "\x80\x3F"},
                                         Int32Case{DType::kFloat8E4M3FN, {1}, {0xFE}, "\xFE"},
                                         Int32Case{DType::kFloat8E4M3FNUZ, {1}, {0xFE}, "\xFE"},
                                         Int32Case{DType::kFloat8E5M2, {1}, {0xFE}, "\xFE"},
                                         Int32Case{DType::kFloat8E5M2FNUZ, {1}, {0xFE}, "\xFE"},
                                         Int32Case{DType::kFloat8E8M0, {1}, {0xFE}, "\xFE"},
                                         Int32Case{DType::kUint4, {3}, {0x21, 0x0F}, "\x01\x02\x0F"},
                                         Int32Case{DType::kInt4, {3}, {0x87, 0x0F}, "\x07\xF8\xFF"},
                                         Int32Case{DType::kFloat4E2M1, {2}, {0x9F}, "\x0F\x09"},
                                         Int32Case{DType::kUint2, {5}, {0xE4, 0x03}, "\x00\x01\x02\x03\x03"s},
                                         Int32Case{DType::kInt2, {4}, {0xE4}, "\x00\x01\xFE\xFF"s}),
                         [](const auto& test) { return std::string(name(test.param.dtype)); });

TEST(TensorFile, SurvivesSavingAndLoading) {
  const TemporaryFolder folder;
  const Tensor numbers = Tensor::from<std::int8_t>({3}, {-8, 0, 7}, DType::kInt4);
  save_tensor(numbers, "numbers", folder / "t.pb");
  EXPECT_TRUE(load_tensor(folder / "t.pb").identical(numbers));
  const Tensor text = Tensor::from_strings({2}, {"a", ""});
  save_tensor(text, "text", folder / "t.pb");
  EXPECT_TRUE(load_tensor(folder / "t.pb").identical(text));
}

TEST(TensorFile, RefusesATensorWithoutType) {
  const TemporaryFolder folder;
  const Error error = failure_of([&] { save_tensor(Tensor(), "nothing", folder / "t.pb"); });
  EXPECT_EQ(error.code(), ErrorCode::kModel);
  EXPECT_EQ(error.message(), "a tensor without type can't be written");
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Packing, CountsTheBytesOfPartialLastBytes) {
  EXPECT_EQ(packed_size(DType::kInt4, 0), 0);
  EXPECT_EQ(packed_size(DType::kInt4, 1), 1);
  EXPECT_EQ(packed_size(DType::kInt4, 3), 2);
  EXPECT_EQ(packed_size(DType::kInt2, 4), 1);
  EXPECT_EQ(packed_size(DType::kInt2, 5), 2);
  EXPECT_EQ(packed_size(DType::kComplex128, 2), 32);
}

}  // namespace
}  // namespace octet
