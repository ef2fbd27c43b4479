// resolve_wide_sums.cc: the steps around the sums of bytes that fuse_wide_sums.cc makes of operands of 16 bits.
#include <algorithm>

#include "octet/program/support/resolving.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

constexpr std::int64_t kBytes = 256;

std::optional<std::int64_t> integer_constant(const Program& program, ValueId value) {
  const Tensor& constant = program.values[value].constant;
  if (constant.size() != 1 || !is_integer(constant.dtype())) return std::nullopt;
  return constant.int_at(0);
}

// One operation after the other, each of which must be the one that is expected.
class SplitChain {
 public:
  SplitChain(const Program& program, const Step& step) : program_(program), step_(step) {}

  bool at_end() const { return next_ == step_.operations.size(); }
  // The result of Cast(x) to a type, or of op(x, number); kNoValue where the next operation is another.
  ValueId cast(ValueId x, DType type) {
    const Operation* operation = next(ops::kCast);
    if (!operation || operation->inputs[0] != x || program_.values[operation->outputs[0]].dtype != type) return fail();
    return operation->outputs[0];
  }
  ValueId with_number(const Operator& op, ValueId x, std::int64_t number) {
    const Operation* operation = next(op);
    if (!operation || operation->inputs[0] != x || integer_constant(program_, operation->inputs[1]) != number)
      return fail();
    return operation->outputs[0];
  }
  bool holds() const { return holds_; }

 private:
  const Operation* next(const Operator& op) {
    if (!holds_ || at_end() || !is_operation(step_.operations[next_], op)) return nullptr;
    return &step_.operations[next_++];
  }
  ValueId fail() {
    holds_ = false;
    return kNoValue;
  }

  const Program& program_;
  const Step& step_;
  std::size_t next_ = 0;
  bool holds_ = true;
};

// What an integer value of a joining step is: partial sums times factors.
using Terms = std::vector<work::JoinedSum::Part>;

// Follows the operations that join sums: casts, products by a number, sums; then the scaling to float and a bias.
class JoinedSumResolver {
 public:
  JoinedSumResolver(const Program& program, const Step& step) : program_(program), step_(step) {}

  Resolution resolve() {
    for (const Operation& operation : step_.operations)
      if (!follow(operation)) return {std::monostate(), "it joins sums in a way that has no work", {}};
    const std::optional<SymbolicShape>& y = program_.values[work_.y].shape;
    if (!y) return {std::move(work_), "a shape is not known before the run", {}};
    if (!take_channels(y->size())) return {std::monostate(), "numbers that differ along several axes", {}};
    return {std::move(work_), {}, {}};
  }

 private:
  bool follow(const Operation& operation) {
    const ValueId y = operation.outputs[0];
    const DType type = program_.values[y].dtype;
    if (is_operation(operation, ops::kCast)) {
      if (type == DType::kFloat) return begin_scaling(operation.inputs[0], y);
      terms_[y] = terms_of(operation.inputs[0]);
      return type == DType::kInt64 && program_.values[operation.inputs[0]].dtype == DType::kInt32 &&
             terms_[y].size() == 1 && terms_[y].front().factor == 1;
    }
    if (type == DType::kFloat) return scale(operation);
    if (is_operation(operation, ops::kMul)) {
      const std::optional<std::int64_t> factor = integer_constant(program_, operation.inputs[1]);
      if (!factor) return false;
      terms_[y] = terms_of(operation.inputs[0]);
      for (work::JoinedSum::Part& part : terms_[y]) part.factor *= *factor;
      return true;
    }
    if (!is_operation(operation, ops::kAdd)) return false;
    Terms sum = terms_of(operation.inputs[0]);
    const Terms other = terms_of(operation.inputs[1]);
    sum.insert(sum.end(), other.begin(), other.end());
    terms_[y] = std::move(sum);
    return true;
  }

  // Values that other steps make are partial sums themselves.
  Terms terms_of(ValueId value) const {
    const auto found = terms_.find(value);
    return found == terms_.end() ? Terms{{value, 1}} : found->second;
  }

  bool begin_scaling(ValueId sum, ValueId y) {
    work_.type = program_.values[sum].dtype;
    work_.parts = terms_of(sum);
    work_.y = y;
    return work_.type == DType::kInt32 || work_.type == DType::kInt64;
  }

  // Mul by the multipliers, then Add of the bias.
  bool scale(const Operation& operation) {
    if (operation.inputs.size() != 2 || operation.inputs[0] != work_.y) return false;
    const Tensor* numbers = float_constant(program_, operation.inputs[1]);
    if (!numbers || numbers->size() == 0) return false;
    std::vector<float>& to = is_operation(operation, ops::kMul) ? work_.multipliers : work_.bias;
    const bool in_order = &to == &work_.multipliers ? work_.bias.empty() : !work_.multipliers.empty();
    if (!to.empty() || !in_order || !(is_operation(operation, ops::kMul) || is_operation(operation, ops::kAdd)))
      return false;
    to.assign(numbers->as<float>().begin(), numbers->as<float>().end());
    constants_.push_back(numbers);
    work_.y = operation.outputs[0];
    return true;
  }

  // The only axis along which the numbers differ; the last where they do not.
  bool take_channels(std::size_t rank) {
    std::optional<std::size_t> found;
    for (const Tensor* numbers : constants_) {
      const Shape& shape = numbers->shape();
      if (shape.size() > rank) return false;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::size_t axis = rank - shape.size() + d;
        if (shape[d] == 1) continue;
        if (found && *found != axis) return false;
        found = axis;
      }
    }
    work_.axis = static_cast<std::int64_t>(found.value_or(rank == 0 ? 0 : rank - 1));
    return !work_.multipliers.empty();
  }

  const Program& program_;
  const Step& step_;
  work::JoinedSum work_;
  std::map<ValueId, Terms> terms_;
  std::vector<const Tensor*> constants_;
};

}  // namespace

std::optional<Resolution> resolve_split_bytes(const Program& program, const Step& step) {
  const ValueId x = step.operations.front().inputs.empty() ? kNoValue : step.operations.front().inputs[0];
  if (x == kNoValue || step.operations.size() == 1) return std::nullopt;
  const DType type = program.values[x].dtype;
  if (type != DType::kInt16 && type != DType::kUint16) return std::nullopt;
  SplitChain chain(program, step);
  ValueId number = chain.cast(x, DType::kInt32);
  if (type == DType::kInt16) number = chain.with_number(ops::kAdd, number, -integer_range(type).min);
  work::SplitBytes work{.x = x};
  work.high = chain.cast(chain.with_number(ops::kDiv, number, kBytes), DType::kUint8);
  work.low = chain.cast(chain.with_number(ops::kMod, number, kBytes), DType::kUint8);
  if (!chain.holds() || !chain.at_end()) return std::nullopt;
  return Resolution{work, {}, {}};
}

Resolution resolve_joined_sum(const Program& program, const Step& step) {
  return JoinedSumResolver(program, step).resolve();
}

}  // namespace octet
