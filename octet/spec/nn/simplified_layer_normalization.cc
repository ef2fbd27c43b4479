// simplified_layer_normalization.cc: the meaning of SimplifiedLayerNormalization, which ONNX Runtime's optimizer writes
// into the standard's domain.
//
//   y = x * inv_std_var * scale,      inv_std_var = 1 / sqrt(mean of x^2 + epsilon)
//
// over the elements from `axis` on (normal_rows.h). The second output is inv_std_var, float32 (float64 for that type).
//
//   simplified_layer_normalization_c1  x and scale have the same floating-point type.
//   simplified_layer_normalization_c2  axis is in [-rank, rank - 1].
//   simplified_layer_normalization_c3  scale has the dimensions of x from axis on.
//   simplified_layer_normalization_c4  stash_type is 1, float32.
#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/normal_rows.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr std::string_view kSimplifiedAxis = "simplified_layer_normalization_c2";

void infer_simplified_layer_normalization(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "simplified_layer_normalization_c1");
  require_same_type(i, 1, 0, "simplified_layer_normalization_c1");
  if (const std::int64_t stash = i.attributes().get_int("stash_type", 1); stash != static_cast<int>(DType::kFloat))
    fail_constraint("simplified_layer_normalization_c4", "stash_type is {}, wanted 1 (float32)", stash);
  std::optional<SymbolicShape> inverse = i.input(0).shape;
  if (inverse) {
    const std::size_t axis = normalize_axis(i.attributes().get_int("axis", -1), inverse->size(), kSimplifiedAxis);
    if (i.has_shape(1)) {
      const SymbolicShape& scale = i.shape(1);
      bool fits = scale.size() == inverse->size() - axis;
      for (std::size_t d = 0; fits && d < scale.size(); ++d) fits = !surely_different(scale[d], (*inverse)[axis + d]);
      if (!fits)
        fail_constraint("simplified_layer_normalization_c3", "scale is {}, wanted the dimensions of {} from {} on",
                        to_string(scale), to_string(*inverse), axis);
    }
    for (std::size_t d = axis; d < inverse->size(); ++d) (*inverse)[d] = 1;
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
  i.set_output(1, i.dtype(0) == DType::kDouble ? DType::kDouble : DType::kFloat, std::move(inverse));
}

template <typename T>
void normalize_simply(Call& call) {
  const Shape& shape = call.input(0).shape();
  const std::size_t axis = normalize_axis(call.attributes().get_int("axis", -1), shape.size(), kSimplifiedAxis);
  const std::int64_t rows = element_count(std::span(shape).first(axis));
  const std::int64_t length = element_count(std::span(shape).subspan(axis));
  const T epsilon = static_cast<T>(call.attributes().get_float("epsilon", 1e-5F));
  const T *x = call.input(0).as<T>().data(), *scale = call.input(1).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  T* inverses = call.wants(1) ? call.output(1).mutable_as<T>().data() : nullptr;
  call.parallel().for_each_block(rows, 1, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const NormalRow<T> normal = simplified_row(x + row * length, length, epsilon);
      if (inverses) inverses[row] = normal.inverse();
      write_normal_row<T>(normal, x + row * length, length, scale, nullptr, y + row * length);
    }
  });
}

void compute_simplified_layer_normalization(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() { normalize_simply<T>(call); });
}

}  // namespace

const Operator ops::kSimplifiedLayerNormalization = {
    .name = "SimplifiedLayerNormalization",
    .versions = {1},
    .formula = "y = x / sqrt(mean of x^2 + epsilon) * scale, over the axes from axis on",
    .constraints = {{"simplified_layer_normalization_c1", "x and scale have the same floating-point type"},
                    {kSimplifiedAxis, "axis is in [-rank, rank - 1]"},
                    {"simplified_layer_normalization_c3", "scale has x's dimensions from axis on"},
                    {"simplified_layer_normalization_c4", "stash_type is float32"}},
    .infer = infer_simplified_layer_normalization,
    .compute = compute_simplified_layer_normalization,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
