// slice.cc: the meaning of Slice.
//
//   y[i] = x[start + i * step] along every named axis, for as long as start + i * step has not reached `end`
//
// Negative starts and ends count from the end of the axis; both are clamped to it. starts, ends and axes are attributes
// before opset 10 (all steps are 1) and inputs since.
//
//   slice_c1  starts and ends are given, and as many as there are axes and steps.
//   slice_c2  Axes are within [-rank, rank - 1] and named once.
//   slice_c3  No step is 0.
#include <algorithm>
#include <limits>
#include <numeric>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

// What is taken of one axis: `length` elements from `start` on, `step` apart.
struct Cut {
  std::int64_t start = 0, step = 1, length = 0;
};

Cut cut(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  const std::int64_t low = step < 0 ? -1 : 0;  // a walk backwards may end before the first element
  const std::int64_t first = std::clamp(from_start(start, size), std::int64_t{0}, step < 0 ? size - 1 : size);
  const std::int64_t last = std::clamp(from_start(end, size), low, step < 0 ? size - 1 : size);
  const __int128 distance = step < 0 ? first - last : last - first;
  const __int128 stride = step < 0 ? -static_cast<__int128>(step) : step;
  const auto length = distance <= 0 ? 0 : static_cast<std::int64_t>((distance + stride - 1) / stride);
  return {first, step, length};
}

// starts, ends, axes and steps as the call has them; Dims where they are only partly known.
struct Ranges {
  std::vector<Dim> starts, ends;
  std::vector<std::size_t> axes;
  std::vector<std::int64_t> steps;
};

// Exporters write the largest int32 or int64 for "to the end".
bool to_the_end(const Dim& end, const Dim& size) {
  return surely_equal(end, size) || (end.known() && end.value() >= std::numeric_limits<std::int32_t>::max());
}

Dim sliced_dim(const Dim& size, const Dim& start, const Dim& end, std::int64_t step) {
  if (size.known() && start.known() && end.known() && size.value() > 0)
    return cut(size.value(), start.value(), end.value(), step).length;
  if (size.is(0)) return 0;
  const bool forwards = step == 1 && start.is(0) && to_the_end(end, size);
  const bool backwards =
      step == -1 && start.is(-1) && end.known() && end.value() <= -std::numeric_limits<std::int32_t>::max();
  return forwards || backwards ? size : Dim();
}

// The number of ranges is known when either end of them is; absent otherwise.
std::optional<Ranges> ranges(const Inference& i, std::size_t rank) {
  const bool as_input = i.opset() >= 10;
  Ranges r;
  if (as_input) {
    for (std::size_t n = 1; n < 5; ++n)
      if (n < 3 || i.has(n)) require_index_type(i, n, "slice_c1");
    const auto starts = dims_from(i, 1), ends = dims_from(i, 2);
    if (!starts || !ends) return std::nullopt;
    r.starts = *starts;
    r.ends = *ends;
  } else {
    if (!i.attributes().has("starts") || !i.attributes().has("ends"))
      fail_constraint("slice_c1", "starts or ends are not given");
    r.starts = symbolic(i.attributes().get_ints("starts"));
    r.ends = symbolic(i.attributes().get_ints("ends"));
  }
  const IntegerList axes = list_from(i, as_input, 3, "axes"), steps = list_from(i, as_input, 4, "steps");
  if ((axes.given && !axes.values) || (steps.given && !steps.values)) return std::nullopt;
  std::vector<std::int64_t> all(r.starts.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  r.steps = steps.given && as_input ? *steps.values : std::vector<std::int64_t>(r.starts.size(), 1);
  const std::vector<std::int64_t>& named = axes.given ? *axes.values : all;
  if (r.ends.size() != r.starts.size() || named.size() != r.starts.size() || r.steps.size() != r.starts.size())
    fail_constraint("slice_c1", "{} starts, {} ends, {} axes and {} steps", r.starts.size(), r.ends.size(),
                    named.size(), r.steps.size());
  r.axes = normalize_axes(named, rank, "slice_c2");
  if (std::find(r.steps.begin(), r.steps.end(), 0) != r.steps.end()) fail_constraint("slice_c3", "a step is 0");
  return r;
}

// For an integer vector computed from shapes.
void propagate_slice(Inference& i, const Ranges& r) {
  const std::vector<Dim>* elements = i.elements(0);
  if (!elements || i.shape(0).size() != 1) return;
  if (r.axes.empty()) return i.set_elements(0, *elements);
  if (elements->empty() || !r.starts[0].known() || !r.ends[0].known()) return;
  const Cut c = cut(static_cast<std::int64_t>(elements->size()), r.starts[0].value(), r.ends[0].value(), r.steps[0]);
  std::vector<Dim> taken;
  for (std::int64_t k = 0; k < c.length; ++k)
    taken.push_back((*elements)[static_cast<std::size_t>(c.start + k * c.step)]);
  i.set_elements(0, std::move(taken));
}

void infer_slice(Inference& i) {
  i.set_output(0, i.dtype(0), std::nullopt);
  if (!i.has_shape(0)) return;
  SymbolicShape y = i.shape(0);
  const std::optional<Ranges> r = ranges(i, y.size());
  if (!r) return i.set_output(0, i.dtype(0), SymbolicShape(y.size()));
  for (std::size_t k = 0; k < r->axes.size(); ++k)
    y[r->axes[k]] = sliced_dim(y[r->axes[k]], r->starts[k], r->ends[k], r->steps[k]);
  i.set_output(0, i.dtype(0), std::move(y));
  propagate_slice(i, *r);
}

void compute_slice(Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t rank = x.shape().size();
  const bool as_input = call.opset() >= 10;
  const auto list = [&](std::size_t input, const char* attribute) {
    if (!as_input) return call.attributes().get_ints(attribute);
    return call.has(input) ? call.input(input).to_ints() : std::vector<std::int64_t>();
  };
  const std::vector<std::int64_t> starts = list(1, "starts"), ends = list(2, "ends");
  const std::vector<std::size_t> axes = normalize_axes(list(3, "axes"), rank, "slice_c2");
  const bool named = as_input ? call.has(3) : call.attributes().has("axes");
  const bool stepped = as_input && call.has(4);
  View from = {.strides = strides_of(x.shape())};
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t axis = named ? axes[k] : k;
    if (x.shape()[axis] == 0) continue;
    const Cut c =
        cut(x.shape()[axis], starts[k], ends[k], stepped ? call.input(4).int_at(static_cast<std::int64_t>(k)) : 1);
    if (c.length == 0) return;
    from.offset += c.start * from.strides[axis];
    from.strides[axis] = c.length == 1 ? 0 : from.strides[axis] * c.step;  // a lone step may be out of all bounds
  }
  const Shape& shape = call.output_shape(0);
  copy_elements(call.parallel(), shape, x, from, call.output(0), {.strides = strides_of(shape)});
}

}  // namespace

const Operator ops::kSlice = {
    .name = "Slice",
    .versions = {1, 10, 11, 13},
    .formula = "y[i] = x[start + i * step] along every named axis",
    .constraints = {{"slice_c1", "starts and ends are given, and as many as there are axes and steps"},
                    {"slice_c2", "axes are within [-rank, rank - 1] and named once"},
                    {"slice_c3", "no step is 0"}},
    .infer = infer_slice,
    .compute = compute_slice,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
