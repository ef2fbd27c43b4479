// where.cc: the meaning of Where.
//
//   y = condition ? a : b, with broadcasting
//
//   where_c1  condition is bool, a and b are of one type.
//   where_c2  The shapes broadcast.
#include <algorithm>

#include "octet/base/vectorize.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/broadcast_runs.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/storage.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

// For integer scalars and vectors computed from shapes: the selected elements, if the condition is known.
void choose_elements(Inference& i) {
  const std::vector<Dim>* a = i.elements(1);
  const std::vector<Dim>* b = i.elements(2);
  if (!a || !b || !i.has_shape(0) || i.shape(0).size() > 1) return;
  const std::optional<std::vector<Dim>> condition = dims_from(i, 0);
  if (!condition) return;
  std::size_t count = 1;
  for (const std::vector<Dim>* part : {&*condition, a, b})
    if (part->size() != 1) count = part->size();
  for (const std::vector<Dim>* part : {&*condition, a, b})
    if (part->size() != 1 && part->size() != count) return;
  const auto at = [](const std::vector<Dim>& part, std::size_t k) { return part[part.size() == 1 ? 0 : k]; };
  std::vector<Dim> chosen(count);
  for (std::size_t k = 0; k < count; ++k)
    if (const Dim chooses = at(*condition, k); chooses.known()) chosen[k] = at(chooses.is(0) ? *b : *a, k);
  i.set_elements(0, std::move(chosen));
}

void infer_where(Inference& i) {
  require_type(i, 0, TypeKind::kBool, "where_c1");
  require_same_type(i, 1, 2, "where_c1");
  std::optional<SymbolicShape> shape = i.input(0).shape;
  for (std::size_t k : {1U, 2U}) {
    if (!shape || !i.has_shape(k)) {
      shape.reset();
      break;
    }
    std::optional<SymbolicShape> joined = broadcast(*shape, i.shape(k));
    if (!joined)
      fail_constraint("where_c2", "input {} of shape {} does not broadcast with {}", k, to_string(i.shape(k)),
                      to_string(*shape));
    shape = std::move(joined);
  }
  i.set_output(0, i.dtype(1), std::move(shape));
  choose_elements(i);
}

// An element that one word holds by a mask of its bits: without a branch, so that the loops vectorize.
template <typename E>
E chosen(bool condition, const E& a, const E& b) {
  if constexpr (requires { a.bits | b.bits; }) {
    using Word = decltype(a.bits);
    const auto mask = static_cast<Word>(Word(0) - static_cast<Word>(condition));
    return {static_cast<Word>((a.bits & mask) | (b.bits & static_cast<Word>(~mask)))};
  } else {
    return condition ? a : b;
  }
}

// y[k] = conditions[k] ? a[k] : b[k], where an operand that does not move is one element. Both are read whatever the condition
// is, so that the loops vectorize.
template <typename E>
void choose(const bool* conditions, const E* a, bool a_moves, const E* b, bool b_moves, E* y, std::int64_t count) {
  const auto choose_from = [=](auto a_at, auto b_at) {
    vectorized([=] {
      for (std::int64_t k = 0; k < count; ++k) y[k] = chosen(conditions[k], a_at(k), b_at(k));
    });
  };
  const auto moving = [](const E* from) { return [=](std::int64_t k) { return from[k]; }; };
  const auto standing = [](const E* from) { return [element = *from](std::int64_t) { return element; }; };
  if (a_moves && b_moves)
    choose_from(moving(a), moving(b));
  else if (a_moves)
    choose_from(moving(a), standing(b));
  else if (b_moves)
    choose_from(standing(a), moving(b));
  else
    choose_from(standing(a), standing(b));
}

void compute_where(Call& call) {
  const BroadcastRuns runs({call.input(0).shape(), call.input(1).shape(), call.input(2).shape()}, call.output_shape(0));
  const bool* const conditions = call.input(0).as<bool>().data();
  visit_storage(call.input(1).dtype(), [&]<typename E>() {
    const E* const as = stored<E>(call.input(1));
    const E* const bs = stored<E>(call.input(2));
    E* const ys = mutable_stored<E>(call.output(0));
    runs.for_each(call.parallel(), [&](const BroadcastRuns::Run& run) {
      const bool* condition = conditions + run.inputs[0];
      const E *a = as + run.inputs[1], *b = bs + run.inputs[2];
      E* y = ys + run.output;
      if (runs.moves(0)) return choose(condition, a, runs.moves(1), b, runs.moves(2), y, run.count);
      const E* chosen = *condition ? a : b;
      if (runs.moves(*condition ? 1 : 2))
        std::copy_n(chosen, run.count, y);
      else
        std::fill_n(y, run.count, *chosen);
    });
  });
}

}  // namespace

const Operator ops::kWhere = {
    .name = "Where",
    .versions = {9, 16},
    .formula = "y = condition ? a : b",
    .constraints = {{"where_c1", "condition is bool, a and b are of one type"}, {"where_c2", "the shapes broadcast"}},
    .infer = infer_where,
    .compute = compute_where,
    .halves = Halves::kAsIs,
    .on_elements = true,
};

}  // namespace octet
