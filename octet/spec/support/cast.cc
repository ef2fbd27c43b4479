#include "octet/spec/support/cast.h"

#include <array>
#include <string>
#include <utility>

#include "octet/spec/check.h"

namespace octet {
namespace {

bool converts(DType dtype) {
  return is_float(dtype) || is_integer(dtype) || is_minifloat(dtype) || dtype == DType::kBool;
}

constexpr std::array<std::pair<std::string_view, PowerRounding>, 3> kRoundModes = {
    {{"up", PowerRounding::kUp}, {"down", PowerRounding::kDown}, {"nearest", PowerRounding::kNearest}}};

PowerRounding round_mode(const Attributes& attributes) {
  const std::string mode = attributes.get_string("round_mode", "up");
  for (const auto& [name, rounding] : kRoundModes)
    if (name == mode) return rounding;
  fail_constraint("cast_c2", "round_mode is {}, wanted up, down or nearest", mode);
}

bool is_index(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

}  // namespace

void infer_cast(Inference& i, DType to) {
  const DType from = i.dtype(0);
  if (!converts(from) || !converts(to))
    fail(ErrorCode::kUnsupported, "{} to {} is not a conversion that Octet computes", name(from), name(to));
  round_mode(i.attributes());
  i.set_output(0, to, i.input(0).shape);
  const std::vector<Dim>* elements = i.elements(0);
  if (!elements || !is_index(from) || !is_index(to)) return;
  std::vector<Dim> converted = *elements;
  const IntegerRange range = integer_range(to);
  for (Dim& dim : converted)
    if (dim.known() && (dim.value() < range.min || dim.value() > range.max)) dim = Dim();
  i.set_elements(0, std::move(converted));
}

void compute_cast(Call& call) {
  const MinifloatRounding rounding{.saturate = call.attributes().get_int("saturate", 1) != 0,
                                   .powers = round_mode(call.attributes())};
  call.set_output(0, convert(call.input(0), call.output_dtype(0), rounding));
}

}  // namespace octet
