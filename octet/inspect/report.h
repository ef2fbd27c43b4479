// report.h: facts about a model, for people and machines. Tensors are shared with the model, not copied.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "octet/base/dim.h"
#include "octet/base/dtype.h"
#include "octet/base/tensor.h"
#include "octet/program/quantized_share.h"
#include "octet/spec/attributes.h"

namespace octet {

// Where a value comes from.
enum class Origin {
  kAbsent,       // an optional input that is not given
  kInput,        // the caller gives it
  kInitializer,  // stored in the model
  kConstant,     // a Constant node, or computed from constants alone
  kRuntime,      // computed by a node
};

struct ValueReport {
  std::string name;
  DType dtype = DType::kUndefined;     // kUndefined: not known, or not a tensor
  std::optional<SymbolicShape> shape;  // absent: not even the rank is known
  Origin origin = Origin::kAbsent;
};

enum class Granularity {
  kTensor,   // one scale for the whole tensor
  kAxis,     // one for each index of an axis: per channel
  kBlocked,  // one for each `block` indices of an axis
  kUnknown,  // decided by shapes that are not known
};

// A scale or a zero point.
struct ParameterReport {
  std::string name;
  Origin origin = Origin::kAbsent;
  Tensor values;  // empty() when absent or known at run time only
};

// How one tensor that a node reads or writes is quantized: real = scale * (stored - zero point).
struct QuantizationReport {
  std::string role;    // the operator's own name for the tensor: "x", "w", "y"
  std::string tensor;  // the value that is quantized
  DType dtype = DType::kUndefined;
  Granularity granularity = Granularity::kUnknown;
  std::int64_t axis = 0;   // for kAxis and kBlocked; counted from the front where the rank is known
  std::int64_t block = 0;  // for kBlocked
  ParameterReport scale, zero_point;
};

// A constant that a layer computes with, found through the nodes that only unpack or reshape it.
struct WeightReport {
  std::string name;
  std::size_t input = 0;  // of the node it reaches
  DType dtype = DType::kUndefined;
  Shape shape;
  std::int64_t count = 0;
};

// What a node computes on, by the file's integer program (policy exact), as program/quantized_share.h counts its steps.
// Where there is no program the nodes around it decide: floats dequantized right before, the result quantized right
// after (a matrix product's or convolution's need not be), are kQdq.
enum class Form {
  kInteger,     // quantized values, in the file itself
  kQdq,         // floats in the file, integers in the program
  kFloat,       // floats
  kConversion,  // QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear themselves
  kOther,  // neither: constants, shapes, indices, truth values, scales and zero points, what the program leaves out
};

struct NodeReport {
  std::string name, op_type, domain;
  int opset = 0;      // of its domain, as the model imports it
  int version = 0;    // the opset that gave the operator its present definition; 0 when Octet does not know it
  bool runs = false;  // Octet has a kernel, or a function body made of such
  Form form = Form::kOther;
  Attributes attributes;
  std::vector<std::pair<std::string, std::size_t>> subgraphs;  // attribute, number of nodes
  std::vector<ValueReport> inputs, outputs;
  std::vector<QuantizationReport> quantization;  // by parameters of its own
  std::vector<QuantizationReport> around;        // kQdq: by the conversions before and after it
  std::vector<WeightReport> weights;
  std::optional<std::int64_t> macs;  // of a multiply-accumulate operator whose shapes are known
  bool counts_macs = false;          // it is one
  std::vector<std::string> notes;    // what is wrong with it
};

struct CountReport {
  std::int64_t tensors = 0, elements = 0, bytes = 0;
};

struct OperatorCount {
  std::string domain, op_type;
  std::int64_t nodes = 0;
  bool runs = false;
};

struct Summary {
  std::vector<OperatorCount> operators;  // most frequent first
  std::int64_t nodes = 0, quantize_linear = 0, dequantize_linear = 0, dynamic_quantize_linear = 0;
  std::optional<QuantizedShare> share;  // absent where there is no program
  std::string no_program;               // why
  std::int64_t integer_nodes = 0, qdq_nodes = 0, float_nodes = 0;
  CountReport weights;  // each stored tensor once
  std::map<std::string, CountReport> weights_by_type;
  std::int64_t macs = 0, macs_8bit = 0;     // the latter of quantized nodes, both operands of at most 8 bits
  std::int64_t uncounted_macs_nodes = 0;    // whose shapes are not known
  std::vector<std::string> symbols_as_one;  // symbolic dimensions that MACs count as 1; "?" for those without name

  // The share of integer steps among computing steps; without a program, among nodes that compute on numbers. 0 when
  // there are none.
  double quantized_share() const;
  double macs_8bit_share() const;
};

struct ModelReport {
  std::string path;  // the caller's to fill in, as is the size
  std::uint64_t file_bytes = 0;

  std::int64_t ir_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> opsets;
  std::string producer_name, producer_version, domain, graph_name, doc;
  std::int64_t model_version = 0;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> functions;  // defined in the model: "domain.name"
  std::vector<ValueReport> inputs;     // that a caller must give
  std::vector<ValueReport> outputs;
  std::vector<NodeReport> nodes;   // in execution order
  std::vector<std::string> notes;  // what is wrong with the model as a whole
  Summary summary;
};

}  // namespace octet
