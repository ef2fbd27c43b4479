// constant_of_shape.cc: the meaning of ConstantOfShape.
//
//   y has the shape given by the input; every element is the one in `value`, float32 0 when there is none
//
//   constant_of_shape_c1  The shape is an int64 vector of dimensions that are not negative.
//   constant_of_shape_c2  value has one element.
#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

Tensor element(const Attributes& attributes) {
  const AttributeValue* value = attributes.find("value");
  if (!value) return Tensor(DType::kFloat, {1});
  const Tensor* tensor = std::get_if<Tensor>(value);
  if (!tensor || tensor->size() != 1) fail_constraint("constant_of_shape_c2", "value is not a tensor of one element");
  return *tensor;
}

void infer_constant_of_shape(Inference& i) {
  if (i.dtype(0) != DType::kInt64)
    fail_constraint("constant_of_shape_c1", "the shape is {}, wanted int64", name(i.dtype(0)));
  require_rank(i, 0, 1, "constant_of_shape_c1");
  const Tensor value = element(i.attributes());
  const std::optional<std::vector<Dim>> y = dims_from(i, 0);
  i.set_output(0, value.dtype(), y);
  if (!y) return;
  for (const Dim& dim : *y)
    if (dim.known() && dim.value() < 0)
      fail_constraint("constant_of_shape_c1", "dimension {} is negative", dim.value());
  const bool integers = value.dtype() == DType::kInt64 || value.dtype() == DType::kInt32;
  if (integers && y->empty()) i.set_elements(0, {value.int_at(0)});
  if (integers && y->size() == 1 && (*y)[0].known() && (*y)[0].value() <= 1024)
    i.set_elements(0, std::vector<Dim>(static_cast<std::size_t>((*y)[0].value()), value.int_at(0)));
}

void compute_constant_of_shape(Call& call) {
  const Tensor value = element(call.attributes());
  Tensor& y = call.output(0);
  visit_storage(y.dtype(), [&]<typename E>() { std::fill_n(mutable_stored<E>(y), y.size(), *stored<E>(value)); });
}

}  // namespace

const Operator ops::kConstantOfShape = {
    .name = "ConstantOfShape",
    .versions = {9, 20, 21, 23, 24, 25},
    .formula = "y = `value` everywhere, in the given shape",
    .constraints = {{"constant_of_shape_c1", "the shape is an int64 vector of dimensions that are not negative"},
                    {"constant_of_shape_c2", "value has one element"}},
    .infer = infer_constant_of_shape,
    .compute = compute_constant_of_shape,
    .halves = Halves::kAsIs,
};

}  // namespace octet
