// tile.cc: the meaning of Tile.
//
//   y[i] = x[i mod length] along every axis, which is repeats[axis] times as long
//
// In opset 1 the inputs are the repeats of a single axis (`tiles`) and that axis, both in x's type.
//
//   tile_c1  repeats is a vector of one number per axis of x, none negative.
//   tile_c2  In opset 1, the axis is within [-rank, rank - 1].
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

// One number per axis, as far as they are known.
std::vector<Dim> repeats(const Inference& i, std::size_t rank) {
  if (i.opset() < 6) {
    const Tensor *tiles = i.constant(1), *axis = i.constant(2);
    if (!tiles || !axis) return std::vector<Dim>(rank);
    if (tiles->size() != 1 || axis->size() != 1) fail_constraint("tile_c1", "tiles or axis is not one number");
    std::vector<Dim> all(rank, 1);
    all[normalize_axis(convert(*axis, DType::kInt64).int_at(0), rank, "tile_c2")] =
        convert(*tiles, DType::kInt64).int_at(0);
    return all;
  }
  require_index_type(i, 1, "tile_c1");
  std::optional<std::vector<Dim>> given = dims_from(i, 1);
  if (!given) return std::vector<Dim>(rank);
  if (given->size() != rank) fail_constraint("tile_c1", "{} repeats for {} axes", given->size(), rank);
  return *std::move(given);
}

void infer_tile(Inference& i) {
  i.set_output(0, i.dtype(0), std::nullopt);
  if (!i.has_shape(0)) return;
  SymbolicShape y = i.shape(0);
  const std::vector<Dim> times = repeats(i, y.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (times[k].known() && times[k].value() < 0)
      fail_constraint("tile_c1", "axis {} is repeated {} times", k, times[k].value());
    y[k] = y[k] * times[k];
  }
  i.set_output(0, i.dtype(0), std::move(y));
}

// Every axis becomes two: one that repeats, standing still in x, and x's own.
void compute_tile(Call& call) {
  if (call.output(0).size() == 0) return;
  const Shape& x = call.input(0).shape();
  const std::vector<std::int64_t> strides = strides_of(x);
  Shape shape;
  View from;
  for (std::size_t k = 0; k < x.size(); ++k) {
    shape.insert(shape.end(), {call.output_shape(0)[k] / x[k], x[k]});
    from.strides.insert(from.strides.end(), {0, strides[k]});
  }
  copy_elements(call.parallel(), shape, call.input(0), from, call.output(0), {.strides = strides_of(shape)});
}

}  // namespace

const Operator ops::kTile = {
    .name = "Tile",
    .versions = {1, 6, 13},
    .formula = "y[i] = x[i mod length] along every axis",
    .constraints = {{"tile_c1", "repeats is a vector of one number per axis of x, none negative"},
                    {"tile_c2", "in opset 1, the axis is within [-rank, rank - 1]"}},
    .infer = infer_tile,
    .compute = compute_tile,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
