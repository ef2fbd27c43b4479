#include "octet/spec/support/scatter.h"

#include <algorithm>
#include <string>

#include "octet/spec/check.h"
#include "octet/spec/support/storage.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

template <typename T, typename F>
void update(Tensor& result, const Tensor& updates, std::span<const std::int64_t> positions, std::int64_t size, F f) {
  T* y = result.mutable_as<T>().data();
  const T* u = updates.as<T>().data();
  for (const std::int64_t position : positions)
    for (std::int64_t k = 0; k < size; ++k, ++u) y[position + k] = f(y[position + k], *u);
}

}  // namespace

void check_reduction(const Inference& i, std::string_view label) {
  const std::string reduction = i.attributes().get_string("reduction", "none");
  if (reduction == "none") return;
  if (reduction != "add" && reduction != "mul" && reduction != "max" && reduction != "min")
    fail_constraint(label, "reduction is \"{}\", wanted none, add, mul, max or min", reduction);
  require_type(i, 0, TypeKind::kNumeric, label);
}

void scatter(Call& call, std::span<const std::int64_t> positions, std::int64_t size) {
  Tensor result = call.input(0);
  const Tensor& updates = call.input(2);
  const std::string reduction = call.attributes().get_string("reduction", "none");
  if (reduction == "none") {
    visit_storage(result.dtype(), [&]<typename E>() {
      E* y = mutable_stored<E>(result);
      const E* u = stored<E>(updates);
      for (std::size_t n = 0; n < positions.size(); ++n, u += size) std::copy_n(u, size, y + positions[n]);
    });
  } else {
    visit_numeric(result.dtype(), [&]<typename T>() {
      if (reduction == "add") update<T>(result, updates, positions, size, wrapping_add<T>);
      if (reduction == "mul") update<T>(result, updates, positions, size, wrapping_multiply<T>);
      if (reduction == "max") update<T>(result, updates, positions, size, [](T a, T b) { return std::max(a, b); });
      if (reduction == "min") update<T>(result, updates, positions, size, [](T a, T b) { return std::min(a, b); });
    });
  }
  call.set_output(0, std::move(result));
}

}  // namespace octet
