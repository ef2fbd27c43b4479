#include "octet/graph/new_names.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"

namespace octet {
namespace {

TEST(NewNames, AreNeitherTakenNorGivenTwice) {
  Model model = model_from("main (x) => (y) { t = Neg (x)\n y = If (c) }", {value("x", DType::kFloat, std::nullopt)});
  add_initializer(model, "c", Tensor::scalar(true));
  model.graph.nodes[0].name = "negative";
  model.graph.outputs.push_back(value("unmade", {}, std::nullopt));
  Model inner = model_from("inner (i) => (o) { o = Neg (i) }", {value("i", DType::kFloat, std::nullopt)});
  add_initializer(inner, "k", Tensor::scalar(1.0F));
  model.graph.nodes[1].subgraphs["then_branch"].graphs = {inner.graph};
  NewNames names(model.graph);
  for (const char* taken : {"x", "t", "y", "c", "unmade", "negative", "i", "o", "k"})
    EXPECT_EQ(names.make(taken), std::string(taken) + "_1") << taken;
  EXPECT_EQ(names.make("n"), "n");
  EXPECT_EQ(names.make("n"), "n_1");
  EXPECT_EQ(names.make("n"), "n_2");
}

TEST(NewNames, AreTheSameForTheSamePart) {
  NewNames names;
  names.take("x_scale");
  EXPECT_EQ(names.of("x", "_scale"), "x_scale_1");
  EXPECT_EQ(names.of("x", "_scale"), "x_scale_1");
  EXPECT_EQ(names.of("x_", "scale"), "x_scale_2");
  EXPECT_EQ(names.of("y", "_scale"), "y_scale");
}

}  // namespace
}  // namespace octet
