#include "octet/simulate/hardware.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/program/resolve.h"
#include "octet/program/value_names.h"
#include "octet/spec/operators.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

// Changes constants of operations. A constant may serve others too, so each change is a new value.
class Changes {
 public:
  explicit Changes(Program& program) : program_(program), names_(new_value_names(program)) {}

  // Null where the input is absent or computed.
  const Tensor* constant(const Operation& operation, Role role) const {
    return find_constant(program_, operation, role);
  }
  const Tensor* constant(ValueId value) const {
    return value == kNoValue || program_.values[value].constant.empty() ? nullptr : &program_.values[value].constant;
  }

  ValueId add_constant(const std::string& wish, Tensor tensor) {
    ProgramValue value{.name = names_.make(wish), .dtype = tensor.dtype(), .shape = symbolic(tensor.shape())};
    value.constant = std::move(tensor);
    program_.values.push_back(std::move(value));
    return program_.values.size() - 1;
  }

  ValueId add_value(const std::string& wish, DType dtype) {
    program_.values.push_back({.name = names_.make(wish), .dtype = dtype});
    return program_.values.size() - 1;
  }

  void set_constant(Operation& operation, Role role, Tensor tensor) {
    set_constant(operation.inputs[*input_number(*operation.op, role)], std::move(tensor));
  }
  void set_constant(ValueId& id, Tensor tensor) {
    id = add_constant(program_.values[id].name + "_changed", std::move(tensor));
  }

 private:
  Program& program_;
  NewNames names_;
};

Tensor filled_like(const Tensor& like, std::int64_t value) {
  Tensor tensor(like.dtype(), like.shape());
  std::ranges::fill(tensor.mutable_bytes(), static_cast<std::byte>(value));
  return tensor;
}

bool halve_scales(Changes& changes, Operation& operation) {
  bool changed = false;
  for (ValueId& input : operation.inputs) {
    const Tensor* scales = changes.constant(input);
    if (!scales || scales->dtype() != DType::kFloat) continue;
    Tensor halves = convert(convert(*scales, DType::kFloat16), DType::kFloat);
    changed |= !std::ranges::equal(halves.as<float>(), scales->as<float>());
    changes.set_constant(input, std::move(halves));
  }
  return changed;
}

bool use_first_scale(Changes& changes, Operation& operation) {
  const Tensor* scales = changes.constant(operation, Role::kWScale);
  if (!scales) return false;
  bool differ = false;
  Tensor first = *scales;
  const std::span<std::byte> bytes = first.mutable_bytes();
  const std::size_t size = bytes.size() / static_cast<std::size_t>(scales->size());
  for (std::int64_t k = 1; k < scales->size(); ++k) {
    differ |= scales->number_at(k) != scales->number_at(0);
    std::copy_n(bytes.begin(), size, bytes.begin() + k * static_cast<std::int64_t>(size));
  }
  changes.set_constant(operation, Role::kWScale, std::move(first));
  return differ;
}

// A step before a convolution that pads, which gives it the padding as bytes `padding`; nothing where there is none.
std::optional<Step> pad_explicitly(Changes& changes, Program& program, Step& step, std::int64_t padding) {
  Operation& convolution = step.operations.front();
  const auto& work = std::get<work::Convolution>(step.work);
  if (!work.window)
    fail(ErrorCode::kUsage, "{}: how much is padded is not known; give the dimensions with --dim", step.name);
  const Window& window = *work.window;
  const auto padded = [](const std::vector<std::int64_t>& pads) {
    return std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; });
  };
  if (!padded(window.pads_begin) && !padded(window.pads_end)) return std::nullopt;
  std::vector<std::int64_t> pads(2, 0);  // nothing along N and C, at either end
  pads.insert(pads.end(), window.pads_begin.begin(), window.pads_begin.end());
  pads.insert(pads.end(), 2, 0);
  pads.insert(pads.end(), window.pads_end.begin(), window.pads_end.end());
  Tensor pads_tensor(DType::kInt64, {static_cast<std::int64_t>(pads.size())});
  std::ranges::copy(pads, pads_tensor.mutable_as<std::int64_t>().begin());
  const std::string name = program.values[work.x].name;
  const DType dtype = program.values[work.x].dtype;
  const ValueId x = work.x;
  const ValueId pads_value = changes.add_constant(name + "_pads", std::move(pads_tensor));
  const ValueId byte = changes.add_constant(name + "_padding", filled_like(Tensor(dtype, {}), padding));
  const ValueId result = changes.add_value(name + "_padded", dtype);
  convolution.inputs[*input_number(*convolution.op, Role::kX)] = result;
  convolution.attributes.erase("auto_pad");
  convolution.attributes.erase("pads");
  return Step{.kind = StepKind::kMove,
              .name = step.name + "_padding",
              .operations = {Operation{&ops::kPad, 21, {}, {x, pads_value, byte}, {result}}},
              .sources = step.sources,
              .reason = "padding that the hardware reads as bytes"};
}

// What there is in a program that a switch could change.
struct Uses {
  bool integers = false, sums = false, pairs = false, requantizes = false;
};

Uses uses_of(const Program& program) {
  Uses uses;
  for (const Step& step : program.steps) {
    if (!is_quantized(step.kind)) continue;
    uses.integers = true;
    const Operation& operation = step.operations.front();
    const ProgramValue* output = find_output(program, operation, Role::kY);
    const DType result = output ? output->dtype : DType::kUndefined;
    uses.requantizes |= step.kind != StepKind::kMove && (result == DType::kInt8 || result == DType::kUint8);
    const work::Sum* sum = sum_of(step.work);
    if (!sum) continue;
    uses.sums = true;
    const ProgramValue* w = find_input(program, operation, Role::kW);
    uses.pairs |= sum->x_type == DType::kUint8 && w && w->dtype == DType::kInt8;
  }
  return uses;
}

bool changes_requantization(const Arithmetic& arithmetic) {
  const Arithmetic exact;
  return arithmetic.stochastic || arithmetic.rounding != exact.rounding || arithmetic.product != exact.product ||
         arithmetic.multiplier_form != exact.multiplier_form || arithmetic.zero_point != exact.zero_point;
}

// Which switches have changed something.
struct Done {
  bool halved = false, first = false, uncorrected = false, padded = false;
};

// Returns a step that must come before it, if there is one.
std::optional<Step> change_step(Changes& changes, Program& program, Step& step, const Hardware& hardware, Done& done) {
  if (!is_quantized(step.kind) || step.kind == StepKind::kMove) return std::nullopt;
  Operation& operation = step.operations.front();
  if (hardware.half_scales) done.halved |= halve_scales(changes, operation);
  const work::Sum* sum = sum_of(step.work);
  if (!sum) return std::nullopt;
  if (hardware.arithmetic.analog.rows > 0 && !changes.constant(operation, Role::kW))
    fail(ErrorCode::kUsage, "{} multiplies what is computed: an analog array holds weights that are known", step.name);
  if (hardware.first_scale_for_all) done.first |= use_first_scale(changes, operation);
  const std::int64_t zero_point = sum->x_zero_point;
  if (zero_point == 0) return std::nullopt;
  if (hardware.uncorrected) {
    changes.set_constant(operation, Role::kXZeroPoint, filled_like(*changes.constant(operation, Role::kXZeroPoint), 0));
    done.uncorrected = true;
  }
  if (step.kind != StepKind::kConvolution || !(hardware.uncorrected || hardware.pads_with_zero_byte))
    return std::nullopt;
  std::optional<Step> before = pad_explicitly(changes, program, step, hardware.pads_with_zero_byte ? 0 : zero_point);
  done.padded |= before.has_value();
  return before;
}

}  // namespace

Program on_hardware(Program program, const Hardware& hardware) {
  validate(hardware.arithmetic);
  const Uses uses = uses_of(program);
  Changes changes(program);
  Done done;
  std::vector<Step> steps;
  for (Step& step : program.steps) {
    if (std::optional<Step> before = change_step(changes, program, step, hardware, done)) steps.push_back(*before);
    steps.push_back(std::move(step));
  }
  program.steps = std::move(steps);
  const auto require = [](bool useful, const char* why) {
    if (!useful) fail(ErrorCode::kUsage, "{}", why);
  };
  require(uses.integers,
          "the program has no integer step to simulate: it is a float model, or none of it could be fused");
  require(uses.sums || hardware.arithmetic.analog.rows == 0, "the program has no sum of products for an analog array");
  require(uses.requantizes || !changes_requantization(hardware.arithmetic),
          "no step requantizes to 8 bits: there is nothing to round or to multiply");
  require(done.halved || !hardware.half_scales, "every scale is a float16 already");
  require(done.first || !hardware.first_scale_for_all,
          "the weights have one scale per tensor: all channels have the first one's");
  require(done.uncorrected || !hardware.uncorrected,
          "no zero point of the activations that is known beforehand differs from 0: there is nothing to correct");
  require(done.padded || !hardware.pads_with_zero_byte,
          "no convolution pads an input whose zero point is not 0: the byte 0 is right");
  require(uses.pairs || !hardware.arithmetic.saturating_pairs,
          "no step multiplies uint8 activations by int8 weights: the instruction that saturates is not used");
  resolve(program);
  return program;
}

}  // namespace octet
