// space_to_depth.cc: the meaning of SpaceToDepth.
//
//   mode DCR, the default:   y[n, (i * b + j) * C + c, h, w] = x[n, c, h * b + i, w * b + j]
//   mode CRD:                y[n, (c * b + i) * b + j, h, w] = x[n, c, h * b + i, w * b + j]
//
// with blocks of b = blocksize, 0 <= i, j < b, and C channels in x. Before opset 28 there is no mode, which is DCR then.
//
//   space_to_depth_c1  x has four axes.
//   space_to_depth_c2  blocksize is positive and divides height and width.
//   space_to_depth_c3  mode is DCR or CRD.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

constexpr int kModeOpset = 28;

std::string depth_order(const Attributes& attributes, int opset) {
  return opset < kModeOpset ? "DCR" : attributes.get_string("mode", "DCR");
}

void infer_space_to_depth(Inference& i) {
  const std::int64_t block = i.attributes().get_int("blocksize", 0);
  if (block <= 0) fail_constraint("space_to_depth_c2", "blocksize is {}, wanted a positive number", block);
  const std::string mode = depth_order(i.attributes(), i.opset());
  if (mode != "DCR" && mode != "CRD") fail_constraint("space_to_depth_c3", "mode is \"{}\", wanted DCR or CRD", mode);
  require_rank(i, 0, 4, "space_to_depth_c1");
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), SymbolicShape(4));
  const SymbolicShape& x = i.shape(0);
  for (std::size_t k : {2U, 3U})
    if (x[k].known() && x[k].value() % block != 0)
      fail_constraint("space_to_depth_c2", "length {} of axis {} does not divide by {}", x[k].value(), k, block);
  i.set_output(0, i.dtype(0),
               SymbolicShape{x[0], x[1] * (Dim(block) * block), floor_divide(x[2], block), floor_divide(x[3], block)});
}

void compute_space_to_depth(Call& call) {
  const Shape& x = call.input(0).shape();
  const std::int64_t b = call.attributes().get_int("blocksize", 1);
  const bool blocks_first = depth_order(call.attributes(), call.opset()) == "DCR";
  copy_permuted(call, {x[0], x[1], x[2] / b, b, x[3] / b, b},
                blocks_first ? std::vector<std::size_t>{0, 3, 5, 1, 2, 4} : std::vector<std::size_t>{0, 1, 3, 5, 2, 4});
}

}  // namespace

const Operator ops::kSpaceToDepth = {
    .name = "SpaceToDepth",
    .versions = {1, 13, 28},
    .turns = {28},
    .formula = "y[n, (i * b + j) * C + c, h, w] = x[n, c, h * b + i, w * b + j]",
    .constraints = {{"space_to_depth_c1", "x has four axes"},
                    {"space_to_depth_c2", "blocksize is positive and divides height and width"},
                    {"space_to_depth_c3", "mode is DCR or CRD"}},
    .infer = infer_space_to_depth,
    .compute = compute_space_to_depth,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
