// control.h: what operators that run graphs of their own (spec/control) have in common.
#pragma once

#include <string_view>
#include <vector>

#include "octet/spec/operator.h"

namespace octet {

// The graph of an attribute. Throws kConstraint with `label` where there is none.
const Body& body_named(const Bodies& bodies, std::string_view attribute, std::string_view label);

// Throws kConstraint with `label` unless the graph takes so many inputs and gives at least so many outputs.
void require_arity(const Body& body, std::size_t inputs, std::size_t outputs, std::string_view label);

// Throw kConstraint with `label` unless it is one element of that type, as far as that is known.
void require_one(const Fact& fact, DType dtype, std::string_view what, std::string_view label);
void require_one(const Tensor& tensor, DType dtype, std::string_view what, std::string_view label);

// What is known of a value that is one or the other.
Fact either(const Fact& a, const Fact& b);

// What a graph's state, which is its own output the next time, is known to be: the shapes that it starts with where one run
// leaves all of them, else the types alone. `run` is what one run gives of them when they start so.
std::vector<Fact> settled_states(const std::vector<Fact>& start, const std::vector<Fact>& run, std::string_view label);
// Whether one run leaves all shapes.
bool keeps_shapes(const std::vector<Fact>& start, const std::vector<Fact>& run);

// A type and as much of a shape as is the same whenever it is asked for: no elements.
Fact without_elements(const Fact& fact);

// The part of a tensor at one index of an axis, without that axis.
Tensor slice_at(const Tensor& tensor, std::size_t axis, std::int64_t index, const Parallel& parallel);

// Tensors of one type and shape, one after the other along a new first axis. All memory is that of tensors, and is counted.
class Stack {
 public:
  // Throws kConstraint with `label` for one that is not like the others.
  void push(const Tensor& tensor, std::string_view label);
  std::int64_t count() const { return count_; }
  std::size_t rank() const { return shape_.size(); }  // of one
  // The whole, with that axis at another place; `reversed` has the last one first. Of none, elements are known by `like`.
  Tensor take(std::size_t axis, bool reversed, const Fact& like, const Parallel& parallel) const;

 private:
  Tensor buffer_;  // with room for more
  Shape shape_;    // of one
  std::int64_t count_ = 0;
};

}  // namespace octet
