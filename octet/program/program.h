// program.h: what a network computes, step by step: integer steps where its 8-bit patterns could be fused, float steps
// where they could not. Engines, analyses and exporters read a Program and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "octet/base/dim.h"
#include "octet/base/tensor.h"
#include "octet/graph/model.h"
#include "octet/program/policy.h"
#include "octet/program/work.h"
#include "octet/spec/operator.h"

namespace octet {

struct ProgramValue {
  std::string name;                          // as in the file, where it stands there
  DType dtype = DType::kUndefined;           // kUndefined: known when the program runs
  std::optional<SymbolicShape> shape;        // absent: not even the rank is known
  Tensor constant;                           // empty() unless the value is known
  std::optional<Quantization> quantization;  // what its integers mean, where one scale serves the whole tensor
  std::optional<Quantization> declared;      // the same, said by the pattern it came from: no operation does
};

struct Program;

// A graph that an operation runs, lowered as the program around it. Its inputs are the graph's own and, behind them, the
// values that it takes from around it, under their names; constants it has itself.
struct Subprogram {
  std::string attribute;  // "then_branch"
  std::shared_ptr<const Program> program;
  std::vector<std::size_t> taken;  // for each value from around it: which input of the operation it is
};

// One application of an operator to values of the program.
struct Operation {
  const Operator* op = nullptr;
  int opset = 0;
  Attributes attributes;
  std::vector<ValueId> inputs, outputs;
  std::vector<Subprogram> graphs = {};  // of If, Loop and Scan
  std::size_t taken = 0;                // how many of the last inputs are there only because its graphs read them
};

// The inputs that the operator itself has.
std::size_t own_inputs(const Operation& operation);

// A node of the file that a step does the work of.
struct SourceNode {
  std::string name;  // of an unnamed node, its first output
  std::string op_type;
};

struct Step {
  StepKind kind = StepKind::kOther;
  std::string name;                   // of the node whose work it does
  std::vector<Operation> operations;  // one after the other; mostly one
  std::vector<SourceNode> sources;    // in the file's order
  std::string reason;                 // why it was fused, or why not; of a float step empty only as written
  std::vector<std::string> warnings;  // of the fusing: what a runtime would pass over in silence
  // ---- what resolve() finds out; it may run again after any change of the operations and the constants
  Work work;                         // what is computed
  std::string opaque;                // why the work does not say all of it, and operations must run; empty: it does
  std::vector<std::string> hazards;  // what its numbers can do that a runtime would pass over in silence
};

// The kind of a step that is this operation alone. If the operator does not determine it, the type of its first result does.
StepKind kind_alone(const Program& program, const Operation& operation);

// The names of its operators, in execution order.
std::string operators_of(const Step& step, std::string_view separator);

// What a runtime would pass over in silence: what the fusing saw, and what the numbers can do.
std::vector<std::string> warnings_of(const Step& step);

// Whether what it adds up are quantized integers: pools that sum dequantized pixels, and softmax, add up floats. A pool
// whose scales come at run time is not known to.
bool is_integer(const Step& step);

struct ProgramInput {
  ValueId value;
  ValueType type;        // as declared; symbols must mean one number throughout a run
  Tensor default_value;  // empty() unless the caller may leave it out
};

struct Program {
  std::string name;
  Policy policy = Policy::kAsWritten;  // by which it was made of its file
  std::int64_t ir_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> opset_imports;
  std::vector<ProgramValue> values;
  std::vector<ProgramInput> inputs;
  std::vector<ValueId> outputs;
  std::vector<Step> steps;  // in execution order
};

// The bytes of all constants.
std::int64_t constant_bytes(const Program& program);

// The inputs and outputs of a step towards the rest of the program; constants are not among them.
std::vector<ValueId> inputs_of(const Program& program, const Step& step);
std::vector<ValueId> outputs_of(const Program& program, const Step& step);

// The input or output that has a role in an operation; of a repeated role, the n-th. kNoValue, or null, where the
// operator has no such one or the operation leaves it out.
ValueId input_id(const Operation& operation, Role role, std::size_t n = 0);
ValueId output_id(const Operation& operation, Role role);
const ProgramValue* find_input(const Program& program, const Operation& operation, Role role, std::size_t n = 0);
const ProgramValue* find_output(const Program& program, const Operation& operation, Role role);
// Null unless it is known before the run.
const Tensor* find_constant(const Program& program, const Operation& operation, Role role, std::size_t n = 0);

// Null when there is none of that name.
const ProgramValue* find_value(const Program& program, std::string_view name);

}  // namespace octet
