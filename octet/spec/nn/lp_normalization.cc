// lp_normalization.cc: the meaning of LpNormalization.
//
//   y = x / |x|_p along axis          |x|_1 = Sum |x|, |x|_2 = sqrt(Sum x^2)
//
// where a lane of norm 0 stays 0. The norm is summed in float64, in order, and rounded once to the type of x (float32
// for the half types).
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_lp_normalization(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "lp_normalization_c1");
  const std::int64_t p = i.attributes().get_int("p", 2);
  if (p != 1 && p != 2) fail_constraint("lp_normalization_c2", "p is {}, wanted 1 or 2", p);
  if (i.has_shape(0)) normalize_axis(i.attributes().get_int("axis", -1), i.shape(0).size(), "lp_normalization_c3");
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

template <typename T>
T lp_norm(const T* x, const Lanes& lanes, bool of_squares) {
  double sum = 0;
  for (std::int64_t k = 0; k < lanes.length; ++k) {
    const auto value = static_cast<double>(x[k * lanes.step]);
    sum += of_squares ? value * value : std::fabs(value);
  }
  return static_cast<T>(of_squares ? std::sqrt(sum) : sum);
}

void compute_lp_normalization(Call& call) {
  const Shape& shape = call.input(0).shape();
  const Lanes lanes(shape, normalize_axis(call.attributes().get_int("axis", -1), shape.size(), {}));
  const bool of_squares = call.attributes().get_int("p", 2) == 2;
  visit_float(call.output_dtype(0), [&]<typename T>() {
    const T* x = call.input(0).as<T>().data();
    T* y = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(lanes.count, 4096 / (lanes.length + 1), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t lane = begin; lane < end; ++lane) {
        const std::int64_t start = lanes.start(lane);
        const T norm = lp_norm(x + start, lanes, of_squares);
        for (std::int64_t k = 0; k < lanes.length; ++k)
          y[start + k * lanes.step] = norm == 0 ? T(0) : x[start + k * lanes.step] / norm;
      }
    });
  });
}

}  // namespace

const Operator ops::kLpNormalization = {
    .name = "LpNormalization",
    .versions = {1, 22},
    .formula = "y = x / (Sum |x|^p)^(1/p) along axis, p being 1 or 2",
    .constraints = {{"lp_normalization_c1", "x is floating point"},
                    {"lp_normalization_c2", "p is 1 or 2"},
                    {"lp_normalization_c3", "axis is in [-rank, rank - 1]"}},
    .infer = infer_lp_normalization,
    .compute = compute_lp_normalization,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
