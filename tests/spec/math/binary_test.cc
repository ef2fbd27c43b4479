// Operators c[i] = f(a[i], b[i]) with broadcasting.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

template <typename T>
std::vector<T> apply_binary(std::string_view name, std::initializer_list<T> a, std::initializer_list<T> b,
                            const AttributeList& attributes = {}) {
  const auto tensor = [](std::initializer_list<T> v) {
    return Tensor::from<T>({static_cast<std::int64_t>(v.size())}, v);
  };
  return values<T>(run_operator(name, kNewestOpset, attributes, {tensor(a), tensor(b)})[0]);
}

std::vector<bool> compare(std::string_view name, const Floats& a, const Floats& b) {
  const auto tensor = [](const Floats& v) { return Tensor::from<float>({static_cast<std::int64_t>(v.size())}, v); };
  return values<bool>(run_operator(name, kNewestOpset, {}, {tensor(a), tensor(b)})[0]);
}

TEST(Binary, ComputesElementByElement) {
  EXPECT_EQ(apply_binary<float>("Add", {1, 2}, {3, -5}), (Floats{4, -3}));
  EXPECT_EQ(apply_binary<float>("Sub", {1, 2}, {3, -5}), (Floats{-2, 7}));
  EXPECT_EQ(apply_binary<float>("Mul", {1, 2}, {3, -5}), (Floats{3, -10}));
  EXPECT_EQ(apply_binary<float>("Div", {1, 2}, {4, 0}), (Floats{0.25F, std::numeric_limits<float>::infinity()}));
}

TEST(Binary, IntegersWrapAround) {
  EXPECT_EQ(apply_binary<std::int8_t>("Add", {127, -128}, {1, -1}), (std::vector<std::int8_t>{-128, 127}));
  EXPECT_EQ(apply_binary<std::uint8_t>("Sub", {0}, {1}), (std::vector<std::uint8_t>{255}));
  EXPECT_EQ(apply_binary<std::uint16_t>("Mul", {65535}, {65535}), (std::vector<std::uint16_t>{1}));
  EXPECT_EQ(apply_binary<std::int32_t>("Mul", {INT32_MAX}, {2}), (std::vector<std::int32_t>{-2}));
  EXPECT_EQ(apply_binary<std::int64_t>("Add", {INT64_MAX}, {1}), (std::vector<std::int64_t>{INT64_MIN}));
}

TEST(Div, IntegersTruncateAndNeverTrap) {
  EXPECT_EQ(apply_binary<std::int32_t>("Div", {7, -7, 7, 0}, {2, 2, -2, 5}), (std::vector<std::int32_t>{3, -3, -3, 0}));
  EXPECT_EQ(apply_binary<std::int32_t>("Div", {7, INT32_MIN}, {0, -1}), (std::vector<std::int32_t>{0, INT32_MIN}));
  EXPECT_EQ(apply_binary<std::uint8_t>("Div", {200, 1}, {3, 0}), (std::vector<std::uint8_t>{66, 0}));
}

TEST(Mod, TakesTheSignOfTheDivisorOrOfTheDividend) {
  EXPECT_EQ(apply_binary<std::int32_t>("Mod", {-4, 7, 5, 4}, {2, -3, 8, -2}), (std::vector<std::int32_t>{0, -2, 5, 0}));
  EXPECT_EQ(apply_binary<std::int32_t>("Mod", {-7, 7}, {3, -3}, {{"fmod", 1L}}), (std::vector<std::int32_t>{-1, 1}));
  EXPECT_EQ(apply_binary<float>("Mod", {-4.5F, 5}, {2, -3}, {{"fmod", 1L}}), (Floats{-0.5F, 2}));
  EXPECT_EQ(apply_binary<std::int64_t>("Mod", {5, INT64_MIN}, {0, -1}), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(broken_constraint("Mod", 13, {}, {Tensor(DType::kFloat, {1}), Tensor(DType::kFloat, {1})}), "mod_c3");
}

TEST(Mod, FloorsFloatsSinceOpset28) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(apply_binary<float>("Mod", {-4.5F, 5, 5, -5, 5}, {2, -3, 3, -3, infinity}), (Floats{1.5F, -1, 2, -2, 5}));
  EXPECT_EQ(apply_binary<float>("Mod", {5, -5}, {-infinity, infinity}), (Floats{-infinity, infinity}));
  const Floats zeros = apply_binary<float>("Mod", {0.0F, -0.0F, 6}, {-2, 2, -3});
  EXPECT_TRUE(std::signbit(zeros[0]) && !std::signbit(zeros[1]) && std::signbit(zeros[2]));
  const Floats nans = apply_binary<float>("Mod", {5, infinity}, {0, 3});
  EXPECT_TRUE(std::isnan(nans[0]) && std::isnan(nans[1]));
  EXPECT_EQ(broken_constraint("Mod", 28, {{"fmod", 2L}}, {Tensor(DType::kFloat, {1}), Tensor(DType::kFloat, {1})}),
            "mod_c3");
}

TEST(Binary, Broadcasts) {
  const Tensor matrix = counting<float>({2, 3});
  const auto sum = [&](const Tensor& b) { return values<float>(run_operator("Add", 14, {}, {matrix, b})[0]); };
  EXPECT_EQ(sum(Tensor::scalar(10.0F)), (Floats{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(sum(Tensor::from<float>({3}, {0, 10, 20})), (Floats{0, 11, 22, 3, 14, 25}));
  EXPECT_EQ(sum(Tensor::from<float>({2, 1}, {0, 10})), (Floats{0, 1, 2, 13, 14, 15}));
  const Tensor column = counting<float>({2, 1}), row = counting<float>({1, 3});
  const Tensor table = run_operator("Sub", 14, {}, {column, row})[0];
  EXPECT_EQ(table.shape(), (Shape{2, 3}));
  EXPECT_EQ(values<float>(table), (Floats{0, -1, -2, 1, 0, -1}));
  EXPECT_EQ(run_operator("Add", 14, {}, {Tensor(DType::kFloat, {0, 3}), Tensor(DType::kFloat, {1, 1})})[0].shape(),
            (Shape{0, 3}));
}

TEST(Binary, BroadcastsInTheMiddle) {
  const Tensor a = counting<float>({2, 2, 2}), b = Tensor::from<float>({1, 2, 1}, {0, 10});
  EXPECT_EQ(values<float>(run_operator("Add", 14, {}, {a, b})[0]), (Floats{0, 1, 12, 13, 4, 5, 16, 17}));
  EXPECT_EQ(values<float>(run_operator("Add", 14, {}, {b, a})[0]), (Floats{0, 1, 12, 13, 4, 5, 16, 17}));
}

TEST(Binary, MatchesFromTheNamedAxisBeforeOpset7) {
  const Tensor a = counting<float>({2, 3}), b = Tensor::from<float>({2}, {0, 10});
  const AttributeList rows = {{"broadcast", 1L}, {"axis", 0L}};
  EXPECT_EQ(values<float>(run_operator("Add", 6, rows, {a, b})[0]), (Floats{0, 1, 2, 13, 14, 15}));
  const Tensor c = Tensor::from<float>({3}, {0, 10, 20});
  EXPECT_EQ(values<float>(run_operator("Add", 1, {{"broadcast", 1L}}, {a, c})[0]), (Floats{0, 11, 22, 3, 14, 25}));
  EXPECT_EQ(broken_constraint("Add", 6, {{"broadcast", 1L}, {"axis", 1L}}, {a, counting<float>({3, 1})}), "add_c2");
  EXPECT_EQ(broken_constraint("Add", 6, {{"broadcast", 1L}, {"axis", INT64_MIN}}, {a, b}), "add_c2");
}

TEST(Binary, SplitsLongRunsAmongThreads) {
  const std::int64_t count = 100'000;
  Tensor a(DType::kInt32, {3, count});
  for (std::int32_t& value : a.mutable_as<std::int32_t>()) value = 1;
  const Tensor b = counting<std::int32_t>({count});
  const Tensor sum = run_operator("Add", 14, {}, {a, b})[0];
  for (std::int64_t k = 0; k < 3 * count; ++k) ASSERT_EQ(sum.int_at(k), 1 + k % count) << "at " << k;
}

TEST(Compare, GivesBool) {
  EXPECT_EQ(compare("Less", {1, 2, 3}, {2, 2, 2}), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(compare("LessOrEqual", {1, 2, 3}, {2, 2, 2}), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(compare("Greater", {1, 2, 3}, {2, 2, 2}), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(compare("GreaterOrEqual", {1, 2, 3}, {2, 2, 2}), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(compare("Equal", {1, 2, 3}, {2, 2, 2}), (std::vector<bool>{false, true, false}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* name : {"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"})
    EXPECT_EQ(compare(name, {nan, 1}, {nan, nan}), (std::vector<bool>{false, false})) << name;
}

TEST(Equal, ComparesBoolsAndStrings) {
  EXPECT_EQ(apply_binary<bool>("Equal", {true, false}, {false, false}), (std::vector<bool>{false, true}));
  const Tensor words = Tensor::from_strings({2}, {"a", "b"}), a = Tensor::from_strings({}, {"a"});
  EXPECT_EQ(values<bool>(run_operator("Equal", 19, {}, {words, a})[0]), (std::vector<bool>{true, false}));
}

TEST(Logic, CombinesBools) {
  const std::initializer_list<bool> a = {false, false, true, true}, b = {false, true, false, true};
  EXPECT_EQ(apply_binary<bool>("And", a, b), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(apply_binary<bool>("Or", a, b), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(apply_binary<bool>("Xor", a, b), (std::vector<bool>{false, true, true, false}));
}

TEST(Bitwise, CombinesBits) {
  EXPECT_EQ(apply_binary<std::uint8_t>("BitwiseAnd", {12}, {10}), (std::vector<std::uint8_t>{8}));
  EXPECT_EQ(apply_binary<std::uint8_t>("BitwiseOr", {12}, {10}), (std::vector<std::uint8_t>{14}));
  EXPECT_EQ(apply_binary<std::int8_t>("BitwiseXor", {-1}, {10}), (std::vector<std::int8_t>{-11}));
}

TEST(BitShift, ShiftsOutWhatDoesNotFit) {
  const AttributeList left = {{"direction", std::string("LEFT")}}, right = {{"direction", std::string("RIGHT")}};
  EXPECT_EQ(apply_binary<std::uint8_t>("BitShift", {129, 1, 1}, {1, 7, 8}, left),
            (std::vector<std::uint8_t>{2, 128, 0}));
  EXPECT_EQ(apply_binary<std::uint64_t>("BitShift", {16, 1, 1}, {1, 64, 1000}, right),
            (std::vector<std::uint64_t>{8, 0, 0}));
  const Tensor bytes(DType::kUint8, {1}), ints(DType::kInt32, {1});
  EXPECT_EQ(apply_binary<std::int8_t>("BitShift", {-8, -8, -8, 8, 64}, {1, 8, -1, -1, 1}, right),
            (std::vector<std::int8_t>{-4, -1, -1, 0, 32}));
  EXPECT_EQ(apply_binary<std::int8_t>("BitShift", {-8, -8, -8, 64}, {1, 8, -1, 1}, left),
            (std::vector<std::int8_t>{-16, 0, 0, -128}));
  EXPECT_EQ(broken_constraint("BitShift", 11, left, {ints, ints}), "bit_shift_c1");
  EXPECT_EQ(broken_constraint("BitShift", 11, {}, {bytes, bytes}), "bit_shift_c3");
}

TEST(Binary, ChecksTypesAndShapes) {
  for (const char* name : {"Add", "Sub", "Mul", "Div", "Mod", "Equal", "Less", "LessOrEqual", "Greater",
                           "GreaterOrEqual", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"}) {
    const std::string_view type = find_operator("", name)->constraints[0].label;
    const std::string_view shape = find_operator("", name)->constraints[1].label;
    const bool logical = find_operator("", name)->constraints[0].text == "a and b are bool";
    const DType dtype = logical ? DType::kBool : DType::kUint8;
    const AttributeList direction = {{"direction", std::string("LEFT")}};
    EXPECT_EQ(broken_constraint(name, kNewestOpset, direction, {Tensor(dtype, {2}), Tensor(DType::kInt16, {2})}), type);
    EXPECT_EQ(broken_constraint(name, kNewestOpset, direction, {Tensor(DType::kInt4, {2}), Tensor(DType::kInt4, {2})}),
              type);
    EXPECT_EQ(broken_constraint(name, kNewestOpset, direction, {Tensor(dtype, {2}), Tensor(dtype, {3})}), shape);
  }
}

TEST(Binary, InfersSymbolicShapes) {
  const Dim n = Dim::symbol("N");
  const Fact a = fact(DType::kFloat, SymbolicShape{n, 3, 1}), b = fact(DType::kFloat, SymbolicShape{1, Dim()});
  EXPECT_EQ(infer_operator("Mul", 14, {}, {a, b}).shape, (SymbolicShape{n, 3, Dim()}));
  EXPECT_EQ(infer_operator("Less", 13, {}, {a, b}).dtype, DType::kBool);
  EXPECT_EQ(infer_operator("Mul", 14, {}, {a, fact(DType::kFloat, std::nullopt)}).shape, std::nullopt);
}

TEST(Binary, CarriesDimensionsThrough) {
  const Dim n = Dim::symbol("N");
  Fact a = fact(DType::kInt64, SymbolicShape{3});
  a.elements = std::vector<Dim>{n, 6, Dim()};
  const auto with = [&](const char* name, std::int64_t b) {
    return *infer_operator(name, 14, {}, {a, Fact::of(Tensor::scalar(b))}).elements;
  };
  EXPECT_EQ(with("Add", 0), (std::vector<Dim>{n, 6, Dim()}));
  EXPECT_EQ(with("Sub", 2), (std::vector<Dim>{Dim(), 4, Dim()}));
  EXPECT_EQ(with("Mul", 1), (std::vector<Dim>{n, 6, Dim()}));
  EXPECT_EQ(with("Div", 4), (std::vector<Dim>{Dim(), 1, Dim()}));
  EXPECT_EQ(with("Div", 0), (std::vector<Dim>{Dim(), 0, Dim()}));
  EXPECT_EQ(with("Mul", INT64_MAX), (std::vector<Dim>{Dim(), Dim(), Dim()}));
  EXPECT_EQ(with("Equal", 6), (std::vector<Dim>{Dim(), 1, Dim()}));
  EXPECT_EQ(with("Equal", -1), (std::vector<Dim>{0, 0, Dim()}));
}

}  // namespace
}  // namespace octet
