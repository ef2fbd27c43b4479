#include "octet/spec/support/element_indices.h"

#include <string>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {

void check_element_indices(const Inference& i, std::string_view stem) {
  const auto label = [&](const char* suffix) { return std::string(stem) + suffix; };
  require_index_type(i, 1, label("_c1"));
  if (!i.has_shape(0)) return;
  const SymbolicShape& x = i.shape(0);
  const std::size_t axis = normalize_axis(i.attributes().get_int("axis", 0), x.size(), label("_c2"));
  if (i.has_shape(1)) {
    const SymbolicShape& indices = i.shape(1);
    bool fits = indices.size() == x.size();
    for (std::size_t k = 0; fits && k < x.size(); ++k)
      fits = k == axis || !indices[k].known() || !x[k].known() || indices[k].value() <= x[k].value();
    if (!fits)
      fail_constraint(label("_c3"), "indices of shape {} for x of shape {} along axis {}", to_string(indices),
                      to_string(x), axis);
  }
  if (const Tensor* indices = i.constant(1); indices && x[axis].known())
    check_indices(*indices, x[axis].value(), label("_c4"));
}

void check_element_updates(const Inference& i, std::string_view stem) {
  const std::string label = std::string(stem) + "_c5";
  require_same_type(i, 0, 2, label);
  if (i.has_shape(1)) require_shape(i, 2, i.shape(1), label);
}

std::vector<std::int64_t> element_positions(const Call& call) {
  const Shape& x = call.input(0).shape();
  const Shape& shape = call.input(1).shape();
  const std::size_t axis = normalize_axis(call.attributes().get_int("axis", 0), x.size(), "");
  const std::vector<std::int64_t> strides = strides_of(x);
  std::vector<std::int64_t> positions = call.input(1).to_ints();
  for (std::size_t n = 0; n < positions.size(); ++n) {
    std::int64_t position = from_start(positions[n], x[axis]) * strides[axis];
    auto rest = static_cast<std::int64_t>(n);
    for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k])
      if (k != axis) position += rest % shape[k] * strides[k];
    positions[n] = position;
  }
  return positions;
}

}  // namespace octet
