// equal.cc: the meaning of Equal.
//
//   c = a == b, with broadcasting
//
// c is bool. NaN equals nothing.
//
//   equal_c1  a and b are of one type: bool, string, floating point or an integer of 8 to 64 bits.
//   equal_c2  The shapes broadcast.
#include <string>

#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {
namespace {

// A symbol stands for a dimension, which is not negative.
Dim same(const Dim& a, const Dim& b) {
  if (surely_equal(a, b)) return 1;
  const auto negative = [](const Dim& dim) { return dim.known() && dim.value() < 0; };
  if (surely_different(a, b) || (a.is_symbol() && negative(b)) || (b.is_symbol() && negative(a))) return 0;
  return {};
}

void infer_equal(Inference& i) {
  if (i.dtype(0) != DType::kBool && i.dtype(0) != DType::kString) require_type(i, 0, TypeKind::kNumeric, "equal_c1");
  require_same_type(i, 0, 1, "equal_c1");
  i.set_output(0, DType::kBool, broadcast_inputs(i, "equal"));
  propagate_elements(i, same);
}

void compare_strings(Call& call) {
  const Tensor second = second_operand(call);
  const std::vector<std::string>& a = call.input(0).strings();
  const std::vector<std::string>& b = second.strings();
  const BroadcastRuns runs({call.input(0).shape(), second.shape()}, call.output_shape(0));
  bool* c = call.output(0).mutable_as<bool>().data();
  runs.for_each(call.parallel(), [&](const BroadcastRuns::Run& run) {
    for (std::int64_t k = 0; k < run.count; ++k)
      c[run.output + k] = a[static_cast<std::size_t>(run.inputs[0] + (runs.moves(0) ? k : 0))] ==
                          b[static_cast<std::size_t>(run.inputs[1] + (runs.moves(1) ? k : 0))];
  });
}

void compute_equal(Call& call) {
  if (call.input(0).dtype() == DType::kString)
    compare_strings(call);
  else if (call.input(0).dtype() == DType::kBool)
    zip_inputs<bool, bool>(call, [](bool a, bool b) { return a == b; });
  else
    compare_numeric(call, [](auto a, auto b) { return a == b; });
}

}  // namespace

const Operator ops::kEqual = {
    .name = "Equal",
    .versions = {1, 7, 11, 13, 19},
    .turns = {7},
    .formula = "c = a == b",
    .constraints = {{"equal_c1", "a and b are of one type: bool, string, floating point or an integer of 8 to 64 bits"},
                    {"equal_c2", "the shapes broadcast"}},
    .infer = infer_equal,
    .compute = compute_equal,
    .on_elements = true,
};

}  // namespace octet
