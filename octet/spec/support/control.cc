#include "octet/spec/support/control.h"

#include <algorithm>
#include <cstring>

#include "octet/spec/check.h"
#include "octet/spec/support/view.h"

namespace octet {

const Body& body_named(const Bodies& bodies, std::string_view attribute, std::string_view label) {
  const auto found = bodies.find(attribute);
  if (found == bodies.end()) fail_constraint(label, "{} is not a graph", attribute);
  return found->second;
}

void require_arity(const Body& body, std::size_t inputs, std::size_t outputs, std::string_view label) {
  if (body.inputs.size() != inputs)
    fail_constraint(label, "its graph has {} inputs, {} are wanted", body.inputs.size(), inputs);
  if (body.outputs.size() < outputs)
    fail_constraint(label, "its graph has {} outputs, {} are wanted", body.outputs.size(), outputs);
}

void require_one(const Fact& fact, DType dtype, std::string_view what, std::string_view label) {
  if (fact.dtype != DType::kUndefined && fact.dtype != dtype)
    fail_constraint(label, "{} is {}, not {}", what, name(fact.dtype), name(dtype));
  const std::optional<Shape> shape = fact.shape ? concrete(*fact.shape) : std::nullopt;
  if (shape && element_count(*shape) != 1)
    fail_constraint(label, "{} has the shape {}, and is not one element", what, to_string(*shape));
}

void require_one(const Tensor& tensor, DType dtype, std::string_view what, std::string_view label) {
  require_one(Fact{tensor.dtype(), symbolic(tensor.shape()), {}, {}}, dtype, what, label);
}

Fact either(const Fact& a, const Fact& b) {
  if (a.dtype == DType::kUndefined || a.dtype != b.dtype) return {};
  Fact both{a.dtype, std::nullopt, {}, {}};
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) return both;
  both.shape = a.shape;
  for (std::size_t d = 0; d < a.shape->size(); ++d)
    if (!surely_equal((*a.shape)[d], (*b.shape)[d])) (*both.shape)[d] = Dim();
  return both;
}

Fact without_elements(const Fact& fact) { return {fact.dtype, fact.shape, {}, {}}; }

bool keeps_shapes(const std::vector<Fact>& start, const std::vector<Fact>& run) {
  return std::equal(start.begin(), start.end(), run.begin(), run.end(), [](const Fact& a, const Fact& b) {
    return a.shape && b.shape &&
           std::equal(a.shape->begin(), a.shape->end(), b.shape->begin(), b.shape->end(), surely_equal);
  });
}

std::vector<Fact> settled_states(const std::vector<Fact>& start, const std::vector<Fact>& run, std::string_view label) {
  const bool kept = keeps_shapes(start, run);
  std::vector<Fact> states;
  for (std::size_t k = 0; k < start.size(); ++k) {
    if (run[k].dtype != DType::kUndefined && run[k].dtype != start[k].dtype)
      fail_constraint(label, "state {} starts as {}, and its graph gives {}, wanted one type", k, name(start[k].dtype),
                      name(run[k].dtype));
    states.push_back({start[k].dtype, kept ? start[k].shape : std::nullopt, {}, {}});
  }
  return states;
}

Tensor slice_at(const Tensor& tensor, std::size_t axis, std::int64_t index, const Parallel& parallel) {
  Shape shape = tensor.shape();
  std::vector<std::int64_t> strides = strides_of(shape);
  View from{.offset = index * strides[axis], .strides = strides};
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  from.strides.erase(from.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  Tensor slice = Tensor::uninitialized(tensor.dtype(), shape);
  copy_elements(parallel, shape, tensor, from, slice, {.strides = strides_of(shape)});
  return slice;
}

void Stack::push(const Tensor& tensor, std::string_view label) {
  if (count_ == 0) shape_ = tensor.shape();
  if (count_ > 0 && (tensor.dtype() != buffer_.dtype() || tensor.shape() != shape_))
    fail_constraint(label, "iteration {} gives {}{}, wanted {}{} as those before it", count_, name(tensor.dtype()),
                    to_string(tensor.shape()), name(buffer_.dtype()), to_string(shape_));
  const std::int64_t room = buffer_.empty() ? 0 : buffer_.shape()[0];
  if (count_ == room) {
    Shape larger = shape_;
    larger.insert(larger.begin(), std::max<std::int64_t>(4, 2 * room));
    Tensor buffer = Tensor::uninitialized(tensor.dtype(), std::move(larger));
    if (!buffer_.bytes().empty())
      std::memcpy(buffer.mutable_bytes().data(), buffer_.bytes().data(), buffer_.byte_size());
    buffer_ = std::move(buffer);
  }
  if (tensor.byte_size() > 0)
    std::memcpy(buffer_.mutable_bytes().data() + static_cast<std::size_t>(count_) * tensor.byte_size(),
                tensor.bytes().data(), tensor.byte_size());
  ++count_;
}

Tensor Stack::take(std::size_t axis, bool reversed, const Fact& like, const Parallel& parallel) const {
  Shape from = shape_;
  if (count_ == 0)
    for (const Dim& dim : like.shape.value_or(SymbolicShape())) from.push_back(dim.known() ? dim.value() : 0);
  from.insert(from.begin(), count_);
  if (count_ == 0) {
    if (like.dtype == DType::kUndefined)
      fail(ErrorCode::kUnsupported, "the type of a result is not known, because the graph that gives it never ran");
    std::rotate(from.begin(), from.begin() + 1, from.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    return Tensor(like.dtype, from);
  }
  View source{.strides = strides_of(from)};
  if (reversed) {
    source.offset = (count_ - 1) * source.strides[0];
    source.strides[0] = -source.strides[0];
  }
  const auto middle = static_cast<std::ptrdiff_t>(axis) + 1;
  std::rotate(from.begin(), from.begin() + 1, from.begin() + middle);
  std::rotate(source.strides.begin(), source.strides.begin() + 1, source.strides.begin() + middle);
  Tensor whole = Tensor::uninitialized(buffer_.dtype(), from);
  copy_elements(parallel, from, buffer_, source, whole, {.strides = strides_of(from)});
  return whole;
}

}  // namespace octet
