// pad.cc: the meaning of Pad.
//
//   y = x with pads[k] elements added before axis k and pads[rank + k] behind it
//
// Negative pads take elements away, before anything is added. By `mode` an added element is
//
//   constant   the given value, 0 when there is none
//   edge       the nearest element of x
//   reflect    x mirrored at its first and last element, which are not repeated:  d c b | a b c d | c b a
//   wrap       x repeated:  b c d | a b c d | a b c
//
// pads and value are attributes before opset 11 (pads are called `paddings` in opset 1) and inputs since; from opset 18
// a fourth input may name the axes that the pads are for.
//
//   pad_c1  mode is constant, edge, reflect or wrap.
//   pad_c2  There are two pads per axis.
//   pad_c3  No axis becomes shorter than nothing.
//   pad_c4  Without a constant, an axis that grows has an element to start from.
//   pad_c5  The constant has x's type and one element.
//   pad_c6  Axes are within [-rank, rank - 1] and named once.
#include <algorithm>
#include <numeric>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/storage.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

std::string_view pads_attribute(int opset) { return opset < 2 ? "paddings" : "pads"; }

// The pads given for some axes, spread over all.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& pads, const std::vector<std::size_t>& axes,
                                 std::size_t rank) {
  std::vector<std::int64_t> all(2 * rank, 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    all[axes[k]] = pads[k];
    all[rank + axes[k]] = pads[axes.size() + k];
  }
  return all;
}

std::vector<std::size_t> all_axes(std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

// What is left of an axis after negative pads, where it begins, and what is added to it.
struct Extent {
  std::int64_t first, kept, before, behind;

  std::int64_t length() const { return before + kept + behind; }
};

Extent extent(std::int64_t size, std::int64_t before, std::int64_t behind) {
  const std::int64_t first = -std::min<std::int64_t>(before, 0);
  return {.first = first,
          .kept = size - first + std::min<std::int64_t>(behind, 0),
          .before = std::max<std::int64_t>(before, 0),
          .behind = std::max<std::int64_t>(behind, 0)};
}

Dim padded(const Dim& size, std::int64_t before, std::int64_t behind, bool constant, std::size_t axis) {
  const Dim result = size + before + behind;
  if (!result.known() || !size.known()) return result;
  const std::int64_t taken = (Dim(0) - std::min<std::int64_t>(before, 0) - std::min<std::int64_t>(behind, 0)).value();
  if (taken > size.value())
    fail_constraint("pad_c3", "pads {} and {} take more than the {} elements of axis {}", before, behind, size.value(),
                    axis);
  if (!constant && taken == size.value() && result.value() > 0)
    fail_constraint("pad_c4", "axis {} has no element left to pad from", axis);
  return result;
}

// The pads of all axes; absent when they are not known.
std::optional<std::vector<std::int64_t>> known_pads(const Inference& i, std::size_t rank) {
  const IntegerList pads = list_from(i, i.opset() >= 11, 1, pads_attribute(i.opset()));
  if (!pads.given) fail_constraint("pad_c2", "no pads are given");
  std::vector<std::size_t> axes = all_axes(rank);
  if (i.opset() >= 18 && i.has(3)) {
    require_index_type(i, 3, "pad_c6");
    const auto named = known_integers(i, 3);
    if (!named) return std::nullopt;
    axes = normalize_axes(*named, rank, "pad_c6");
  }
  if (!pads.values) return std::nullopt;
  if (pads.values->size() != 2 * axes.size())
    fail_constraint("pad_c2", "{} pads for {} axes", pads.values->size(), axes.size());
  return spread(*pads.values, axes, rank);
}

void infer_pad(Inference& i) {
  const std::string mode = i.attributes().get_string("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
    fail_constraint("pad_c1", "mode is \"{}\", wanted constant, edge, reflect or wrap", mode);
  if (i.opset() >= 11 && i.has(2)) {
    require_same_type(i, 0, 2, "pad_c5");
    if (i.constant(2) && i.constant(2)->size() != 1)
      fail_constraint("pad_c5", "the constant has {} elements, wanted 1", i.constant(2)->size());
  }
  i.set_output(0, i.dtype(0), std::nullopt);
  if (!i.has_shape(0)) return;
  SymbolicShape y = i.shape(0);
  const auto pads = known_pads(i, y.size());
  for (std::size_t k = 0; k < y.size(); ++k)
    y[k] = pads ? padded(y[k], (*pads)[k], (*pads)[y.size() + k], mode == "constant", k) : Dim();
  i.set_output(0, i.dtype(0), std::move(y));
}

// Where every element of a padded axis comes from in x; -1 where it is the constant.
std::vector<std::int64_t> sources(const Extent& e, const std::string& mode) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(e.length()));
  for (std::int64_t k = 0; k < e.length(); ++k) {
    std::int64_t at = k - e.before;
    if (at < 0 || at >= e.kept) {
      if (mode == "edge") {
        at = std::clamp<std::int64_t>(at, 0, e.kept - 1);
      } else if (mode == "wrap") {
        at = (at % e.kept + e.kept) % e.kept;
      } else if (mode == "reflect") {
        const std::int64_t period = std::max<std::int64_t>(2 * (e.kept - 1), 1);
        at = (at % period + period) % period;
        at = std::min(at, period - at);
        if (e.kept == 1) at = 0;
      }
    }
    const bool inside = at >= 0 && at < e.kept;
    result[static_cast<std::size_t>(k)] = inside ? e.first + at : -1;
  }
  return result;
}

Tensor constant_value(const Call& call) {
  const DType dtype = call.input(0).dtype();
  if (call.opset() >= 11) return call.has(2) ? call.input(2) : Tensor(dtype, {});
  return call.attributes().has("value") ? convert(Tensor::scalar(call.attributes().get_float("value", 0)), dtype)
                                        : Tensor(dtype, {});
}

void compute_pad(Call& call) {
  const Tensor& x = call.input(0);
  const Shape& shape = call.output_shape(0);
  const std::size_t rank = shape.size();
  if (call.output(0).size() == 0) return;
  if (rank == 0) return call.set_output(0, x);
  const bool as_input = call.opset() >= 11;
  const std::vector<std::int64_t> pads = spread(
      as_input ? call.input(1).to_ints() : call.attributes().get_ints(pads_attribute(call.opset())),
      call.opset() >= 18 && call.has(3) ? normalize_axes(call.input(3).to_ints(), rank, "pad_c6") : all_axes(rank),
      rank);
  const std::string mode = call.attributes().get_string("mode", "constant");
  const std::vector<std::int64_t> strides = strides_of(x.shape());
  std::vector<std::vector<std::int64_t>> from(rank);
  for (std::size_t k = 0; k < rank; ++k) from[k] = sources(extent(x.shape()[k], pads[k], pads[rank + k]), mode);

  const std::int64_t length = shape.back();
  const Tensor constant = constant_value(call);
  visit_storage(x.dtype(), [&]<typename E>() {
    const E* in = stored<E>(x);
    const E value = *stored<E>(constant);
    E* out = mutable_stored<E>(call.output(0));
    call.parallel().for_each_block(element_count(shape) / length, kElementGrain / length,
                                   [&](std::int64_t begin, std::int64_t end) {
                                     for (std::int64_t row = begin; row < end; ++row) {
                                       std::int64_t rest = row, base = 0;
                                       bool inside = true;
                                       for (std::size_t k = rank - 1; k-- > 0; rest /= shape[k]) {
                                         const std::int64_t at = from[k][static_cast<std::size_t>(rest % shape[k])];
                                         inside = inside && at >= 0;
                                         base += at * strides[k];
                                       }
                                       E* y = out + row * length;
                                       for (std::int64_t k = 0; k < length; ++k) {
                                         const std::int64_t at = inside ? from.back()[static_cast<std::size_t>(k)] : -1;
                                         y[k] = at < 0 ? value : in[base + at];
                                       }
                                     }
                                   });
  });
}

}  // namespace

const Operator ops::kPad = {
    .name = "Pad",
    .versions = {1, 2, 11, 13, 18, 19, 21, 23, 24, 25},
    .turns = {2},
    .formula = "y = x with elements added before and behind every axis",
    .constraints = {{"pad_c1", "mode is constant, edge, reflect or wrap"},
                    {"pad_c2", "there are two pads per axis"},
                    {"pad_c3", "no axis becomes shorter than nothing"},
                    {"pad_c4", "without a constant, an axis that grows has an element to start from"},
                    {"pad_c5", "the constant has x's type and one element"},
                    {"pad_c6", "axes are within [-rank, rank - 1] and named once"}},
    .infer = infer_pad,
    .compute = compute_pad,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved, Role::kNone, Role::kFill},
    .outputs = {Role::kY},
};

}  // namespace octet
