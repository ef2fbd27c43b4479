#include "octet/graph/standard_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "octet/graph/expand_functions.h"
#include "octet/graph/lookup.h"
#include "octet/spec/registry.h"
#include "tests/support/models.h"

namespace octet {
namespace {

// A call that gives every input and every attribute that has no default.
Model call_of(const StandardFunction& standard, bool everything) {
  Node call;
  call.op_type = standard.name;
  const Function function = parse_function(standard.text, call);
  call.inputs = function.inputs;
  call.outputs = function.outputs;
  for (const std::string& attribute : function.attributes)
    call.attributes.set(attribute, attribute == "axes" ? AttributeValue(std::vector<std::int64_t>{0})
                                                       : AttributeValue(std::int64_t{2}));
  if (everything)
    for (const auto& [name, attribute] : function.defaults)
      if (std::holds_alternative<std::int64_t>(attribute.value)) call.attributes.set(name, std::int64_t{1});
  Model model;
  model.ir_version = 10;
  model.opset_imports = {{"", standard.since}};
  model.graph.nodes = {call};
  return model;
}

TEST(StandardFunctions, AreSortedAndHaveNoKernel) {
  const auto all = standard_functions();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.name, a.since) < std::tie(b.name, b.since);
  }));
  for (const StandardFunction& standard : all) EXPECT_EQ(find_operator("", standard.name), nullptr) << standard.name;
}

TEST(StandardFunctions, AreMadeOfOperatorsThatOctetKnows) {
  for (const StandardFunction& standard : standard_functions())
    for (const bool everything : {false, true}) {
      const Model model = expand_functions(call_of(standard, everything));
      EXPECT_GT(model.graph.nodes.size(), 1U);
      for (const Node& node : model.graph.nodes)
        EXPECT_NE(find_operator(model, node), nullptr) << standard.name << " " << node.op_type;
    }
}

TEST(StandardFunctions, AreChosenByOpset) {
  Node call;
  call.op_type = "GroupNormalization";
  EXPECT_FALSE(standard_function(call, 17));
  EXPECT_FALSE(standard_function(call, 20)->defaults.contains("stash_type"));
  EXPECT_TRUE(standard_function(call, 21)->defaults.contains("stash_type"));
  call.domain = "com.example";
  EXPECT_FALSE(standard_function(call, 21));
}

}  // namespace
}  // namespace octet
