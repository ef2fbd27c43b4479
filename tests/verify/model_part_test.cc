#include "octet/verify/model_part.h"

#include <gtest/gtest.h>

#include "tests/program/networks.h"

namespace octet {
namespace {

std::vector<std::string> outputs_of_nodes(const Model& model) {
  std::vector<std::string> names;
  for (const Node& node : model.graph.nodes) names.insert(names.end(), node.outputs.begin(), node.outputs.end());
  return names;
}

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

using Names = std::vector<std::string>;

// x -> p -> q, z -> e -> f: DynamicQuantizeLinear makes q, s and z of p.
Model chain() {
  return network(
      "main (x, unused) => (f) { p = Mul (x, two)\n q, s, z = DynamicQuantizeLinear (p)\n"
      " e = DequantizeLinear (q, s, z)\n f = Mul (e, three)\n g = Neg (f) }",
      {value("x", DType::kFloat, SymbolicShape{3}), value("unused", DType::kFloat, SymbolicShape{3})},
      {{"two", Tensor::scalar(2.0F)}, {"three", Tensor::scalar(3.0F)}});
}

TEST(ModelPart, HasWhatTheWantedValuesNeedAndNoMore) {
  const Model part = model_part(chain(), {}, {"f"});
  EXPECT_EQ(outputs_of_nodes(part), (Names{"p", "q", "s", "z", "e", "f"}));
  EXPECT_EQ(names_of(part.graph.inputs), Names{"x"});
  EXPECT_EQ(names_of(part.graph.initializers), (Names{"two", "three"}));
  EXPECT_EQ(names_of(part.graph.outputs), Names{"f"});
}

TEST(ModelPart, BeginsWithWhatIsGiven) {
  const NamedTensors given = {
      {"q", Tensor(DType::kUint8, {3})}, {"s", Tensor::scalar(1.0F)}, {"z", Tensor(DType::kUint8, {})}};
  const Model part = model_part(chain(), given, {"f"});
  EXPECT_EQ(outputs_of_nodes(part), (Names{"e", "f"}));
  EXPECT_EQ(names_of(part.graph.inputs), (Names{"q", "s", "z"}));
  EXPECT_EQ(part.graph.inputs[0].type.dtype, DType::kUint8);
  EXPECT_EQ(part.graph.inputs[0].type.shape, SymbolicShape{3});
  EXPECT_EQ(names_of(part.graph.initializers), Names{"three"});
}

TEST(ModelPart, MakesAGivenValueAgainWhereItsNodeIsNeeded) {
  const Model part = model_part(chain(), {{"p", Tensor(DType::kFloat, {3})}, {"q", Tensor(DType::kUint8, {3})}}, {"f"});
  EXPECT_EQ(outputs_of_nodes(part), (Names{"q", "s", "z", "e", "f"}));
  EXPECT_EQ(names_of(part.graph.inputs), Names{"p"});
}

TEST(ModelPart, HasNoNodesWhereAllIsGiven) {
  const Model part = model_part(chain(), {{"f", Tensor(DType::kFloat, {3})}}, {"f"});
  EXPECT_TRUE(part.graph.nodes.empty());
  EXPECT_TRUE(part.graph.outputs.empty());
}

}  // namespace
}  // namespace octet
