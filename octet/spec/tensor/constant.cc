// constant.cc: the meaning of Constant.
//
//   y = the tensor, number, string or list in the only attribute
//
//   attribute        y
//   value            that tensor
//   value_float(s)   float32 scalar (vector)
//   value_int(s)     int64 scalar (vector)
//   value_string(s)  string scalar (vector)
//
//   constant_c1  There is one of these attributes.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

template <typename T>
Shape vector_shape(const std::vector<T>& values) {
  return {static_cast<std::int64_t>(values.size())};
}

Tensor value_of(const Attributes& attributes) {
  std::optional<Tensor> found;
  const auto take = [&](Tensor tensor) {
    if (found) fail_constraint("constant_c1", "there is more than one value");
    found = std::move(tensor);
  };
  if (const AttributeValue* value = attributes.find("value")) {
    const Tensor* tensor = std::get_if<Tensor>(value);
    if (!tensor) fail(ErrorCode::kModel, "attribute value is not a tensor");
    take(*tensor);
  }
  if (attributes.has("value_float")) take(Tensor::scalar(attributes.get_float("value_float", 0)));
  if (attributes.has("value_int")) take(Tensor::scalar(attributes.get_int("value_int", 0)));
  if (attributes.has("value_string")) take(Tensor::from_strings({}, {attributes.get_string("value_string", "")}));
  if (attributes.has("value_floats")) {
    const std::vector<float> values = attributes.get_floats("value_floats");
    take(Tensor::from<float>(vector_shape(values), values));
  }
  if (attributes.has("value_ints")) {
    const std::vector<std::int64_t> values = attributes.get_ints("value_ints");
    take(Tensor::from<std::int64_t>(vector_shape(values), values));
  }
  if (attributes.has("value_strings")) {
    std::vector<std::string> values = attributes.get_strings("value_strings");
    const Shape shape = vector_shape(values);
    take(Tensor::from_strings(shape, std::move(values)));
  }
  if (!found) fail_constraint("constant_c1", "there is no value that Octet reads; sparse_value is not");
  return *std::move(found);
}

void infer_constant(Inference& i) {
  Tensor value = value_of(i.attributes());
  if (i.wants(0)) i.outputs()[0] = Fact::of(std::move(value));
}

void compute_constant(Call& call) { call.set_output(0, value_of(call.attributes())); }

}  // namespace

const Operator ops::kConstant = {
    .name = "Constant",
    .versions = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25},
    .formula = "y = the value in the attribute",
    .constraints = {{"constant_c1", "there is one of value, value_float(s), value_int(s) and value_string(s)"}},
    .infer = infer_constant,
    .compute = compute_constant,
    .halves = Halves::kAsIs,
};

}  // namespace octet
