#include "octet/spec/support/regions.h"

#include <cmath>

#include "octet/spec/check.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {

void infer_regions(Inference& i, std::int64_t columns, std::int64_t height, std::int64_t width,
                   std::string_view label) {
  require_type(i, 0, TypeKind::kFloat, label);
  require_same_type(i, 1, 0, label);
  if (height < 1 || width < 1) fail_constraint(label, "y would be {} x {}, wanted 1 x 1 or more", height, width);
  require_rank(i, 0, 4, label);
  require_rank(i, 1, 2, label);
  if (i.has_shape(1)) require_shape(i, 1, {i.shape(1)[0], columns}, label);
  if (i.has_shape(0) && (i.shape(0)[2].is(0) || i.shape(0)[3].is(0)))
    fail_constraint(label, "x is {}: it has no elements", to_string(i.shape(0)));
  i.set_output(
      0, i.dtype(0),
      SymbolicShape{i.has_shape(1) ? i.shape(1)[0] : Dim(), i.has_shape(0) ? i.shape(0)[1] : Dim(), height, width});
}

void require_finite(const Tensor& tensor, std::string_view label) {
  for (std::int64_t k = 0; k < tensor.size(); ++k)
    if (!std::isfinite(tensor.number_at(k))) fail_constraint(label, "element {} is {}", k, tensor.number_at(k));
}

}  // namespace octet
