// Which values have their channels last: with copies between steps that want different layouts, and without.
#include "octet/program/layouts.h"

#include <gtest/gtest.h>

#include "tests/program/networks.h"

namespace octet {
namespace {

// x goes through a table, a convolution, a table, an addition, a transposition and another convolution.
Program layered() {
  Model model = network(R"(main (x) => (y) {
  a = QLinearSigmoid (x, s, z, s, z)
  b = QLinearConv (a, s, z, w, s, z, s, z)
  c = QLinearSigmoid (b, s, z, s, z)
  d = QLinearAdd (c, s, z, b, s, z, s, z)
  e = Transpose <perm: ints = [0, 1, 3, 2]> (d)
  y = QLinearConv (e, s, z, w, s, z, s, z)
})",
                        {value("x", DType::kUint8, {{1, 3, 4, 5}})},
                        {{"s", f(0.01F)}, {"z", u8(3)}, {"w", Tensor(DType::kUint8, {3, 3, 1, 1})}});
  for (Node& node : model.graph.nodes)
    if (node.op_type == "QLinearSigmoid" || node.op_type == "QLinearAdd") node.domain = "com.microsoft";
  return lowered(std::move(model), Policy::kExact);
}

std::string last_of(const Program& program, bool copies) {
  const std::vector<bool> last =
      channels_last(program, {.copies = copies, .takes_any = [](const Step&) { return false; }});
  std::string names;
  for (ValueId value = 0; value < last.size(); ++value)
    if (last[value]) names += program.values[value].name;
  return names;
}

TEST(Layouts, PutChannelsLastWhereverAConvolutionOrAPoolIs) { EXPECT_EQ(last_of(layered(), true), "abcdey"); }

// The transposition takes what is declared, and so does the caller; the table before the first convolution takes both.
TEST(Layouts, AgreeForAllStepsWhereThereAreNoCopies) { EXPECT_EQ(last_of(layered(), false), "abc"); }

TEST(Layouts, LeaveWhatHasNoImageAsDeclared) {
  Model model = network("main (x) => (y) { t = MaxPool <kernel_shape: ints = [2, 2]> (x)\n y = GlobalAveragePool (t) }",
                        {value("x", DType::kFloat, {{1, 3, 2, 2}})}, {});
  const Program program = lowered(std::move(model), Policy::kExact);
  EXPECT_EQ(last_of(program, false), "");
  EXPECT_EQ(last_of(program, true), "ty");  // the layouts coincide
}

}  // namespace
}  // namespace octet
