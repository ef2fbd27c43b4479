// explain_move.cc: operators that put elements in other places. Where an element came from is asked of the operator
// itself: it moves the numbers 0, 1, 2, ... in the place of the elements.
#include <fmt/core.h>

#include "octet/analyze/support/explainers.h"

namespace octet {
namespace {

// Elements that are numbered from `first` on.
Tensor numbered(const Shape& shape, std::int64_t first) {
  Tensor tensor(DType::kInt64, shape);
  for (std::int64_t& number : tensor.mutable_as<std::int64_t>()) number = first++;
  return tensor;
}

// How many of the inputs, from the first on, have elements that are moved; `from` is the first of them.
struct Moved {
  std::size_t from, count;
};
Moved moved_inputs(const Operation& operation) {
  if (operation.op->name == "Concat") return {0, operation.inputs.size()};
  if (operation.op->name == "Where") return {1, 2};
  return {0, 1};
}

void explain_source(const Work& work, Findings& findings, std::size_t input, std::int64_t element) {
  findings.read(work, "x", input, element);
  findings.line("y", "x", value_at(work.input(input), element), "the element is moved, not changed");
  findings.operation.result = value_at(work.input(input), element);
}

}  // namespace

void explain_move(const Work& work, Findings& findings) {
  const auto [from, count] = moved_inputs(work.operation());
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < work.operation().inputs.size(); ++i)
    inputs.push_back(work.has(i) ? work.input(i) : Tensor());
  std::int64_t numbers = 0;
  for (std::size_t i = from; i < from + count; ++i) {
    inputs[i] = numbered(inputs[i].shape(), numbers);
    numbers += inputs[i].size();
  }
  const bool pads = work.operation().op->name == "Pad";
  if (pads && inputs.size() > 2 && !inputs[2].empty())
    inputs[2] = Tensor::scalar(std::int64_t{-1}).reshaped(inputs[2].shape());
  const Tensor places = work.run(inputs, work.operation().outputs.size())[work.output_number()];
  std::int64_t number = places.int_at(work.element());
  findings.section("move");
  if (number < 0) return explain_source(work, findings, 2, 0);
  std::size_t input = from;
  for (; number >= inputs[input].size(); ++input) number -= inputs[input].size();
  explain_source(work, findings, input, number);
}

void explain_max_pool(const Work& work, Findings& findings) {
  Operation pool = work.operation();
  pool.attributes.erase("storage_order");
  const std::vector<Tensor> results = Work(work, pool, {work.input(0)}).run({work.input(0)}, 2);
  const std::int64_t element = results[1].int_at(work.element());
  findings.section("window");
  if (element < 0) {
    findings.line("y", "", value_at(work.output(), work.element()), "the window is empty: the type's lowest value");
    findings.operation.result = value_at(work.output(), work.element());
    return;
  }
  findings.read(work, "x", 0, element);
  findings.line("y", "x", value_at(work.input(0), element), "the largest of the window, the first of equals");
  findings.operation.result =
      work.output_number() == 0 ? value_at(work.input(0), element) : value_at(work.output(), work.element());
}

}  // namespace octet
