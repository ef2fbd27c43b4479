// lrn.cc: the meaning of LRN, the local response normalization.
//
//   y[n, c, ...] = x[n, c, ...] * (bias + alpha / size * Sum_k x[n, k, ...]^2)^-beta
//
// over the channels k from c - floor((size - 1) / 2) to c + ceil((size - 1) / 2) that there are, in the type of x (float32 for
// the half types). As in ONNX Runtime the sum is carried from channel to channel, what enters the window is added before what
// leaves it is subtracted, and every operation is rounded: behind large numbers less is left of small ones.
#include <algorithm>
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_lrn(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "lrn_c1");
  const std::int64_t size = i.attributes().get_int("size", 0);
  if (size < 1) fail_constraint("lrn_c2", "size is {}, wanted 1 or more", size);
  if (i.has_shape(0) && i.shape(0).size() < 2)
    fail_constraint("lrn_c3", "x is {}, wanted [N,C,...]", to_string(i.shape(0)));
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

template <typename T>
void lrn_as(Call& call) {
  const Attributes& attributes = call.attributes();
  const Shape& shape = call.input(0).shape();
  const std::int64_t channels = shape[1], inner = strides_of(shape)[1], size = attributes.get_int("size", 1);
  const std::int64_t before = (size - 1) / 2, after = size - 1 - before;
  const T bias = attributes.get_float("bias", 1), beta = attributes.get_float("beta", 0.75F);
  const T factor = static_cast<T>(attributes.get_float("alpha", 1e-4F)) / static_cast<T>(size);
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  call.parallel().for_each_block(shape[0] * inner, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t first = at / inner * channels * inner + at % inner;
      const auto term = [&](std::int64_t c) {
        const T value = x[first + c * inner];
        return factor * (value * value);
      };
      T sum = bias;
      for (std::int64_t c = 0; c <= std::min(after, channels - 1); ++c) sum += term(c);
      for (std::int64_t c = 0; c < channels; ++c) {
        if (c > 0 && c + after < channels) sum += term(c + after);
        if (c > before) sum -= term(c - before - 1);
        y[first + c * inner] = x[first + c * inner] * std::pow(sum, -beta);
      }
    }
  });
}

}  // namespace

const Operator ops::kLRN = {
    .name = "LRN",
    .versions = {1, 13},
    .formula = "y[n,c] = x[n,c] / (bias + alpha / size * Sum_k x[n,k]^2)^beta over size channels around c",
    .constraints = {{"lrn_c1", "x is floating point"}, {"lrn_c2", "size is positive"}, {"lrn_c3", "x is [N, C, ...]"}},
    .infer = infer_lrn,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { lrn_as<T>(call); }); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
