#include "octet/simulate/hardware.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/program/support/build.h"
#include "octet/program/support/sum_layout.h"
#include "octet/spec/registry.h"
#include "octet/spec/support/convolution_shape.h"

namespace octet {
namespace {

// Changes constants of operations. A constant may serve others too, so each change is a new value.
class Changes {
 public:
  explicit Changes(Program& program) : program_(program) {}

  // Null where the input is absent or computed.
  const Tensor* constant(const Operation& operation, int input) const {
    if (input < 0 || static_cast<std::size_t>(input) >= operation.inputs.size()) return nullptr;
    const ValueId id = operation.inputs[static_cast<std::size_t>(input)];
    return id == kNoValue || program_.values[id].constant.empty() ? nullptr : &program_.values[id].constant;
  }

  ValueId add_constant(const std::string& wish, Tensor tensor) {
    ProgramValue value{.name = new_name(wish), .dtype = tensor.dtype(), .shape = symbolic(tensor.shape())};
    value.constant = std::move(tensor);
    program_.values.push_back(std::move(value));
    return program_.values.size() - 1;
  }

  ValueId add_value(const std::string& wish, DType dtype) {
    program_.values.push_back({.name = new_name(wish), .dtype = dtype});
    return program_.values.size() - 1;
  }

  void set_constant(Operation& operation, int input, Tensor tensor) {
    ValueId& id = operation.inputs[static_cast<std::size_t>(input)];
    id = add_constant(program_.values[id].name + "_changed", std::move(tensor));
  }

 private:
  std::string new_name(const std::string& wish) {
    std::string name = wish;
    for (int k = 2; find_value(program_, name); ++k) name = fmt::format("{}_{}", wish, k);
    return name;
  }

  Program& program_;
};

Tensor filled_like(const Tensor& like, std::int64_t value) {
  Tensor tensor(like.dtype(), like.shape());
  std::ranges::fill(tensor.mutable_bytes(), static_cast<std::byte>(value));
  return tensor;
}

bool halve_scales(Changes& changes, Operation& operation) {
  bool changed = false;
  for (int input = 0; static_cast<std::size_t>(input) < operation.inputs.size(); ++input) {
    const Tensor* scales = changes.constant(operation, input);
    if (!scales || scales->dtype() != DType::kFloat) continue;
    Tensor halves = convert(convert(*scales, DType::kFloat16), DType::kFloat);
    changed |= !std::ranges::equal(halves.as<float>(), scales->as<float>());
    changes.set_constant(operation, input, std::move(halves));
  }
  return changed;
}

bool use_first_scale(Changes& changes, Operation& operation, const SumLayout& layout) {
  const Tensor* scales = changes.constant(operation, layout.w_scale);
  if (!scales) return false;
  bool differ = false;
  Tensor first = *scales;
  const std::span<std::byte> bytes = first.mutable_bytes();
  const std::size_t size = bytes.size() / static_cast<std::size_t>(scales->size());
  for (std::int64_t k = 1; k < scales->size(); ++k) {
    differ |= scales->number_at(k) != scales->number_at(0);
    std::copy_n(bytes.begin(), size, bytes.begin() + k * static_cast<std::int64_t>(size));
  }
  changes.set_constant(operation, layout.w_scale, std::move(first));
  return differ;
}

bool is_unknown_padding(const Attributes& attributes, const std::optional<SymbolicShape>& x) {
  const bool same = attributes.get_string("auto_pad", "NOTSET").starts_with("SAME");
  return same && (!x || std::any_of(x->begin() + 2, x->end(), [](const Dim& dim) { return !dim.known(); }));
}

// Gives a convolution that pads a Pad of its own, with the byte `padding`. Returns whether there is padding.
bool pad_explicitly(Changes& changes, Program& program, Step& step, std::int64_t padding) {
  Operation& convolution = step.operations.front();
  const SumLayout& layout = *find_sum_layout(convolution.op->name);
  const ValueId x = convolution.inputs[static_cast<std::size_t>(layout.x)];
  const ValueId w = convolution.inputs[static_cast<std::size_t>(layout.w)];
  const ConvolutionShape shape =
      resolve_convolution(convolution.attributes, program.values[x].shape, program.values[w].shape, {"", ""});
  if (!shape.window || is_unknown_padding(convolution.attributes, program.values[x].shape))
    fail(ErrorCode::kUsage, "{}: how much is padded is not known; give the dimensions with --dim", step.name);
  const Window& window = *shape.window;
  const auto padded = [](const std::vector<std::int64_t>& pads) {
    return std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; });
  };
  if (!padded(window.pads_begin) && !padded(window.pads_end)) return false;
  std::vector<std::int64_t> pads(2, 0);  // nothing along N and C, at either end
  pads.insert(pads.end(), window.pads_begin.begin(), window.pads_begin.end());
  pads.insert(pads.end(), 2, 0);
  pads.insert(pads.end(), window.pads_end.begin(), window.pads_end.end());
  Tensor pads_tensor(DType::kInt64, {static_cast<std::int64_t>(pads.size())});
  std::ranges::copy(pads, pads_tensor.mutable_as<std::int64_t>().begin());
  const std::string name = program.values[x].name;
  const DType dtype = program.values[x].dtype;
  const ValueId pads_value = changes.add_constant(name + "_pads", std::move(pads_tensor));
  const ValueId byte = changes.add_constant(name + "_padding", filled_like(Tensor(dtype, {}), padding));
  const ValueId result = changes.add_value(name + "_padded", dtype);
  convolution.inputs[static_cast<std::size_t>(layout.x)] = result;
  convolution.attributes.erase("auto_pad");
  convolution.attributes.erase("pads");
  step.operations.insert(step.operations.begin(),
                         Operation{find_operator("", "Pad"), 21, {}, {x, pads_value, byte}, {result}});
  return true;
}

// x's zero point as the sum takes it; nothing where it is computed.
std::optional<std::int64_t> x_zero_point(const Changes& changes, const Operation& operation, const SumLayout& layout) {
  const Tensor* zero_point = changes.constant(operation, layout.x_zero_point);
  return zero_point && zero_point->size() == 1 ? std::optional(zero_point->int_at(0)) : std::nullopt;
}

// What there is in a program that a switch could change.
struct Uses {
  bool integers = false, sums = false, pairs = false, requantizes = false;
};

Uses uses_of(const Program& program) {
  Uses uses;
  for (const Step& step : program.steps) {
    if (!is_integer(step.kind)) continue;
    uses.integers = true;
    const Operation& operation = step.operations.front();
    const DType result = program.values[operation.outputs[0]].dtype;
    uses.requantizes |= step.kind != StepKind::kMove && (result == DType::kInt8 || result == DType::kUint8);
    const SumLayout* layout = find_sum_layout(operation.op->name);
    if (!layout) continue;
    uses.sums = true;
    const auto dtype = [&](int input) {
      return program.values[operation.inputs[static_cast<std::size_t>(input)]].dtype;
    };
    uses.pairs |= dtype(layout->x) == DType::kUint8 && dtype(layout->w) == DType::kInt8;
  }
  return uses;
}

bool changes_requantization(const Arithmetic& arithmetic) {
  const Arithmetic exact;
  return arithmetic.stochastic || arithmetic.rounding != exact.rounding || arithmetic.product != exact.product ||
         arithmetic.multiplier_form != exact.multiplier_form || arithmetic.zero_point != exact.zero_point;
}

}  // namespace

Program on_hardware(Program program, const Hardware& hardware) {
  validate(hardware.arithmetic);
  const Uses uses = uses_of(program);
  Changes changes(program);
  bool halved = false, first = false, uncorrected = false, padded = false;
  for (Step& step : program.steps) {
    if (!is_integer(step.kind) || step.kind == StepKind::kMove) continue;
    Operation& operation = step.operations.front();
    if (hardware.half_scales) halved |= halve_scales(changes, operation);
    const SumLayout* layout = find_sum_layout(operation.op->name);
    if (!layout) continue;
    if (hardware.arithmetic.analog.rows > 0 && !changes.constant(operation, layout->w))
      fail(ErrorCode::kUsage, "{} multiplies what is computed: an analog array holds weights that are known",
           step.name);
    if (hardware.first_scale_for_all) first |= use_first_scale(changes, operation, *layout);
    const std::int64_t zero_point = x_zero_point(changes, operation, *layout).value_or(0);
    if (zero_point == 0) continue;
    if (hardware.uncorrected) {
      changes.set_constant(operation, layout->x_zero_point,
                           filled_like(*changes.constant(operation, layout->x_zero_point), 0));
      uncorrected = true;
    }
    if (step.kind == StepKind::kConvolution && (hardware.uncorrected || hardware.pads_with_zero_byte))
      padded |= pad_explicitly(changes, program, step, hardware.pads_with_zero_byte ? 0 : zero_point);
  }
  const auto require = [](bool useful, const char* why) {
    if (!useful) fail(ErrorCode::kUsage, "{}", why);
  };
  require(uses.integers,
          "the program has no integer step to simulate: it is a float model, or none of it could be fused");
  require(uses.sums || hardware.arithmetic.analog.rows == 0, "the program has no sum of products for an analog array");
  require(uses.requantizes || !changes_requantization(hardware.arithmetic),
          "no step requantizes to 8 bits: there is nothing to round or to multiply");
  require(halved || !hardware.half_scales, "every scale is a float16 already");
  require(first || !hardware.first_scale_for_all,
          "the weights have one scale per tensor: all channels have the first one's");
  require(uncorrected || !hardware.uncorrected,
          "no zero point of the activations that is known beforehand differs from 0: there is nothing to correct");
  require(padded || !hardware.pads_with_zero_byte,
          "no convolution pads an input whose zero point is not 0: the byte 0 is right");
  require(uses.pairs || !hardware.arithmetic.saturating_pairs,
          "no step multiplies uint8 activations by int8 weights: the instruction that saturates is not used");
  resolve_constants(program);
  return program;
}

}  // namespace octet
