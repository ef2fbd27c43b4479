// clip.cc: the meaning of Clip.
//
//   y = min(max(x, low), high)
//
// The bounds are attributes before opset 11 and inputs since; an absent one is the least or greatest finite value of
// the type. Where low > high, y is high. NaN stays NaN.
//
//   clip_c1  x is floating point or, since opset 11, an integer of 8 to 64 bits.
//   clip_c2  min and max are of x's type and have one element.
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/clip_bounds.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void infer_clip(Inference& i) {
  infer_unary(i, i.opset() < 11 ? TypeKind::kFloat : TypeKind::kNumeric, "clip_c1");
  if (i.opset() < 11) return;
  for (std::size_t bound : {1U, 2U}) {
    if (!i.has(bound)) continue;
    require_same_type(i, 0, bound, "clip_c2");
    if (!i.has_shape(bound)) continue;
    Dim count = 1;
    for (const Dim& dim : i.shape(bound)) count = count * dim;
    if (surely_different(count, 1))
      fail_constraint("clip_c2", "input {} has shape {}, wanted one element", bound, to_string(i.shape(bound)));
  }
}

template <typename T>
T value_of(const Call& call, const ClipBound& bound, T otherwise) {
  if (bound.attribute) return static_cast<T>(*bound.attribute);
  return bound.input ? call.input(*bound.input).as<T>()[0] : otherwise;
}

void compute_clip(Call& call) {
  const auto bounds = clip_bounds(call.attributes(), call.opset(), [&](std::size_t i) { return call.has(i); });
  visit_numeric(call.input(0).dtype(), [&]<typename T>() {
    const T low = value_of(call, bounds[0], std::numeric_limits<T>::lowest());
    const T high = value_of(call, bounds[1], std::numeric_limits<T>::max());
    map_elements<T, T>(call, [=](T x) {
      const T raised = x < low ? low : x;
      return raised > high ? high : raised;
    });
  });
}

}  // namespace

const Operator ops::kClip = {
    .name = "Clip",
    .versions = {1, 6, 11, 12, 13},
    .formula = "y = min(max(x, low), high)",
    .constraints = {{"clip_c1", "x is floating point or, since opset 11, an integer of 8 to 64 bits"},
                    {"clip_c2", "min and max are of x's type and have one element"}},
    .infer = infer_clip,
    .compute = compute_clip,
    .inputs = {Role::kX, Role::kLow, Role::kHigh},
    .outputs = {Role::kY},
    .on_elements = true,
    .traits = {Trait::kClamp, Trait::kFunction},
};

}  // namespace octet
