#include "octet/spec/quantized/qlinear_where.h"

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/broadcast_runs.h"

namespace octet {
namespace {

struct QLinearWhereInput {
  enum Index : std::size_t { kCondition, kX, kXScale, kXZeroPoint, kY, kYScale, kYZeroPoint, kZScale, kZZeroPoint };
};

void infer_qlinear_where(Inference& i) {
  using enum QLinearWhereInput::Index;
  i.input(kCondition);
  require_dtype(i, kCondition, DType::kBool, "qlinear_where_c1");
  require_8bit(i, kX, "qlinear_where_c1");
  const DType dtype = i.dtype(kX);
  i.input(kY);
  require_dtype(i, kY, dtype, "qlinear_where_c1");
  for (const std::size_t scale : {kXScale, kYScale, kZScale})
    require_quantization(i, dtype, scale, scale + 1, {"qlinear_where_c1", "qlinear_where_c2"});
  std::optional<SymbolicShape> z = SymbolicShape{};
  for (const std::size_t operand : {kCondition, kX, kY}) {
    if (!i.has_shape(operand)) return i.set_output(0, dtype, std::nullopt);
    z = broadcast(*z, i.shape(operand));
    if (!z)
      fail_constraint("qlinear_where_c3", "condition is {}, X {}, Y {}: they don't broadcast",
                      to_string(i.shape(kCondition)), to_string(i.shape(kX)), to_string(i.shape(kY)));
  }
  i.set_output(0, dtype, z);
}

void compute_qlinear_where(Call& call) {
  using enum QLinearWhereInput::Index;
  const Quantization z = quantization_at(call, kZScale, kZZeroPoint);
  const auto table_of = [&](std::size_t scale, std::size_t zero_point) {
    return rescaling_table(call.output_dtype(0), quantization_at(call, scale, zero_point), z, call.arithmetic());
  };
  const LookupTable x_table = table_of(kXScale, kXZeroPoint), y_table = table_of(kYScale, kYZeroPoint);
  const std::span<const bool> condition = call.input(kCondition).as<bool>();
  const std::span<const std::byte> x = call.input(kX).bytes(), y = call.input(kY).bytes();
  const std::span<std::byte> to = call.output(0).mutable_bytes();
  const BroadcastRuns runs({call.input(kCondition).shape(), call.input(kX).shape(), call.input(kY).shape()},
                           call.output_shape(0));
  const auto index = [&](const BroadcastRuns::Run& run, std::size_t operand, std::int64_t k) {
    return static_cast<std::size_t>(run.inputs[operand] + (runs.moves(operand) ? k : 0));
  };
  runs.for_each(call.parallel(), [&](const BroadcastRuns::Run& run) {
    for (std::int64_t k = 0; k < run.count; ++k) {
      const std::uint8_t chosen = condition[index(run, 0, k)] ? x_table[static_cast<std::size_t>(x[index(run, 1, k)])]
                                                              : y_table[static_cast<std::size_t>(y[index(run, 2, k)])];
      to[static_cast<std::size_t>(run.output + k)] = static_cast<std::byte>(chosen);
    }
  });
}

}  // namespace

const Operator ops::kQLinearWhere = {
    .name = "QLinearWhere",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "Z = QuantizeLinear(condition ? DequantizeLinear(X) : DequantizeLinear(Y)); an operand with Z's scale "
        "and zero point is copied",
    .constraints = {{"qlinear_where_c1",
                     "condition is bool; X, Y and Z are all int8 or all uint8, so are the zero "
                     "points; the scales are float32"},
                    {"qlinear_where_c2", "each scale and zero point has one element"},
                    {"qlinear_where_c3", "condition, X and Y broadcast"}},
    .infer = infer_qlinear_where,
    .compute = compute_qlinear_where,
    .inputs = {Role::kCondition, Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kW, Role::kWScale, Role::kWZeroPoint,
               Role::kYScale, Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kConcatenation,
    .float_form = &ops::kWhere,
};

}  // namespace octet
