// resolving.h: the parts of resolve(): each makes the work of some kinds of steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "octet/program/program.h"

namespace octet {

// What a part of resolve() finds out of a step.
struct Resolution {
  Work work;
  std::string opaque;
  std::vector<std::string> hazards;
};

// What the operators' rules give.
struct InferredValues {
  std::vector<Tensor> known;  // elements, by ValueId: of constants, and of numbers computed from shapes
  std::map<std::size_t, std::string> refused;  // by step: why its rule does not hold, so that it can't run
};
// Types and shapes of the program's values.
InferredValues infer_values(Program& program);

// What all moves of a program may cost together: elements that are followed, and numbers of them that are kept.
struct MoveBudget {
  std::int64_t followed = std::int64_t{1} << 25, kept = std::int64_t{1} << 22;
};
// ProgramValue::quantization, from what operations write and read; hazards where the two differ.
void resolve_meanings(Program& program);

// Whether constants may differ from those that a step's work was made of. What follows from large ones is not found again where
// they were kept.
enum class Constants { kChanged, kKept };
// Work, reason and hazards of one step of a program whose values are inferred; `known` is what infer_values returned.
void resolve_step(const Program& program, const std::vector<Tensor>& known, MoveBudget& budget, Step& step,
                  Constants constants);
// resolve() of a program whose constants are those of the last time.
void resolve_again(Program& program);

// ---- an operation's constants, by role

// Whether it is this operator (an entry of spec/operators.h), with one result.
bool is_operation(const Operation& operation, const Operator& op);
// Null unless it is there, known, and float32.
const Tensor* float_constant(const Program& program, ValueId value);

// All elements; of an input that is absent, computed or of another type, none.
std::vector<float> floats_at(const Program& program, const Operation& operation, Role role, std::size_t n = 0);
std::vector<std::int32_t> integers_at(const Program& program, const Operation& operation, Role role, std::size_t n = 0);
// The parameters of a per-tensor quantization; an absent zero point is 0. Nothing if a parameter is computed at run time or
// per-channel.
std::optional<Quantization> quantization_at(const Program& program, const Operation& operation, Role scale,
                                            Role zero_point, std::size_t n = 0);
// The shape of a value, when every dimension is known.
std::optional<Shape> shape_at(const Program& program, ValueId value);

// ---- the work of a step's first operation

// `before`: the sum that the same constants gave, or null.
Resolution resolve_convolution_work(const Program& program, const Operation& operation, const work::Sum* before);
Resolution resolve_matrix_product(const Program& program, const Operation& operation, const work::Sum* before);
Resolution resolve_pairwise(const Program& program, const Operation& operation);
Resolution resolve_average_pool(const Program& program, const Operation& operation);
Resolution resolve_max_pool(const Program& program, const Operation& operation);
Resolution resolve_concatenation(const Program& program, const Operation& operation);
Resolution resolve_softmax(const Program& program, const Operation& operation);
Resolution resolve_quantize(const Program& program, const Operation& operation);
Resolution resolve_dequantize(const Program& program, const Operation& operation);
// Opaque for operations that are not moves. Without `every`, resolves only those that rename bytes.
Resolution resolve_move(const Program& program, const std::vector<Tensor>& known, MoveBudget& budget,
                        const Operation& operation, bool every);
// Nothing where it is not one of float32 operators that have a work.
Resolution resolve_float(const Program& program, const Operation& operation);
// All 256 bytes through all operations of a step that has one input of 8 bits, those of each channel where tables differ.
Resolution resolve_table(const Program& program, const Step& step);
// The operations that fuse_wide_sums.cc writes before and behind sums of bytes; both are of all operations of the step.
// Nothing where the step does not take 16-bit values apart.
std::optional<Resolution> resolve_split_bytes(const Program& program, const Step& step);
Resolution resolve_joined_sum(const Program& program, const Step& step);

// ---- and of those behind it

// Adds the operations behind the first one to the work. Returns why it can't.
std::string add_stages(const Program& program, const Step& step, Work& work);

// The stages that an operator on float32 elements is, x being the operand that they go on with. Nothing where it is another
// operator, or a constant it needs is computed at run time.
struct FloatStages {
  ValueId x = kNoValue, y = kNoValue;
  std::optional<std::int64_t> axis;  // of the channels, where numbers differ from one to the next
  std::vector<work::Stage> stages;
};
std::optional<FloatStages> float_stages(const Program& program, const Operation& operation, ValueId x);
// The limits of Relu, or of Clip between constants.
std::optional<work::Limit> limit_of(const Program& program, const Operation& operation);

}  // namespace octet
