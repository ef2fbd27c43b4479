#include "octet/base/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "octet/base/error.h"

namespace octet {
namespace {

ErrorCode tensor_error(const auto& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::kUsage;
}

TEST(Tensor, StartsAtZero) {
  const Tensor tensor(DType::kInt32, {2, 3});
  ASSERT_EQ(tensor.size(), 6);
  for (std::int32_t value : tensor.as<std::int32_t>()) EXPECT_EQ(value, 0);
}

TEST(Tensor, CopiesShareElementsUntilOneIsWritten) {
  Tensor a = Tensor::from<std::int8_t>({3}, {1, 2, 3});
  Tensor b = a;
  EXPECT_EQ(a.bytes().data(), b.bytes().data());
  b.mutable_as<std::int8_t>()[0] = 9;
  EXPECT_EQ(a.as<std::int8_t>()[0], 1);
  EXPECT_EQ(b.as<std::int8_t>()[0], 9);
  EXPECT_NE(a.bytes().data(), b.bytes().data());
}

TEST(Tensor, BorrowedBytesAreNeverWritten) {
  const auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
  Tensor tensor(DType::kFloat, {2}, std::as_bytes(std::span(*owner)), owner);
  EXPECT_EQ(static_cast<const void*>(tensor.bytes().data()), static_cast<const void*>(owner->data()));
  tensor.mutable_as<float>()[0] = 7;
  EXPECT_EQ((*owner)[0], 1);
  EXPECT_EQ(tensor.as<float>()[0], 7);
}

TEST(Tensor, BorrowedBytesOutliveWhoeverMadeThem) {
  Tensor tensor;
  {
    const auto owner = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{5, 6});
    tensor = Tensor(DType::kInt64, {2}, std::as_bytes(std::span(*owner)), owner);
  }
  EXPECT_EQ(tensor.int_at(1), 6);
}

TEST(Tensor, CopiesBytesThatAreNotAligned) {
  const auto owner = std::make_shared<std::vector<std::byte>>(9);
  const std::int32_t values[2] = {-1, 1000000};
  std::memcpy(owner->data() + 1, values, sizeof values);
  const Tensor tensor(DType::kInt32, {2}, std::span(*owner).subspan(1), owner);
  EXPECT_EQ(tensor.as<std::int32_t>()[0], -1);
  EXPECT_EQ(tensor.as<std::int32_t>()[1], 1000000);
}

TEST(Tensor, RefusesBytesThatDoNotFitTheShape) {
  const auto owner = std::make_shared<std::vector<std::byte>>(7);
  EXPECT_EQ(tensor_error([&] { Tensor(DType::kInt32, {2}, std::span(*owner), owner); }), ErrorCode::kFormat);
}

TEST(Tensor, RefusesShapesNoMachineCanHold) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(tensor_error([&] { Tensor(DType::kInt8, {big, big}); }), ErrorCode::kLimit);
  EXPECT_EQ(tensor_error([&] { Tensor(DType::kDouble, {std::int64_t{1} << 62}); }), ErrorCode::kLimit);
  EXPECT_EQ(tensor_error([&] { Tensor(DType::kInt8, {-1}); }), ErrorCode::kLimit);
}

TEST(Tensor, RefusesToBeReadAsAnotherType) {
  const Tensor tensor(DType::kInt8, {1});
  EXPECT_EQ(tensor_error([&] { (void)tensor.as<std::uint8_t>(); }), ErrorCode::kUnsupported);
  EXPECT_EQ(tensor_error([&] { (void)tensor.strings(); }), ErrorCode::kUnsupported);
}

TEST(Tensor, HoldsFourBitNumbersOneToAByte) {
  const Tensor tensor = Tensor::from<std::int8_t>({3}, {-8, 7, 0}, DType::kInt4);
  EXPECT_EQ(tensor.byte_size(), 3U);
  EXPECT_EQ(tensor.int_at(0), -8);
}

TEST(Tensor, EmptyTensorsAndScalars) {
  EXPECT_EQ(Tensor(DType::kFloat, {2, 0}).size(), 0);
  EXPECT_EQ(Tensor::scalar(2.5F).rank(), 0);
  EXPECT_EQ(Tensor::scalar(2.5F).number_at(0), 2.5);
  EXPECT_TRUE(Tensor().empty());
}

TEST(Tensor, ReshapedSharesAndChecks) {
  const Tensor tensor(DType::kInt8, {2, 3});
  EXPECT_EQ(tensor.reshaped({3, 2}).bytes().data(), tensor.bytes().data());
  EXPECT_EQ(tensor_error([&] { (void)tensor.reshaped({4}); }), ErrorCode::kModel);
}

TEST(Tensor, IdenticalLooksAtBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(Tensor::scalar(nan).identical(Tensor::scalar(nan)));
  EXPECT_FALSE(Tensor::scalar(0.0F).identical(Tensor::scalar(-0.0F)));
  EXPECT_FALSE(Tensor::from<float>({1}, {1}).identical(Tensor::scalar(1.0F)));
}

TEST(Tensor, StringsAreCopiedOnWrite) {
  Tensor a = Tensor::from_strings({2}, {"x", "y"});
  Tensor b = a;
  b.mutable_strings()[0] = "z";
  EXPECT_EQ(a.strings()[0], "x");
  EXPECT_EQ(b.strings()[0], "z");
}

TEST(Convert, TruncatesTowardZeroAndWraps) {
  const Tensor reals = Tensor::from<float>({5}, {1.9F, -1.9F, 300.0F, -1.0F, 0.5F});
  const Tensor bytes = convert(reals, DType::kUint8);
  EXPECT_EQ(bytes.to_ints(), (std::vector<std::int64_t>{1, 255, 44, 255, 0}));
  EXPECT_EQ(convert(reals, DType::kBool).to_ints(), (std::vector<std::int64_t>{1, 1, 1, 1, 1}));
}

TEST(Convert, KeepsTheLowBitsOfNarrowTypes) {
  const Tensor wide = Tensor::from<std::int32_t>({4}, {7, 8, -9, 17});
  EXPECT_EQ(convert(wide, DType::kInt4).to_ints(), (std::vector<std::int64_t>{7, -8, 7, 1}));
  EXPECT_EQ(convert(wide, DType::kUint4).to_ints(), (std::vector<std::int64_t>{7, 8, 7, 1}));
  EXPECT_EQ(convert(wide, DType::kUint2).to_ints(), (std::vector<std::int64_t>{3, 0, 3, 1}));
}

TEST(Convert, DefinesWhatCppLeavesUndefined) {
  const Tensor reals =
      Tensor::from<double>({3}, {1e300, std::numeric_limits<double>::quiet_NaN(), 18446744073709549568.0});
  EXPECT_EQ(convert(reals, DType::kInt64).int_at(0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(convert(reals, DType::kInt64).int_at(1), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(convert(reals, DType::kUint64).as<std::uint64_t>()[2], 18446744073709549568U);
}

TEST(Convert, GoesThroughInt32AsX86Does) {
  const Tensor reals = Tensor::from<float>({5}, {3e9F, -3e9F, 1e20F, 70000.0F, -1.5F});
  EXPECT_EQ(convert(reals, DType::kInt32).to_ints(),
            (std::vector<std::int64_t>{-2147483648, -2147483648, -2147483648, 70000, -1}));
  EXPECT_EQ(convert(reals, DType::kInt16).to_ints(), (std::vector<std::int64_t>{0, 0, 0, 4464, -1}));
  EXPECT_EQ(convert(reals, DType::kUint32).int_at(0), 3000000000);
}

TEST(Convert, RefusesWhatIsNotANumber) {
  EXPECT_EQ(tensor_error([] { convert(Tensor::from_strings({1}, {"1"}), DType::kFloat); }), ErrorCode::kUnsupported);
  EXPECT_EQ(tensor_error([] { convert(Tensor(DType::kComplex64, {1}), DType::kFloat8E5M2); }), ErrorCode::kUnsupported);
}

TEST(Tensor, IntegersOfFloatsThatHaveNoneAreTheLeast) {
  const Tensor reals = Tensor::from<float>({3}, {3e38F, std::numeric_limits<float>::quiet_NaN(), -1.5F});
  EXPECT_EQ(reals.to_ints(), (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(),
                                                        std::numeric_limits<std::int64_t>::min(), -1}));
}

// Of more than one block each way, with a rest.
template <typename T>
void expect_transposed(std::int64_t rows, std::int64_t columns) {
  Tensor tensor(dtype_of<T>(), {rows, columns});
  for (std::int64_t k = 0; k < tensor.size(); ++k)
    tensor.mutable_as<T>()[static_cast<std::size_t>(k)] = static_cast<T>(k);
  const Tensor turned = tensor.transposed();
  ASSERT_EQ(turned.shape(), (Shape{columns, rows}));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      ASSERT_EQ(turned.as<T>()[static_cast<std::size_t>(column * rows + row)], static_cast<T>(row * columns + column));
}

TEST(Tensor, IsTransposed) {
  for (const auto& [rows, columns] : {std::pair{1, 5}, {5, 1}, {0, 3}, {33, 70}, {64, 32}}) {
    expect_transposed<std::int8_t>(rows, columns);
    expect_transposed<std::int16_t>(rows, columns);
    expect_transposed<float>(rows, columns);
    expect_transposed<double>(rows, columns);
  }
}

}  // namespace
}  // namespace octet
