#include "octet/spec/support/cast.h"

#include "octet/spec/check.h"

namespace octet {
namespace {

bool converts(DType dtype) { return is_float(dtype) || is_integer(dtype) || dtype == DType::kBool; }

bool is_index(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

}  // namespace

void infer_cast(Inference& i, DType to) {
  const DType from = i.dtype(0);
  if (!converts(from) || !converts(to))
    fail(ErrorCode::kUnsupported, "{} to {} is not a conversion that Octet computes", name(from), name(to));
  i.set_output(0, to, i.input(0).shape);
  const std::vector<Dim>* elements = i.elements(0);
  if (!elements || !is_index(from) || !is_index(to)) return;
  std::vector<Dim> converted = *elements;
  const IntegerRange range = integer_range(to);
  for (Dim& dim : converted)
    if (dim.known() && (dim.value() < range.min || dim.value() > range.max)) dim = Dim();
  i.set_elements(0, std::move(converted));
}

void compute_cast(Call& call) { call.set_output(0, convert(call.input(0), call.output_dtype(0))); }

}  // namespace octet
