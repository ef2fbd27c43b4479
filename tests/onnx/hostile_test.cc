// Files made to break a reader, one by one: each gives an octet::Error that says what is wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "octet/system/atomic_file.h"
#include "tests/onnx/messages.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

using namespace std::string_literals;
using format::AttributeProto;

void expect_refused(const std::string& bytes, ErrorCode code, const std::string& what) {
  const Error error = failure_of([&] { parse(bytes); });
  EXPECT_EQ(error.code(), code);
  EXPECT_STREQ(error.what(), what.c_str());
}

void expect_refused(const format::ModelProto& message, ErrorCode code, const std::string& what) {
  expect_refused(message.SerializeAsString(), code, what);
}

void expect_refused(const format::TensorProto& tensor, ErrorCode code, const std::string& message) {
  expect_refused(message_with(tensor), code, "initializer w: " + message);
}

// Files.

TEST(HostileFile, IsNotThere) {
  const TemporaryFolder folder;
  const Error error = failure_of([&] { load_model(folder / "m.onnx"); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.what(), (folder / "m.onnx").string() + ": can't be opened: No such file or directory");
}

TEST(HostileFile, IsAFolder) {
  const TemporaryFolder folder;
  const Error error = failure_of([&] { load_model(folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.message(), "is not a regular file");
}

TEST(HostileFile, IsAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(failure_of([&] { load_model(folder / "pipe"); }).message(), "is not a regular file");
}

TEST(HostileFile, IsEmpty) {
  const TemporaryFolder folder;
  write_file(folder / "m.onnx", "");
  const Error error = failure_of([&] { load_model(folder / "m.onnx"); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  EXPECT_EQ(error.message(), "is empty");
}

TEST(HostileFile, IsLargerThanTheFormatAllows) {
  const TemporaryFolder folder;
  write_file(folder / "m.onnx", "");
  std::filesystem::resize_file(folder / "m.onnx", std::uintmax_t{3} << 30);
  const Error error = failure_of([&] { load_model(folder / "m.onnx"); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.message(), "has 3221225472 bytes, the format holds at most 2147483647 in one file");
}

TEST(HostileFile, IsText) {
  expect_refused("This is not a model.\n"s, ErrorCode::kFormat,
                 "byte 1: no field begins here: damaged, truncated or not an ONNX file");
}

TEST(HostileFile, IsZeros) {
  expect_refused(std::string(100, '\0'), ErrorCode::kFormat,
                 "byte 1: no field begins here: damaged, truncated or not an ONNX file");
}

TEST(HostileFile, IsAMessageOfAnotherKind) {
  expect_refused(format::ModelProto().SerializeAsString() + "\x08\x01"s, ErrorCode::kFormat,
                 "is not an ONNX model: it has no graph");
}

TEST(HostileFile, IsATensorThatIsDamaged) {
  const TemporaryFolder folder;
  write_file(folder / "t.pb", "\x4A\x05"s);
  const Error error = failure_of([&] { load_tensor(folder / "t.pb"); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  EXPECT_EQ(error.message(), "byte 2: a field of 5 bytes where 0 are left: damaged, truncated or not an ONNX file");
}

// Lengths and tags.

TEST(HostileBytes, EndAnywhere) {
  format::TensorProto tensor = tensor_message(DType::kInt32, {3});
  tensor.set_raw_data("123456789012");
  const std::string bytes = message_with(tensor).SerializeAsString();
  int accepted = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    try {
      parse(bytes.substr(0, size));
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kFormat) << size;
    }
  }
  EXPECT_EQ(accepted, 1);  // where the graph is whole and the import after it is missing
}

TEST(HostileBytes, EndAnywhereInAFile) {
  const TemporaryFolder folder;
  const std::string bytes = small_message().SerializeAsString();
  for (std::size_t size = 1; size < bytes.size() - 10; ++size) {
    write_file(folder / "m.onnx", bytes.substr(0, size));
    EXPECT_EQ(failure_of([&] { load_model(folder / "m.onnx"); }).code(), ErrorCode::kFormat) << size;
  }
}

TEST(HostileBytes, AreChangedAnywhere) {
  format::TensorProto tensor = tensor_message(DType::kInt4, {3});
  tensor.set_raw_data("12");
  const std::string bytes = message_with(tensor).SerializeAsString();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(value);
      try {
        parse(serialize_model(parse(changed)));
      } catch (const Error&) {
      }
    }
  }
}

TEST(HostileBytes, ClaimMoreThanThereIs) {
  expect_refused("\x3A\xFF\xFF\xFF\xFF\x07"s, ErrorCode::kFormat,
                 "byte 6: a field of 2147483647 bytes where 0 are left: damaged, truncated or not an ONNX file");
  expect_refused("\x3A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s, ErrorCode::kFormat,
                 "byte 11: a field of 18446744073709551615 bytes where 0 are left: damaged, truncated or not an ONNX "
                 "file");
}

TEST(HostileBytes, ClaimMoreThanTheMessageAroundThem) {
  expect_refused("\x3A\x02\x12\x05main"s, ErrorCode::kFormat,
                 "byte 4: a field of 5 bytes where 0 are left: damaged, truncated or not an ONNX file");
}

TEST(HostileBytes, HoldANumberThatDoesNotEnd) {
  expect_refused("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s, ErrorCode::kFormat,
                 "byte 11: a number does not end: damaged, truncated or not an ONNX file");
}

TEST(HostileBytes, HoldFieldZero) {
  expect_refused("\x00\x00"s, ErrorCode::kFormat,
                 "byte 1: no field begins here: damaged, truncated or not an ONNX file");
}

TEST(HostileBytes, HoldAWireTypeThatDoesNotExist) {
  expect_refused("\x0F\x00"s, ErrorCode::kFormat,
                 "byte 1: no field begins here: damaged, truncated or not an ONNX file");
}

TEST(HostileBytes, EndAGroupThatDidNotBegin) {
  expect_refused("\xC4\x3E"s, ErrorCode::kFormat,
                 "byte 2: no field begins here: damaged, truncated or not an ONNX file");
}

TEST(HostileBytes, BeginAGroupThatDoesNotEnd) {
  expect_refused("\xC3\x3E\x08\x01"s, ErrorCode::kFormat,
                 "byte 4: no field begins here: damaged, truncated or not an ONNX file");
}

TEST(HostileBytes, NestGroupsTooDeep) {
  std::string bytes;
  for (int i = 0; i < 101; ++i) bytes += "\xC3\x3E";
  expect_refused(bytes, ErrorCode::kLimit, "byte 202: messages are nested more than 100 deep");
}

TEST(HostileBytes, NestGraphsTooDeep) {
  format::ModelProto message = small_message();
  format::GraphProto* graph = message.mutable_graph();
  for (int depth = 0; depth < 40; ++depth) {
    format::NodeProto& node = *graph->add_node();
    node.set_op_type("If");
    AttributeProto& attribute = *node.add_attribute();
    attribute.set_name("then_branch");
    attribute.set_type(AttributeProto::GRAPH);
    graph = attribute.mutable_g();
  }
  const Error error = failure_of([&] { parse(message); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_NE(error.message().find("messages are nested more than 100 deep"), std::string::npos);
}

TEST(HostileBytes, NestTypesTooDeep) {
  format::ModelProto message = small_message();
  format::TypeProto* type = message.mutable_graph()->mutable_input(0)->mutable_type();
  for (int depth = 0; depth < 60; ++depth) type = type->mutable_sequence_type()->mutable_elem_type();
  EXPECT_EQ(failure_of([&] { parse(message); }).code(), ErrorCode::kLimit);
}

// Tensors.

TEST(HostileTensor, HasANegativeDimension) {
  expect_refused(tensor_message(DType::kFloat, {2, -1}), ErrorCode::kFormat, "shape [2,-1] has a negative dimension");
}

TEST(HostileTensor, HasMoreElementsThanANumberCanCount) {
  expect_refused(tensor_message(DType::kFloat, {1LL << 32, 1LL << 32}), ErrorCode::kLimit,
                 "the number of elements of shape [4294967296,4294967296] does not fit 63 bits");
}

TEST(HostileTensor, HasMoreBytesThanANumberCanCount) {
  expect_refused(tensor_message(DType::kComplex128, {1LL << 61}), ErrorCode::kLimit,
                 "the size of 2305843009213693952 elements of complex128 does not fit 63 bits");
}

TEST(HostileTensor, HidesAnOverflowBehindAZero) {
  expect_refused(tensor_message(DType::kFloat, {1LL << 62, 1LL << 62, 0}), ErrorCode::kLimit,
                 "the number of elements of shape [4611686018427387904,4611686018427387904,0] does not fit 63 bits");
}

TEST(HostileTensor, IsHugeAndHasNoElements) {
  for (const DType dtype : {DType::kFloat, DType::kInt8, DType::kInt4, DType::kString, DType::kInt64})
    expect_refused(tensor_message(dtype, {1LL << 40}), ErrorCode::kFormat,
                   std::string(name(dtype)) + " of shape [1099511627776] has no elements stored");
}

TEST(HostileTensor, HasFewerRawBytesThanItsShape) {
  format::TensorProto tensor = tensor_message(DType::kFloat, {2, 3});
  tensor.set_raw_data("123");
  expect_refused(tensor, ErrorCode::kFormat, "raw_data has 3 bytes, float32 of shape [2,3] needs 24");
}

TEST(HostileTensor, HasMoreRawBytesThanItsShape) {
  format::TensorProto tensor = tensor_message(DType::kInt4, {3});
  tensor.set_raw_data("123");
  expect_refused(tensor, ErrorCode::kFormat, "raw_data has 3 bytes, int4 of shape [3] needs 2");
}

TEST(HostileTensor, HasFewerNumbersThanItsShape) {
  format::TensorProto tensor = tensor_message(DType::kFloat, {1LL << 50});
  tensor.add_float_data(1);
  expect_refused(tensor, ErrorCode::kFormat,
                 "float_data has 1 values, float32 of shape [1125899906842624] needs 1125899906842624");
}

TEST(HostileTensor, HasItsNumbersInTheWrongField) {
  format::TensorProto tensor = tensor_message(DType::kFloat, {1});
  tensor.add_int32_data(1);
  expect_refused(tensor, ErrorCode::kFormat, "float_data has 0 values, float32 of shape [1] needs 1");
}

TEST(HostileTensor, HasFewerPackedNumbersThanItsShape) {
  format::TensorProto tensor = tensor_message(DType::kInt2, {9});
  tensor.add_int32_data(1);
  expect_refused(tensor, ErrorCode::kFormat, "int32_data has 1 values, int2 of shape [9] needs 3");
}

TEST(HostileTensor, HasFewerStringsThanItsShape) {
  format::TensorProto tensor = tensor_message(DType::kString, {2});
  tensor.add_string_data("one");
  expect_refused(tensor, ErrorCode::kFormat, "string_data has 1 values, string of shape [2] needs 2");
}

TEST(HostileTensor, StoresStringsAsBytes) {
  format::TensorProto tensor = tensor_message(DType::kString, {1});
  tensor.set_raw_data("text");
  expect_refused(tensor, ErrorCode::kFormat, "strings are stored as raw bytes, wanted string_data");
}

TEST(HostileTensor, StoresItsElementsTwice) {
  format::TensorProto tensor = tensor_message(DType::kFloat, {1});
  tensor.set_raw_data("1234");
  tensor.add_float_data(1);
  expect_refused(tensor, ErrorCode::kFormat,
                 "the elements are stored more than once; raw, typed and external data exclude each other");
}

TEST(HostileTensor, HasNoElementType) {
  expect_refused(tensor_message(DType::kUndefined, {0}), ErrorCode::kUnsupported,
                 "element type 0 is not one that Octet knows");
}

TEST(HostileTensor, HasAnUnknownElementType) {
  for (const int type : {27, 1000, -1, INT32_MIN})
    expect_refused(tensor_message(static_cast<DType>(type), {0}), ErrorCode::kUnsupported,
                   "element type " + std::to_string(type) + " is not one that Octet knows");
}

TEST(HostileTensor, IsASegment) {
  format::TensorProto tensor = tensor_message(DType::kFloat, {0});
  tensor.mutable_segment()->set_begin(0);
  expect_refused(tensor, ErrorCode::kUnsupported, "the elements are stored in segments");
}

TEST(HostileTensor, IsInsideAnAttribute) {
  format::ModelProto message = small_message();
  AttributeProto& attribute = *message.mutable_graph()->mutable_node(0)->add_attribute();
  attribute.set_name("value");
  attribute.set_type(AttributeProto::TENSORS);
  *attribute.add_tensors() = tensor_message(DType::kFloat, {-3});
  expect_refused(message, ErrorCode::kFormat, "y (Neg): shape [-3] has a negative dimension");
}

// Models.

TEST(HostileModel, HasANegativeDimensionInAValue) {
  format::ModelProto message = small_message();
  format::TypeProto::Tensor& type = *message.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  type.mutable_shape()->mutable_dim(0)->set_dim_value(-2);
  expect_refused(message, ErrorCode::kFormat, "value x: dimension -2 is negative");
}

TEST(HostileModel, GivesAnAttributeTwice) {
  format::ModelProto message = small_message();
  for (const auto type : {AttributeProto::INT, AttributeProto::GRAPH}) {
    AttributeProto& attribute = *message.mutable_graph()->mutable_node(0)->add_attribute();
    attribute.set_name("axis");
    attribute.set_type(type);
  }
  expect_refused(message, ErrorCode::kModel, "y (Neg): attribute axis is given twice");
}

TEST(HostileModel, GivesAnAttributeTwiceOnceInAKindOctetDoesNotKnow) {
  format::ModelProto message = small_message();
  message.mutable_graph()->mutable_node(0)->add_attribute()->set_type(AttributeProto::TYPE_PROTO);
  message.mutable_graph()->mutable_node(0)->add_attribute()->set_type(AttributeProto::INT);
  expect_refused(message, ErrorCode::kModel, "y (Neg): attribute  is given twice");
}

TEST(HostileModel, GivesADefaultTwice) {
  format::ModelProto message = small_message();
  format::FunctionProto& function = *message.add_functions();
  for (int i = 0; i < 2; ++i) {
    AttributeProto& attribute = *function.add_attribute_proto();
    attribute.set_name("axis");
    attribute.set_type(AttributeProto::INT);
  }
  expect_refused(message, ErrorCode::kModel, "attribute axis is given twice");
}

TEST(HostileModel, HasACycle) {
  format::ModelProto message = small_message();
  message.mutable_graph()->mutable_node(0)->set_input(0, "y");
  expect_refused(message, ErrorCode::kModel,
                 "y (Neg): input y comes from y (Neg), which is not earlier: the nodes form a cycle");
}

TEST(HostileModel, HasDuplicateNames) {
  format::ModelProto message = message_with(tensor_message(DType::kFloat, {0}));
  *message.mutable_graph()->add_initializer() = message.graph().initializer(0);
  expect_refused(message, ErrorCode::kModel, "initializer w has the name of another value");
}

TEST(HostileModel, HasAMissingInput) {
  format::ModelProto message = small_message();
  message.mutable_graph()->mutable_node(0)->set_input(0, "z");
  expect_refused(message, ErrorCode::kModel,
                 "y (Neg): input z is neither an input of the graph, an initializer nor the output of a node");
}

TEST(HostileModel, IsReadWithoutValidationWhenAsked) {
  format::ModelProto message = small_message();
  message.mutable_graph()->mutable_node(0)->set_input(0, "z");
  EXPECT_EQ(parse(message, {.validate = false}).graph.nodes.size(), 1);
}

}  // namespace
}  // namespace octet
