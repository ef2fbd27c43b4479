// tuple_indices.h: the indices of GatherND and ScatterND: tuples that name a slice of x by its leading axes.
//
// The last axis of `indices` holds tuples of q numbers. Behind the first `batch` axes, which x and indices share, a
// tuple (t0, ..., tq-1) names the slice x[batch..., t0, ..., tq-1], of the shape of x's remaining axes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "octet/spec/operator.h"

namespace octet {

// Checks input 1 against input 0: <stem>_c1, indices are int64 or int32; <stem>_c2, 0 <= batch < both ranks and the
// first `batch` axes agree; <stem>_c3, a tuple has at least one number and at most as many as x has axes behind the
// batch; <stem>_c4, every number is within [-length, length - 1] of its axis. Returns the shape of all slices together,
// the shape of indices without its last axis followed by that of one slice, as far as it is known.
std::optional<SymbolicShape> check_tuple_indices(const Inference& i, std::int64_t batch, std::string_view stem);

// For every tuple, in order: the position in input 0 at which its slice begins.
std::vector<std::int64_t> slice_positions(const Call& call, std::int64_t batch);

// The number of elements of one slice.
std::int64_t slice_size(const Call& call, std::int64_t batch);

}  // namespace octet
