// integer_program.h: a network as hardware computes it: integers alone, every shape known, no operator of ONNX in it.
//
// Tensors are arrays of integers in row-major order, steps are loops over them; interpret.cc is their meaning, and C or
// Verilog are other ways to write it. Float is outside: a host quantizes what goes in, and gives a meaning to what comes
// out. Nothing here depends on the data: all constants are made beforehand, and equal to the float32 rules of the
// operators for every input there can be (spec/integer_requantizer.h, spec/integer_addition.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/program/program.h"
#include "octet/spec/integer_addition.h"
#include "octet/spec/integer_requantizer.h"

namespace octet {

// An index into IntegerProgram::tensors.
using TensorId = std::size_t;

struct IntegerTensor {
  std::string name;                // as in the Program
  DType type = DType::kUndefined;  // bool, or an integer type of at most 32 bits
  Shape shape;
  Tensor constant;                      // empty() unless it is known beforehand
  std::optional<Quantization> meaning;  // real = scale * (q - zero_point). For the host: no step reads it
};

namespace integer {

// The number for each byte of q: table[q & 255].
using NumberTable = std::array<std::int32_t, 256>;

// ---- two bytes become one: either by their sum, saturate((a * ma + b * mb + addend) >> shift), or by their product:
//
//   requantize((a - a_zero_point) * (b - b_zero_point))
struct Multiplication {
  std::int32_t a_zero_point = 0, b_zero_point = 0;
  IntegerRequantizer requantize;
};
using Pair = std::variant<IntegerAddition, Multiplication>;

// ---- what happens to a number before it is stored, stage by stage

// q = saturate((acc * m + addend) >> shift), with the constants of the output channel
struct Requantize {
  std::vector<IntegerRequantizer> channels;  // one for all, or one for each
};
// q = clamp(q, low, high)
struct Clamp {
  std::int32_t low = 0, high = 0;
};
// q = table[q & 255]
struct LookUp {
  NumberTable table{};
};
// q = pair(q, the same element of another tensor)
struct Combine {
  TensorId other = 0;
  Pair pair;
};
using Stage = std::variant<Requantize, Clamp, LookUp, Combine>;
using Epilogue = std::vector<Stage>;  // empty: the accumulator itself is stored, int32

// ---- sums of products

// acc = start[o] + Sum_k (x[k] - x_zero_point) * (w[o, k] - w_zero_point[o])     in 32 bits that wrap
//
// Constant weights have their share of x's zero point in the start, and raw bytes are multiplied: x_zero_point is 0 here.
// Where 32 bits are not enough, sums wrap as the runtime's do, and the constants behind them serve every int32.
struct Sum {
  std::vector<std::int32_t> starts, w_zero_points;  // one for all channels, or one for each
  std::int32_t x_zero_point = 0;
};

// A spatial axis of a convolution or a pool: output o reads the inputs o * stride + tap * dilation - pad for each tap of
// the kernel.
struct Axis {
  std::int64_t input = 1, output = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;
};

// x [batches, groups * group_inputs, input...], w [groups * group_outputs, group_inputs, kernel...],
// y [batches, groups * group_outputs, output...].
struct Convolution {
  TensorId x = 0, w = 0, y = 0;
  std::int64_t batches = 1, groups = 1, group_inputs = 1, group_outputs = 1;
  std::vector<Axis> axes;
  std::int32_t padding = 0;  // what is read outside the image: x's zero point
  Sum sum;
  Epilogue epilogue;
};

// Matrices [rows, products] times [products, columns]; a column is an output channel. Strides count elements.
struct MatrixProduct {
  TensorId x = 0, w = 0, y = 0;
  std::int64_t rows = 1, columns = 1, products = 1;
  std::int64_t x_row = 0, x_product = 0, w_column = 0, w_product = 0;  // strides
  struct Offsets {
    std::int64_t x = 0, w = 0;
  };
  std::vector<Offsets> matrices;  // where the operands of each matrix of y begin
  Sum sum;
  Epilogue epilogue;
};

// ---- others

// y = pair(a, b), element by element. Strides have an entry for each axis of y: 0 where the operand is repeated.
struct Pairwise {
  TensorId a = 0, b = 0, y = 0;
  std::vector<std::int64_t> a_strides, b_strides;
  Pair pair;
  Epilogue epilogue;
};

// The average of each channel of each image: acc = start + Sum of its pixels, 32 bits that wrap; then requantized.
struct Average {
  TensorId x = 0, y = 0;
  std::int64_t batches = 1, channels = 1, pixels = 1;
  std::int64_t channel_stride = 0, pixel_stride = 0;
  std::int32_t start = 0;  // -pixels * x_zero_point
  Epilogue epilogue;       // begins with a Requantize
};

// The largest of a window inside the image, of each plane; `lowest` where a window has no pixel there.
struct Maximum {
  TensorId x = 0, y = 0;
  std::int64_t planes = 1;
  std::vector<Axis> axes;
  std::int32_t lowest = 0;
  Epilogue epilogue;
};

// Rows of y are the rows of all parts, one behind the other, each through its table.
struct Concatenation {
  struct Part {
    TensorId x = 0;
    std::int64_t length = 0;  // of a row
    NumberTable table{};
  };
  std::vector<Part> parts;
  TensorId y = 0;
  std::int64_t rows = 1;
};

// y = condition ? a : b, each through its table. Strides as Pairwise's.
struct Selection {
  struct Operand {
    TensorId x = 0;
    std::vector<std::int64_t> strides;
    NumberTable table{};
  };
  TensorId condition = 0, y = 0;
  std::vector<std::int64_t> condition_strides;
  Operand a, b;
};

// y = table[x & 255]
struct Table {
  TensorId x = 0, y = 0;
  NumberTable table{};
};

// y = tables[c][x & 255]; c is the number of its channel: elements of one stand `run` by `run`, channel after channel.
struct ChannelTables {
  TensorId x = 0, y = 0;
  std::int64_t run = 1;
  std::vector<NumberTable> tables;
};

// Elements change places. Box by box of y: element `begin + i` is element `offset + Sum i[d] * strides[d]` of a source,
// or the fill.
struct Box {
  std::optional<TensorId> source;  // nothing: the fill
  Shape begin, shape;              // in y
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
};
struct Move {
  TensorId y = 0;
  std::int32_t fill = 0;
  std::vector<Box> boxes;  // cover y without overlap; none where `indices` say it
  // For each element of y: 0 is the fill, k the element k - 1 of the sources one after the other.
  std::vector<std::int64_t> indices;
  std::vector<TensorId> sources;
};

using Task = std::variant<Convolution, MatrixProduct, Pairwise, Average, Maximum, Concatenation, Selection, Table,
                          ChannelTables, Move>;

}  // namespace integer

struct IntegerStep {
  std::string name;  // of the Program's step
  integer::Task task;
};

// A step of the Program that is the host's.
struct HostStep {
  std::size_t step = 0;  // into Program::steps
  std::string name;
  bool multiplies = false;  // by weights: more than a host is expected to do
};

struct IntegerProgram {
  std::string name;
  std::vector<IntegerTensor> tensors;
  std::vector<TensorId> inputs, outputs;
  std::vector<IntegerStep> steps;       // in execution order
  std::vector<HostStep> before, after;  // what the host does with the network's inputs, and with the outputs from here
};

// The names of the host's steps that multiply by weights.
std::vector<std::string> host_products(const IntegerProgram& program);

struct IntegerOptions {
  // The host computes whatever float leads from the network's inputs to the first integers, and from the last integers
  // to its outputs: a softmax behind the logits. Otherwise it quantizes inputs and dequantizes outputs, nothing else.
  bool host_border = false;
};

// Throws kUsage where the shape of an input is not known, naming its symbols (specialized() gives them numbers), and
// kUnsupported where a step is not of integers alone: the error lists all of them, each with the reason.
IntegerProgram integer_program(const Program& program, const IntegerOptions& options = {});

}  // namespace octet
