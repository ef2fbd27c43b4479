#include "octet/program/program_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "octet/program/program.h"

namespace octet {
namespace {

std::string elements_of(Tensor constant) {
  Program program;
  program.values.push_back({.name = "c", .dtype = constant.dtype(), .constant = std::move(constant)});
  const std::string text = program_json(program, plan_memory(program), "model.onnx");
  const std::size_t begin = text.find("\"elements\": ");
  return begin == std::string::npos ? "none" : text.substr(begin + 12, text.find(']', begin) - begin - 11);
}

TEST(ProgramJson, WritesTheShortestDecimalOfAFloat) {
  EXPECT_EQ(elements_of(Tensor::from<float>({2}, {0.1F, -0.0F})), "[0.1,-0.0]");
  EXPECT_EQ(elements_of(Tensor::from<double>({2}, {0.1, 0.1F})), "[0.1,0.10000000149011612]");
}

TEST(ProgramJson, WritesWhatIsNoNumberAsAString) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(elements_of(Tensor::from<float>({3}, {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity})),
            R"(["NaN","Infinity","-Infinity"])");
}

TEST(ProgramJson, WritesIntegersExactly) {
  EXPECT_EQ(elements_of(Tensor::from<std::uint64_t>({1}, {std::numeric_limits<std::uint64_t>::max()})),
            "[18446744073709551615]");
  EXPECT_EQ(elements_of(Tensor::from<bool>({2}, {true, false})), "[1,0]");
}

TEST(ProgramJson, NamesThePolicy) {
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact, Policy::kOnnxRuntime}) {
    Program program;
    program.policy = policy;
    EXPECT_NE(program_json(program, plan_memory(program), "model.onnx")
                  .find("\"policy\": \"" + std::string(name(policy)) + "\""),
              std::string::npos);
  }
}

TEST(ProgramJson, LeavesLongConstantsOut) { EXPECT_EQ(elements_of(Tensor(DType::kFloat, {1025})), "none"); }

}  // namespace
}  // namespace octet
