#include "octet/spec/quantized/parameter_map.h"

#include <utility>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"

namespace octet {
namespace {

bool is_one_parameter(const SymbolicShape& shape) { return shape.empty() || (shape.size() == 1 && shape[0].is(1)); }

bool may_be_equal(const SymbolicShape& a, const SymbolicShape& b) {
  bool equal = a.size() == b.size();
  for (std::size_t k = 0; equal && k < a.size(); ++k) equal = !surely_different(a[k], b[k]);
  return equal;
}

}  // namespace

void require_parameter_map(const Inference& i, std::string_view label) {
  const std::int64_t block = i.attributes().get_int("block_size", 0);
  if (block < 0) fail_constraint(label, "block_size is {}, wanted 0 or more", block);
  if (!i.has_shape(1)) return;
  const SymbolicShape& scale = i.shape(1);
  if (i.has_shape(2) && !may_be_equal(scale, i.shape(2)) && !(is_one_parameter(scale) && is_one_parameter(i.shape(2))))
    fail_constraint(label, "the zero point is {}, the scale {}: wanted the same", to_string(i.shape(2)),
                    to_string(scale));
  if (is_one_parameter(scale) || !i.has_shape(0)) return;
  const SymbolicShape& x = i.shape(0);
  const std::size_t axis = normalize_axis(i.attributes().get_int("axis", 1), x.size(), label);
  SymbolicShape wanted = {x[axis]};
  if (block > 0) {
    wanted = x;
    wanted[axis] = ceil_divide(x[axis], block);
  }
  if (!may_be_equal(scale, wanted))
    fail_constraint(label, "the scale of {} is {}, wanted one element or {}", to_string(x), to_string(scale),
                    to_string(wanted));
}

ParameterMap::ParameterMap(const Attributes& attributes, const Shape& x, const Shape& scale) {
  inner_ = std::max<std::int64_t>(1, element_count(x));
  if (element_count(scale) == 1) return;
  const std::size_t axis = normalize_axis(attributes.get_int("axis", 1), x.size(), "");
  length_ = x[axis];
  inner_ = element_count(Shape(x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end()));
  row_step_ = 1;
  if (const std::int64_t block = attributes.get_int("block_size", 0); block > 0) {
    block_ = block;
    outer_step_ = scale[axis] * inner_;
    row_step_ = inner_;
    step_ = 1;
  } else if (inner_ == 1) {  // along the last axis: runs of all of it
    std::swap(inner_, length_);
    row_step_ = 0;
    step_ = 1;
  }
}

}  // namespace octet
