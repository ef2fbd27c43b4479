// rewrite.h: passes that leave a model's meaning and make it simpler. Each is in the file of its name.
#pragma once

#include "octet/graph/model.h"
#include "octet/spec/arithmetic.h"

namespace octet {

// QLinearConv of com.microsoft, which ONNX Runtime's optimizer writes, becomes the standard's: with channels_last = 1
// between two Transposes, the first of which is left out where x comes from such a convolution. One whose rank is not
// known stays.
Model channels_first(Model model);

// Conv, ConvTranspose or Gemm followed by nothing but an inference-mode BatchNormalization: with
// g = gamma / sqrt(variance + epsilon), the weights of output channel o become w * g[o] and the bias
// beta[o] + (b[o] - mean[o]) * g[o], computed in float64 and rounded once to the weights' type.
Model fold_batch_norm(Model model);

// Nodes whose inputs are all constants become initializers, Constant nodes among them. QuantizeLinear and
// DequantizeLinear of weights stay: they say how a model is quantized. What all of them take together is limited
// (folding_budget.h), and the rest is not folded. Neither are nodes on float16 that widen_float16 widens.
Model fold_constants(Model model, const Arithmetic& arithmetic = {});

// What quantizers and exporters leave between stored integers and their reader: QuantizeLinear of a constant becomes the
// integers, and an operator that moves elements (Transpose, Reshape, Slice, ...) behind DequantizeLinear of a constant
// moves the integers instead, their scales and zero points going along where each channel has its own. Integers of 2 and 4
// bits become int8. Limited likewise.
Model fold_quantized_constants(Model model, const Arithmetic& arithmetic = {});

// The part of that which ONNX Runtime's optimizer does: a Transpose behind DequantizeLinear of a constant moves the
// integers, unless they are int8 without a zero point before opset 21.
Model fold_transposed_constants(Model model, const Arithmetic& arithmetic = {});

// An If whose condition is known before anything runs, by constants or shapes, becomes the nodes of the branch that is taken,
// their names behind the If's ("if_1/conv"), and one Identity for each output; and so on with what was inside. Values must
// have names of their own (unique_names.h).
Model inline_branches(Model model);

// MatMul with constant weights [K, N] followed by nothing but the Add of a constant row becomes a Gemm with that bias, so that a
// quantizer does not round between the two. An x of more than two dimensions is reshaped to rows and back,
// behind a Relu or Clip of the sum; one with several unknown row dimensions stays as it is. Requires opset 7.
Model fuse_matmul_bias(Model model);

// Identity, and Dropout in inference mode whose mask is not read, are removed. Graph inputs and outputs keep their
// names; an Identity between the two stays.
Model remove_identities(Model model);

// float16 as ONNX Runtime computes it on x86-64, in two steps.
// 1. A node with a float16 input and no float16 kernel (float16_kernels.h) is computed in float32: Casts widen its float16
//    inputs and round its float16 results. So is a node with such a kernel (Reshape, Clip, DequantizeLinear, ...) that
//    reads a node's result and stands between widened nodes alone: of its float16 inputs none comes from a node that
//    is not widened, no node that is not widened reads its float16 results, and none of its outputs is the graph's.
//    Of the inputs of Concat, Max and Min and the outputs of Split, the first one alone is looked at. DequantizeLinear
//    counts as one node for each of its readers.
// 2. A result that was rounded in step 1 is read unrounded by widened nodes and by Casts to float32; by other Casts, too,
//    where nothing but Casts and widened nodes reads it. The same holds for the result of the file's own Cast from
//    float32 to float16, and, where nothing but Casts and widened nodes reads it, from another type (an int32 accumulator
//    is then converted to float32 and never rounded to float16); but not where that Cast loses digits and another Cast of
//    the file reads it and goes to a type of more than 8 bits.
// CastLike counts as Cast. bfloat16 stays: every node rounds its results to it. Constants are folded then.
Model widen_float16(Model model, const Arithmetic& arithmetic = {});

// Nodes that no graph output depends on, and unused initializers and value_info.
Model remove_unused(Model model);

}  // namespace octet
