// tensor_scatter.cc: the meaning of TensorScatter.
//
//   present_cache = past_cache, but present_cache[b, .., w(b) + k, ..] = update[b, .., k, ..] along axis
//
// w(b) is write_indices[b], or 0; mode = "circular" takes w(b) + k modulo the length of the cache.
//
//   tensor_scatter_c1  past_cache and update have one type, and one shape but for axis, along which update is not longer.
//   tensor_scatter_c2  axis, -2 unless said, is within the rank and not the first.
//   tensor_scatter_c3  mode is "linear" or "circular"; write_indices is int64, [batch], none negative, and in linear mode the
//                      update fits behind each.
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

std::size_t cache_axis(const Attributes& attributes, std::size_t rank) {
  const std::size_t axis = normalize_axis(attributes.get_int("axis", -2), rank, "tensor_scatter_c2");
  if (axis == 0) fail_constraint("tensor_scatter_c2", "axis is the first of {}, wanted another", rank);
  return axis;
}

bool is_circular(const Attributes& attributes) {
  const std::string mode = attributes.get_string("mode", "linear");
  if (mode != "linear" && mode != "circular")
    fail_constraint("tensor_scatter_c3", "mode is \"{}\", wanted \"linear\" or \"circular\"", mode);
  return mode == "circular";
}

void require_write_indices(const Inference& i, bool circular) {
  const SymbolicShape &cache = i.shape(0), &update = i.shape(1);
  const std::size_t axis = cache_axis(i.attributes(), cache.size());
  const Tensor* indices = i.constant(2);
  if (indices == nullptr) return;
  for (const std::int64_t index : indices->to_ints()) {
    const bool known = cache[axis].known() && update[axis].known();
    if (index < 0 || (!circular && known && index > cache[axis].value() - update[axis].value()))
      fail_constraint("tensor_scatter_c3", "write index {}, wanted room for {} of {} behind it", index,
                      to_string(update[axis]), to_string(cache[axis]));
  }
}

void infer_tensor_scatter(Inference& i) {
  require_same_type(i, 1, 0, "tensor_scatter_c1");
  const bool circular = is_circular(i.attributes());
  if (i.has(2) && i.dtype(2) != DType::kInt64)
    fail_constraint("tensor_scatter_c3", "write_indices is {}, wanted int64", name(i.dtype(2)));
  i.set_output(0, i.dtype(0), i.input(0).shape);
  if (!i.has_shape(0)) return;
  const SymbolicShape& cache = i.shape(0);
  const std::size_t axis = cache_axis(i.attributes(), cache.size());
  require_shape(i, 2, {cache[0]}, "tensor_scatter_c3");
  if (!i.has_shape(1)) return;
  const SymbolicShape& update = i.shape(1);
  bool fits = update.size() == cache.size();
  for (std::size_t d = 0; fits && d < cache.size(); ++d)
    fits = d == axis ? !cache[d].known() || !update[d].known() || update[d].value() <= cache[d].value()
                     : !surely_different(cache[d], update[d]);
  if (!fits)
    fail_constraint("tensor_scatter_c1", "update is {}, wanted the shape of {}, but for axis {}", to_string(update),
                    to_string(cache), axis);
  require_write_indices(i, circular);
}

void compute_tensor_scatter(Call& call) {
  const Tensor &past = call.input(0), &update = call.input(1);
  Tensor present = past;
  const Shape& shape = past.shape();
  const std::size_t axis = cache_axis(call.attributes(), shape.size());
  const std::int64_t length = shape[axis], count = update.shape()[axis];
  const std::vector<std::int64_t> to = strides_of(shape), from = strides_of(update.shape());
  for (std::int64_t b = 0; b < (update.size() == 0 ? 0 : shape[0]); ++b) {
    std::int64_t at = call.has(2) ? call.input(2).int_at(b) % length : 0;
    for (std::int64_t done = 0; done < count;) {
      Shape part = update.shape();
      part[0] = 1;
      part[axis] = std::min(count - done, length - at);
      copy_elements(call.parallel(), part, update, {b * from[0] + done * from[axis], from}, present,
                    {b * to[0] + at * to[axis], to});
      done += part[axis];
      at = 0;
    }
  }
  call.set_output(0, std::move(present));
}

}  // namespace

const Operator ops::kTensorScatter = {
    .name = "TensorScatter",
    .versions = {24},
    .formula = "present_cache = past_cache with update written from write_indices[b] on, along axis",
    .constraints =
        {{"tensor_scatter_c1",
          "past_cache and update have one type, and one shape but for axis, along which update is not longer"},
         {"tensor_scatter_c2", "axis, -2 unless said, is within the rank and not the first"},
         {"tensor_scatter_c3",
          "mode is \"linear\" or \"circular\"; write_indices is int64, [batch], none negative, and in linear "
          "mode the update fits behind each"}},
    .infer = infer_tensor_scatter,
    .compute = compute_tensor_scatter,
    .halves = Halves::kAsIs,
};

}  // namespace octet
