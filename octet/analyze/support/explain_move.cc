// explain_move.cc: operators that put elements in other places. Where an element came from is asked of the operator
// itself: it moves the numbers 0, 1, 2, ... in the place of the elements.
#include <fmt/core.h>

#include <algorithm>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// Elements that are numbered from `first` on.
Tensor numbered(const Shape& shape, std::int64_t first) {
  Tensor tensor(DType::kInt64, shape);
  for (std::int64_t& number : tensor.mutable_as<std::int64_t>()) number = first++;
  return tensor;
}

// The inputs whose elements are moved.
std::vector<std::size_t> moved_inputs(const Operation& operation) {
  if (is(operation.op, ops::kWhere)) return {1, 2};
  std::vector<std::size_t> moved = {*input_number(*operation.op, Role::kMoved)};
  if (operation.op->repeated > 0)
    for (std::size_t n = 1; n < operation.inputs.size(); ++n)
      moved.push_back(*input_number(*operation.op, Role::kMoved, n));
  return moved;
}

void explain_source(const Applied& applied, Findings& findings, std::size_t input, std::int64_t element) {
  findings.read(applied, "x", input, element);
  findings.line("y", "x", value_at(applied.input(input), element), "the element is moved, not changed");
  findings.operation.result = value_at(applied.input(input), element);
}

}  // namespace

void explain_move(const Applied& applied, Findings& findings) {
  const std::vector<std::size_t> moved = moved_inputs(applied.operation());
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < applied.operation().inputs.size(); ++i)
    inputs.push_back(applied.has(i) ? applied.input(i) : Tensor());
  std::int64_t numbers = 0;
  for (const std::size_t i : moved) {
    inputs[i] = numbered(inputs[i].shape(), numbers);
    numbers += inputs[i].size();
  }
  const std::optional<std::size_t> fill = input_number(*applied.operation().op, Role::kFill);
  if (fill) {
    inputs.resize(std::max(inputs.size(), *fill + 1));
    inputs[*fill] = Tensor::scalar(std::int64_t{-1});
  }
  const Tensor places = applied.run(inputs, applied.operation().outputs.size())[applied.output_number()];
  std::int64_t number = places.int_at(applied.element());
  findings.section("move");
  if (number < 0 && applied.has(*fill)) return explain_source(applied, findings, *fill, 0);
  if (number < 0) {
    findings.line("y", "", value_at(applied.output(), applied.element()), "what is padded with where nothing is said");
    findings.operation.result = value_at(applied.output(), applied.element());
    return;
  }
  auto input = moved.begin();
  for (; number >= inputs[*input].size(); ++input) number -= inputs[*input].size();
  explain_source(applied, findings, *input, number);
}

void explain_max_pool(const Applied& applied, Findings& findings) {
  Operation pool = applied.operation();
  pool.attributes.erase("storage_order");
  const std::vector<Tensor> results =
      Applied(applied, pool, {applied.input(Role::kX)}).run({applied.input(Role::kX)}, 2);
  const std::int64_t element = results[1].int_at(applied.element());
  findings.section("window");
  if (element < 0) {
    findings.line("y", "", value_at(applied.output(), applied.element()),
                  "the window is empty: the type's lowest value");
    findings.operation.result = value_at(applied.output(), applied.element());
    return;
  }
  findings.read(applied, "x", applied.at(Role::kX), element);
  findings.line("y", "x", value_at(applied.input(Role::kX), element), "the largest of the window, the first of equals");
  findings.operation.result = applied.output_number() == 0 ? value_at(applied.input(Role::kX), element)
                                                           : value_at(applied.output(), applied.element());
}

}  // namespace octet
