// eye_like.cc: the meaning of EyeLike.
//
//   y[i, j] = 1 where j - i == k, 0 elsewhere, in the shape of x and in the type `dtype`, or x's when there is none
//
//   eye_like_c1  x has two axes.
//   eye_like_c2  The type of y is bool, floating point or an integer.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

void infer_eye_like(Inference& i) {
  const std::int64_t type = i.attributes().get_int("dtype", static_cast<std::int64_t>(i.dtype(0)));
  const auto dtype = static_cast<DType>(type > 0 && type < kDTypeCount ? type : 0);
  if (dtype != DType::kBool && !is_float(dtype) && !is_integer(dtype))
    fail_constraint("eye_like_c2", "the type is {}, wanted bool, floating point or an integer", name(dtype));
  require_rank(i, 0, 2, "eye_like_c1");
  i.set_output(0, dtype, i.input(0).shape);
}

void compute_eye_like(Call& call) {
  const Shape& shape = call.output_shape(0);
  const std::int64_t k = call.attributes().get_int("k", 0);
  Tensor ones = Tensor::uninitialized(DType::kUint8, shape);
  const std::span<std::uint8_t> y = ones.mutable_as<std::uint8_t>();
  for (std::int64_t n = 0; n < ones.size(); ++n)
    y[static_cast<std::size_t>(n)] = n % shape[1] - n / shape[1] == k ? 1 : 0;
  call.set_output(0, convert(ones, call.output_dtype(0)));
}

}  // namespace

const Operator ops::kEyeLike = {
    .name = "EyeLike",
    .versions = {9, 22},
    .formula = "y[i, j] = 1 where j - i == k, 0 elsewhere",
    .constraints = {{"eye_like_c1", "x has two axes"},
                    {"eye_like_c2", "the type of y is bool, floating point or an integer"}},
    .infer = infer_eye_like,
    .compute = compute_eye_like,
    .halves = Halves::kAsIs,
};

}  // namespace octet
