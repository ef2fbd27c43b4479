// affine_grid.cc: the meaning of AffineGrid.
//
//   grid[n, o..., :] = theta[n] * [x, y, 1]        [x, y, z, 1] of three spatial axes
//
// size is [N, C, H, W] or [N, C, D, H, W]. x runs from -1 to 1 along W: the middles of the outer elements with
// align_corners = 1 (-1 for an only one), else the middles of W pieces of that range; y along H, z along D. In the type
// of theta (float32 for the half types).
//
//   affine_grid_c1  theta is floating point, [N, 2, 3] or [N, 3, 4].
//   affine_grid_c2  size is int64, [4] or [5] to fit theta, with theta's N, none negative.
#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void require_theta(const Inference& i, std::size_t spatial) {
  const auto axes = static_cast<std::int64_t>(spatial);
  require_shape(i, 0, {Dim(), axes, axes + 1}, "affine_grid_c1");
}

void infer_affine_grid(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "affine_grid_c1");
  require_rank(i, 0, 3, "affine_grid_c1");
  if (i.dtype(1) != DType::kInt64) fail_constraint("affine_grid_c2", "size is {}, wanted int64", name(i.dtype(1)));
  const std::optional<std::vector<Dim>> size = dims_from(i, 1);
  if (!size) return i.set_output(0, i.dtype(0), std::nullopt);
  if (size->size() != 4 && size->size() != 5)
    fail_constraint("affine_grid_c2", "size has {} numbers, wanted 4 or 5", size->size());
  if (std::ranges::any_of(*size, [](const Dim& d) { return d.known() && d.value() < 0; }))
    fail_constraint("affine_grid_c2", "size is {}", to_string(*size));
  require_theta(i, size->size() - 2);
  if (i.has_shape(0) && surely_different(i.shape(0)[0], size->front()))
    fail_constraint("affine_grid_c2", "size is of {} images, theta of {}", to_string(size->front()),
                    to_string(i.shape(0)[0]));
  SymbolicShape grid = {size->front()};
  grid.insert(grid.end(), size->begin() + 2, size->end());
  grid.emplace_back(static_cast<std::int64_t>(size->size()) - 2);
  i.set_output(0, i.dtype(0), std::move(grid));
}

template <typename T>
T coordinate(std::int64_t index, std::int64_t length, bool align_corners) {
  if (align_corners) return length == 1 ? T(-1) : T(2) * static_cast<T>(index) / static_cast<T>(length - 1) - 1;
  return (T(2) * static_cast<T>(index) + 1) / static_cast<T>(length) - 1;
}

template <typename T>
void affine_grid_as(Call& call) {
  const Shape& grid = call.output_shape(0);
  const auto axes = static_cast<std::size_t>(grid.back());
  const bool align_corners = call.attributes().get_int("align_corners", 0) != 0;
  const std::int64_t places = element_count(std::span(grid).subspan(1, axes));
  T* to = call.output(0).mutable_as<T>().data();
  call.parallel().for_each_block(grid[0] * places, 256, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> position(axes + 1, T(1));  // the last axis first, and 1
    for (std::int64_t place = begin; place < end; ++place) {
      std::int64_t rest = place;
      for (std::size_t k = 0; k < axes; ++k) {
        const std::int64_t length = grid[axes - k];
        position[k] = coordinate<T>(rest % length, length, align_corners);
        rest /= length;
      }
      const T* theta = call.input(0).as<T>().data() + rest * static_cast<std::int64_t>(axes * (axes + 1));
      for (std::size_t row = 0; row < axes; ++row) {
        T sum = 0;
        for (std::size_t k = 0; k <= axes; ++k) sum += theta[row * (axes + 1) + k] * position[k];
        to[place * grid.back() + static_cast<std::int64_t>(row)] = sum;
      }
    }
  });
}

}  // namespace

const Operator ops::kAffineGrid = {
    .name = "AffineGrid",
    .versions = {20},
    .formula = "grid[n,o,:] = theta[n] * [x, y, 1], x and y running from -1 to 1",
    .constraints = {{"affine_grid_c1", "theta is floating point, [N, 2, 3] or [N, 3, 4]"},
                    {"affine_grid_c2", "size is int64, [4] or [5] to fit theta, with theta's N, none negative"}},
    .infer = infer_affine_grid,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { affine_grid_as<T>(call); }); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
