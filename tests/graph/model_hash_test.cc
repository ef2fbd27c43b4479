#include "octet/graph/model_hash.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/support/models.h"

namespace octet {
namespace {

Model hashed_model() {
  Model model = model_from("main (x) => (y) { a = Mul (x, w)\n y = Flatten <axis: int = 1> (a) }",
                           {value("x", DType::kFloat, {{N(), 2, 3}})});
  add_initializer(model, "w", Tensor::from<float>({3}, {1, 2, 3}));
  add_initializer(model, "v", Tensor::from<float>({1}, {4}));
  model.functions = {function_from("f (a) => (b) { b = Relu (a) }", "local", 21)};
  return model;
}

std::string changed(const std::function<void(Model&)>& change) {
  Model model = hashed_model();
  change(model);
  return model_hash(model);
}

// What a tool changes that loads a model and saves it again.
TEST(ModelHash, DoesNotDependOnWhatDescribesAModel) {
  const std::string hash = model_hash(hashed_model());
  EXPECT_EQ(hash.size(), 64U);
  const std::function<void(Model&)> changes[] = {
      [](Model& m) { m.producer_name = "another"; },
      [](Model& m) { m.ir_version = 8; },
      [](Model& m) { m.doc = m.graph.doc = m.graph.nodes[0].doc = "words"; },
      [](Model& m) { m.graph.name = "another"; },
      [](Model& m) { m.graph.nodes[0].name = "named"; },
      [](Model& m) {
        m.metadata = m.graph.metadata = {{"key", "value"}};
      },
      [](Model& m) {
        m.graph.value_info = {value("a", DType::kFloat, {{N(), 2, 3}})};
      },
      [](Model& m) {
        m.graph.inputs[0].type.shape = {{Dim::symbol("batch"), 2, 3}};
      },
      [](Model& m) { std::swap(m.graph.initializers[0], m.graph.initializers[1]); }};

  for (const auto& change : changes) EXPECT_EQ(changed(change), hash) << &change - changes;
}

TEST(ModelHash, DependsOnWhatAModelComputes) {
  const std::function<void(Model&)> changes[] = {
      [](Model&) {},
      [](Model& m) { m.opset_imports[0].second = 20; },
      [](Model& m) {
        m.graph.initializers[0].tensor = Tensor::from<float>({3}, {1, 2, 3.0000002F});
      },
      [](Model& m) {
        m.graph.initializers[0].tensor = Tensor::from<float>({3, 1}, {1, 2, 3});
      },
      [](Model& m) {
        m.graph.initializers[0].tensor = Tensor::from<std::int32_t>({3}, {1, 2, 3});
      },
      [](Model& m) { m.graph.initializers[0].name = "u"; },
      [](Model& m) { m.graph.nodes[0].op_type = "Add"; },
      [](Model& m) { m.graph.nodes[0].domain = "local"; },
      [](Model& m) { std::swap(m.graph.nodes[0].inputs[0], m.graph.nodes[0].inputs[1]); },
      [](Model& m) { m.graph.nodes[1].attributes.set("axis", std::int64_t{2}); },
      [](Model& m) { m.graph.nodes[1].attributes.set("axis", 1.0F); },
      [](Model& m) { m.graph.nodes[1].attributes.set("other", "text"); },
      [](Model& m) {
        m.graph.nodes[1].attributes.set("other", std::vector<std::string>{"te", "xt"});
      },
      [](Model& m) {
        m.graph.nodes[1].attributes.set("other", std::vector<std::string>{"tex", "t"});
      },
      [](Model& m) { m.graph.outputs[0].name = "a"; },
      [](Model& m) { m.graph.inputs[0].type.dtype = DType::kFloat16; },
      [](Model& m) { m.graph.nodes.pop_back(); },
      [](Model& m) { m.functions[0].nodes[0].op_type = "Abs"; },
      [](Model& m) { m.functions.clear(); },
      [](Model& m) { m.graph.nodes[0].subgraphs["body"].graphs.emplace_back(); }};
  std::set<std::string> hashes;
  for (const auto& change : changes) EXPECT_TRUE(hashes.insert(changed(change)).second) << &change - changes;
}

}  // namespace
}  // namespace octet
