// trilu.cc: the meaning of Trilu, of the standard and of com.microsoft.
//
//   upper:   y[..., i, j] = x[..., i, j] where j - i >= k, 0 elsewhere
//   lower:   y[..., i, j] = x[..., i, j] where j - i <= k, 0 elsewhere
//
//   trilu_c1  x has at least two axes.
//   trilu_c2  k is one int64.
#include <utility>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

void infer_trilu(Inference& i) {
  if (i.has_shape(0) && i.shape(0).size() < 2)
    fail_constraint("trilu_c1", "x has shape {}, wanted two axes or more", to_string(i.shape(0)));
  if (i.has(1)) {
    if (i.dtype(1) != DType::kInt64) fail_constraint("trilu_c2", "k is {}, wanted int64", name(i.dtype(1)));
    if (i.constant(1) && i.constant(1)->size() != 1)
      fail_constraint("trilu_c2", "k has {} elements, wanted 1", i.constant(1)->size());
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_trilu(Call& call) {
  const Shape& shape = call.output_shape(0);
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  const bool upper = call.attributes().get_int("upper", 1) != 0;
  const std::int64_t k = call.has(1) ? call.input(1).int_at(0) : 0;
  visit_storage(call.input(0).dtype(), [&]<typename E>() {
    const E* x = stored<E>(call.input(0));
    E* y = mutable_stored<E>(call.output(0));
    for (std::int64_t n = 0; n < call.input(0).size(); ++n) {
      const std::int64_t diagonal = n % columns - n / columns % rows;
      y[n] = (upper ? diagonal >= k : diagonal <= k) ? x[n] : E{};
    }
  });
}

Operator trilu_in(std::string_view domain, std::vector<int> versions) {
  return {
      .name = "Trilu",
      .domain = domain,
      .versions = std::move(versions),
      .formula = "y[..., i, j] = x[..., i, j] where j - i >= k (upper) or <= k (lower), 0 elsewhere",
      .constraints = {{"trilu_c1", "x has at least two axes"}, {"trilu_c2", "k is one int64"}},
      .infer = infer_trilu,
      .compute = compute_trilu,
      .halves = Halves::kAsIs,
  };
}

}  // namespace

const Operator ops::kTrilu = trilu_in("", {14});
const Operator ops::kMicrosoftTrilu = trilu_in("com.microsoft", {1});

}  // namespace octet
