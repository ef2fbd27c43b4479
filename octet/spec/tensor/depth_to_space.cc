// depth_to_space.cc: the meaning of DepthToSpace.
//
//   mode DCR, the default:   y[n, c, h * b + i, w * b + j] = x[n, (i * b + j) * C' + c, h, w]
//   mode CRD:                y[n, c, h * b + i, w * b + j] = x[n, (c * b + i) * b + j, h, w]
//
// with blocks of b = blocksize, 0 <= i, j < b, and C' = C / b^2 channels in y.
//
//   depth_to_space_c1  x has four axes.
//   depth_to_space_c2  blocksize is positive and b^2 divides the number of channels.
//   depth_to_space_c3  mode is DCR or CRD.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

void infer_depth_to_space(Inference& i) {
  const std::int64_t block = i.attributes().get_int("blocksize", 0);
  if (block <= 0) fail_constraint("depth_to_space_c2", "blocksize is {}, wanted a positive number", block);
  const std::string mode = i.attributes().get_string("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") fail_constraint("depth_to_space_c3", "mode is \"{}\", wanted DCR or CRD", mode);
  require_rank(i, 0, 4, "depth_to_space_c1");
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), SymbolicShape(4));
  const SymbolicShape& x = i.shape(0);
  const Dim square = Dim(block) * block;
  if (x[1].known() && x[1].value() % square.value() != 0)
    fail_constraint("depth_to_space_c2", "{} channels do not divide by {}", x[1].value(), square.value());
  i.set_output(0, i.dtype(0), SymbolicShape{x[0], floor_divide(x[1], square), x[2] * block, x[3] * block});
}

void compute_depth_to_space(Call& call) {
  const Shape& x = call.input(0).shape();
  const std::int64_t b = call.attributes().get_int("blocksize", 1);
  const std::int64_t channels = call.output_shape(0)[1];
  if (call.attributes().get_string("mode", "DCR") == "DCR")
    copy_permuted(call, {x[0], b, b, channels, x[2], x[3]}, std::vector<std::size_t>{0, 3, 4, 1, 5, 2});
  else
    copy_permuted(call, {x[0], channels, b, b, x[2], x[3]}, std::vector<std::size_t>{0, 1, 4, 2, 5, 3});
}

}  // namespace

const Operator ops::kDepthToSpace = {
    .name = "DepthToSpace",
    .versions = {1, 11, 13, 28},
    .formula = "y[n, c, h * b + i, w * b + j] = x[n, (i * b + j) * C' + c, h, w]",
    .constraints = {{"depth_to_space_c1", "x has four axes"},
                    {"depth_to_space_c2", "blocksize is positive and b^2 divides the number of channels"},
                    {"depth_to_space_c3", "mode is DCR or CRD"}},
    .infer = infer_depth_to_space,
    .compute = compute_depth_to_space,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
