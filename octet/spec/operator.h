// operator.h: what Octet knows about an operator, and how one is inferred and executed.
//
// An Operator is one entry of the registry: its formula, its numbered constraints, one shape rule and one kernel. The
// shape rule (`infer`) serves twice: with symbols while a graph is analysed, and with every shape and value known right
// before the kernel runs. It checks the constraints, so `compute` can't fail.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/dim.h"
#include "octet/base/dtype.h"
#include "octet/base/parallel.h"
#include "octet/base/tensor.h"
#include "octet/spec/arithmetic.h"
#include "octet/spec/attributes.h"
#include "octet/spec/role.h"
#include "octet/spec/step_kind.h"

namespace octet {

// What is known about a value: its type; its rank and dimensions as far as they are known; its elements if it is a
// constant, or, for an integer scalar or vector computed from shapes, its elements as dimensions.
struct Fact {
  DType dtype = DType::kUndefined;
  std::optional<SymbolicShape> shape;
  Tensor constant;                           // empty() unless the value is known
  std::optional<std::vector<Dim>> elements;  // of a value that is not a constant

  static Fact of(Tensor constant);
};

// A graph that an operator runs (If, Loop, Scan), as the operator sees it: what the graph takes from around it is bound.
struct Body {
  std::vector<Fact> inputs, outputs;  // types and shapes, as far as the graph itself says them
  // What is known of the outputs when this is known of the inputs.
  std::function<std::vector<Fact>(std::vector<Fact> inputs)> infer;
  std::function<std::vector<Tensor>(std::vector<Tensor> inputs)> run;  // empty while a graph is analysed
};
using Bodies = std::map<std::string, Body, std::less<>>;  // by attribute
inline const Bodies kNoBodies;

// One application of an operator, seen by its shape rule.
class Inference {
 public:
  Inference(int opset, const Attributes& attributes, std::vector<Fact> inputs, std::size_t output_count,
            const Bodies& bodies = kNoBodies);

  const Attributes& attributes() const { return attributes_; }
  int opset() const { return opset_; }
  const Bodies& bodies() const { return bodies_; }

  std::size_t input_count() const { return inputs_.size(); }
  bool has(std::size_t i) const;  // given, and not the empty name
  const Fact& input(std::size_t i) const;
  DType dtype(std::size_t i) const { return input(i).dtype; }
  bool has_shape(std::size_t i) const { return has(i) && input(i).shape.has_value(); }
  const SymbolicShape& shape(std::size_t i) const { return *input(i).shape; }
  // The elements when the value is a known constant, else null. At run time every present input is.
  const Tensor* constant(std::size_t i) const;
  // Elements of an integer scalar or vector, each known, a symbol or unknown; null when nothing is known of them.
  const std::vector<Dim>* elements(std::size_t i) const;

  std::size_t output_count() const { return outputs_.size(); }
  bool wants(std::size_t i) const { return i < outputs_.size(); }
  // Ignored for outputs that are not wanted.
  void set_output(std::size_t i, DType dtype, std::optional<SymbolicShape> shape);
  void set_elements(std::size_t i, std::vector<Dim> elements);

  std::vector<Fact>& outputs() { return outputs_; }

 private:
  int opset_;
  const Attributes& attributes_;
  std::vector<Fact> inputs_;
  std::vector<Fact> outputs_;
  const Bodies& bodies_;
};

// Where kernels run: the arithmetic of the quantized ones, the threads, and whether those that may run for ever shall end.
struct Environment {
  const Arithmetic& arithmetic;
  const Parallel& parallel;
  std::stop_token stop = {};
};

// One application of an operator, seen by its kernel.
class Call {
 public:
  Call(int opset, const Attributes& attributes, const std::vector<Tensor>& inputs, std::vector<Fact> outputs,
       const Environment& environment);

  const Attributes& attributes() const { return attributes_; }
  int opset() const { return opset_; }
  const Arithmetic& arithmetic() const { return environment_.arithmetic; }
  const Parallel& parallel() const { return environment_.parallel; }

  std::size_t input_count() const { return inputs_.size(); }
  bool has(std::size_t i) const { return i < inputs_.size() && !inputs_[i].empty(); }
  const Tensor& input(std::size_t i) const { return inputs_[i]; }

  std::size_t output_count() const { return facts_.size(); }
  bool wants(std::size_t i) const { return i < facts_.size(); }
  DType output_dtype(std::size_t i) const { return facts_[i].dtype; }
  const Shape& output_shape(std::size_t i) const { return shapes_[i]; }
  // The tensor to write, of the inferred type and shape; uninitialized the first time it is asked for.
  Tensor& output(std::size_t i);
  // Gives the whole output at once, for operators that only rename or reshape.
  void set_output(std::size_t i, Tensor tensor) { outputs_[i] = std::move(tensor); }

  std::vector<Tensor> take_outputs();

 private:
  int opset_;
  const Attributes& attributes_;
  const std::vector<Tensor>& inputs_;
  std::vector<Fact> facts_;
  std::vector<Shape> shapes_;
  std::vector<Tensor> outputs_;
  const Environment& environment_;
};

// One application of an operator that runs graphs of its own.
struct ControlCall {
  int opset;
  const Attributes& attributes;
  const std::vector<Tensor>& inputs;
  std::size_t output_count;
  const Bodies& bodies;
  const Environment& environment;

  bool has(std::size_t i) const { return i < inputs.size() && !inputs[i].empty(); }
};

struct Constraint {
  std::string_view label;  // "qlinear_conv_c5"
  std::string_view text;
};

// How float16 and bfloat16 reach the kernel.
enum class Halves {
  kPromote,  // as float32; float32 outputs are rounded back to the inferred type, once
  kAsIs,     // the kernel handles them, or does not look at elements
};

// What holds for every application of an operator. Code that asks about a class of operators asks for a trait, so that a
// new operator answers in its own file and no list of names has to be found and extended.
enum class Trait : std::uint8_t {
  kWeighted,       // a layer of ai.onnx whose second input usually holds trained weights
  kSumOfProducts,  // float; each element of the result is one sum of products of the first two inputs
  kManyTerms,      // float; each element of the result is computed from many elements in unspecified order
  kClamp,          // bounds its operand and changes nothing else; quantization absorbs it where the integers saturate
  kArithmetic,     // one of the basic operations of real numbers, on each element of its operands
  kPool,           // condenses a window or whole axes to one element: pools and reductions
  kFunction,       // a nonlinear function, a normalization or a change of type, of one tensor
};

// How the multiply-accumulates of an operator follow from its shapes.
enum class MacRule : std::uint8_t {
  kNone,  // it has none, or they are not counted
  kConvolution,
  kTransposedConvolution,
  kMatrix,
  kRecurrent,
  kAttention,           // of ai.onnx
  kProjectedAttention,  // with the projections of x: QAttention
};

class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(std::initializer_list<Trait> traits) {
    for (const Trait trait : traits) bits_ |= bit(trait);
  }
  constexpr bool has(Trait trait) const { return (bits_ & bit(trait)) != 0; }

 private:
  static constexpr std::uint32_t bit(Trait trait) { return std::uint32_t{1} << static_cast<std::uint8_t>(trait); }

  std::uint32_t bits_ = 0;
};

struct Operator {
  std::string_view name;
  std::string_view domain = {};  // "" is ai.onnx
  std::vector<int> versions;     // the opsets that changed the definition, first to last
  // The opsets from which a node means something else although it looks the same: another default, or another reading of an
  // attribute. Where inputs or outputs have other names (signature.h), a node does not look the same.
  std::vector<int> turns = {};
  std::string_view formula;  // in one line
  std::vector<Constraint> constraints = {};
  void (*infer)(Inference&) = nullptr;
  void (*compute)(Call&) = nullptr;
  // Instead of `compute`, of an operator that runs graphs: only then are the types and shapes of its results known.
  std::vector<Tensor> (*control)(const ControlCall&) = nullptr;
  Halves halves = Halves::kPromote;
  // What its inputs and outputs are, as far as others than the operator itself read them; the last `repeated` roles of
  // the inputs come again and again.
  std::vector<Role> inputs = {}, outputs = {};
  std::size_t repeated = 0;
  std::optional<StepKind> kind = {};  // of the step it makes; absent: the type of its result decides
  bool channels_last = false;         // x and y are [N, spatial..., C], whatever the attributes
  bool renames = false;               // its first output has the bytes of its first input, under another shape or name
  // Each element of the result depends only on the element at the same place of every input of the result's shape.
  bool on_elements = false;
  Traits traits = {};
  MacRule macs = MacRule::kNone;
  const Operator* same_as = nullptr;  // the operator of ai.onnx that this one of com.microsoft is a copy of
  // The operator whose result this one approximates on quantized integers: Conv for QLinearConv and ConvInteger. Null for
  // operators on real numbers and for those that quantize inside.
  const Operator* float_form = nullptr;
};

// Whether `op` is `wanted` (an entry of operators.h) or a copy of it in another domain; false for null.
bool is(const Operator* op, const Operator& wanted);
// False for null.
bool has(const Operator* op, Trait trait);

// The number of the input that has a role; of a repeated one, the n-th. Nothing when there is none.
std::optional<std::size_t> input_number(const Operator& op, Role role, std::size_t n = 0);
std::optional<std::size_t> output_number(const Operator& op, Role role);

// The newest opset of ai.onnx whose definitions Octet knows. In a later one an operator is taken to mean what it means in
// this one; the commands warn of it.
inline constexpr int kNewestOpset = 28;

// Applies `op` to tensors: infers (which checks the constraints), then computes. Absent optional inputs are empty
// tensors. Throws octet::Error.
std::vector<Tensor> execute(const Operator& op, int opset, const Attributes& attributes,
                            const std::vector<Tensor>& inputs, std::size_t output_count, const Environment& environment,
                            const Bodies& bodies = kNoBodies);

}  // namespace octet
