#include "octet/spec/signature.h"

#include <algorithm>
#include <array>
#include <vector>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::string_view kStandard, kMicrosoft = "com.microsoft";

// One version of an operator, until the next one of its name. "x?" may be left out, "x..." may be there any number of
// times, and at least once, "x...?" perhaps not at all. Of Resize in opset 11, files leave roi and scales empty although the standard wants them.
struct SignatureRow {
  std::string_view domain, op;
  int since;
  std::string_view inputs, outputs;
};

constexpr std::array kSignatureRows = std::to_array<SignatureRow>({
    {kStandard, "Abs", 1, "X", "Y"},
    {kStandard, "Acos", 7, "input", "output"},
    {kStandard, "Acosh", 9, "input", "output"},
    {kStandard, "Add", 1, "A B", "C"},
    {kStandard, "AffineGrid", 20, "theta size", "grid"},
    {kStandard, "And", 1, "A B", "C"},
    {kStandard, "ArgMax", 1, "data", "reduced"},
    {kStandard, "ArgMin", 1, "data", "reduced"},
    {kStandard, "Asin", 7, "input", "output"},
    {kStandard, "Asinh", 9, "input", "output"},
    {kStandard, "Atan", 7, "input", "output"},
    {kStandard, "Atanh", 9, "input", "output"},
    {kStandard, "Attention", 23, "Q K V attn_mask? past_key? past_value?",
     "Y present_key? present_value? qk_matmul_output?"},
    {kStandard, "Attention", 23, "Q K V attn_mask? past_key? past_value?",
     "Y present_key? present_value? qk_matmul_output?"},
    {kStandard, "Attention", 24, "Q K V attn_mask? past_key? past_value? nonpad_kv_seqlen?",
     "Y present_key? present_value? qk_matmul_output?"},
    {kStandard, "Attention", 24, "Q K V attn_mask? past_key? past_value? nonpad_kv_seqlen?",
     "Y present_key? present_value? qk_matmul_output?"},
    {kStandard, "AveragePool", 1, "X", "Y"},
    {kStandard, "BatchNormalization", 1, "X scale B mean var", "Y mean? var? saved_mean? saved_var?"},
    {kStandard, "BatchNormalization", 14, "X scale B input_mean input_var", "Y running_mean? running_var?"},
    {kStandard, "BitCast", 26, "input", "output"},
    {kStandard, "BitShift", 11, "X Y", "Z"},
    {kStandard, "BitwiseAnd", 18, "A B", "C"},
    {kStandard, "BitwiseNot", 18, "X", "Y"},
    {kStandard, "BitwiseOr", 18, "A B", "C"},
    {kStandard, "BitwiseXor", 18, "A B", "C"},
    {kStandard, "Cast", 1, "input", "output"},
    {kStandard, "CastLike", 15, "input target_type", "output"},
    {kStandard, "CausalConvWithState", 27, "input weight bias? past_state?", "output present_state"},
    {kStandard, "Ceil", 1, "X", "Y"},
    {kStandard, "Celu", 12, "X", "Y"},
    {kStandard, "Clip", 1, "input", "output"},
    {kStandard, "Clip", 11, "input min? max?", "output"},
    {kStandard, "Col2Im", 18, "input image_shape block_shape", "output"},
    {kStandard, "Compress", 9, "input condition", "output"},
    {kStandard, "Concat", 1, "inputs...", "concat_result"},
    {kStandard, "Constant", 1, "", "output"},
    {kStandard, "ConstantOfShape", 9, "input", "output"},
    {kStandard, "Conv", 1, "X W B?", "Y"},
    {kStandard, "ConvInteger", 10, "x w x_zero_point? w_zero_point?", "y"},
    {kStandard, "ConvTranspose", 1, "X W B?", "Y"},
    {kStandard, "Cos", 7, "input", "output"},
    {kStandard, "Cosh", 9, "input", "output"},
    {kStandard, "CumProd", 26, "x axis", "y"},
    {kStandard, "CumSum", 11, "x axis", "y"},
    {kStandard, "DFT", 17, "input dft_length?", "output"},
    {kStandard, "DFT", 20, "input dft_length? axis?", "output"},
    {kStandard, "DeformConv", 19, "X W offset B? mask?", "Y"},
    {kStandard, "DepthToSpace", 1, "input", "output"},
    {kStandard, "DequantizeLinear", 10, "x x_scale x_zero_point?", "y"},
    {kStandard, "Det", 11, "X", "Y"},
    {kStandard, "Div", 1, "A B", "C"},
    {kStandard, "Dropout", 1, "data", "output mask?"},
    {kStandard, "Dropout", 12, "data ratio? training_mode?", "output mask?"},
    {kStandard, "DynamicQuantizeLinear", 11, "x", "y y_scale y_zero_point"},
    {kStandard, "Einsum", 12, "Inputs...", "Output"},
    {kStandard, "Elu", 1, "X", "Y"},
    {kStandard, "Equal", 1, "A B", "C"},
    {kStandard, "Erf", 9, "input", "output"},
    {kStandard, "Exp", 1, "input", "output"},
    {kStandard, "Expand", 8, "input shape", "output"},
    {kStandard, "EyeLike", 9, "input", "output"},
    {kStandard, "Flatten", 1, "input", "output"},
    {kStandard, "Floor", 1, "X", "Y"},
    {kStandard, "GRU", 1, "X W R B? sequence_lens? initial_h?", "Y? Y_h"},
    {kStandard, "GRU", 3, "X W R B? sequence_lens? initial_h?", "Y? Y_h?"},
    {kStandard, "Gather", 1, "data indices", "output"},
    {kStandard, "GatherElements", 11, "data indices", "output"},
    {kStandard, "GatherND", 11, "data indices", "output"},
    {kStandard, "Gelu", 20, "X", "Y"},
    {kStandard, "Gemm", 1, "A B C", "Y"},
    {kStandard, "Gemm", 11, "A B C?", "Y"},
    {kStandard, "GlobalAveragePool", 1, "X", "Y"},
    {kStandard, "GlobalLpPool", 1, "X", "Y"},
    {kStandard, "GlobalMaxPool", 1, "X", "Y"},
    {kStandard, "Greater", 1, "A B", "C"},
    {kStandard, "GreaterOrEqual", 12, "A B", "C"},
    {kStandard, "GridSample", 16, "X grid", "Y"},
    {kStandard, "HardSigmoid", 1, "X", "Y"},
    {kStandard, "HardSwish", 14, "X", "Y"},
    {kStandard, "Hardmax", 1, "input", "output"},
    {kStandard, "Identity", 1, "input", "output"},
    {kStandard, "If", 1, "cond", "outputs..."},
    {kStandard, "InstanceNormalization", 1, "input scale B", "output"},
    {kStandard, "IsInf", 10, "X", "Y"},
    {kStandard, "IsNaN", 9, "X", "Y"},
    {kStandard, "LRN", 1, "X", "Y"},
    {kStandard, "LSTM", 1, "X W R B? sequence_lens? initial_h? initial_c? P?", "Y? Y_h? Y_c?"},
    {kStandard, "LayerNormalization", 1, "X Scale B?", "Y Mean? InvStdDev?"},
    {kStandard, "LeakyRelu", 1, "X", "Y"},
    {kStandard, "Less", 1, "A B", "C"},
    {kStandard, "LessOrEqual", 12, "A B", "C"},
    {kStandard, "LinearAttention", 27, "query key value past_state? decay? beta?", "output present_state"},
    {kStandard, "Log", 1, "input", "output"},
    {kStandard, "LogSoftmax", 1, "input", "output"},
    {kStandard, "Loop", 1, "M? cond? v_initial...", "v_final_and_scan_outputs..."},
    {kStandard, "Loop", 11, "M? cond? v_initial...?", "v_final_and_scan_outputs..."},
    {kStandard, "LpNormalization", 1, "input", "output"},
    {kStandard, "LpPool", 1, "X", "Y"},
    {kStandard, "MatMul", 1, "A B", "Y"},
    {kStandard, "MatMulInteger", 10, "A B a_zero_point? b_zero_point?", "Y"},
    {kStandard, "Max", 1, "data_0...", "max"},
    {kStandard, "MaxPool", 1, "X", "Y"},
    {kStandard, "MaxPool", 8, "X", "Y Indices?"},
    {kStandard, "MaxRoiPool", 1, "X rois", "Y"},
    {kStandard, "MaxUnpool", 9, "X I output_shape?", "output"},
    {kStandard, "Mean", 1, "data_0...", "mean"},
    {kStandard, "MelWeightMatrix", 17, "num_mel_bins dft_length sample_rate lower_edge_hertz upper_edge_hertz",
     "output"},
    {kStandard, "Min", 1, "data_0...", "min"},
    {kStandard, "Mish", 18, "X", "Y"},
    {kStandard, "Mod", 10, "A B", "C"},
    {kStandard, "Mul", 1, "A B", "C"},
    {kStandard, "Neg", 1, "X", "Y"},
    {kStandard, "NonMaxSuppression", 10, "boxes scores max_output_boxes_per_class? iou_threshold? score_threshold?",
     "selected_indices"},
    {kStandard, "NonZero", 9, "X", "Y"},
    {kStandard, "Not", 1, "X", "Y"},
    {kStandard, "OneHot", 9, "indices depth values", "output"},
    {kStandard, "Or", 1, "A B", "C"},
    {kStandard, "PRelu", 1, "X slope", "Y"},
    {kStandard, "Pad", 1, "data", "output"},
    {kStandard, "Pad", 11, "data pads constant_value?", "output"},
    {kStandard, "Pad", 18, "data pads constant_value? axes?", "output"},
    {kStandard, "Pow", 1, "X Y", "Z"},
    {kStandard, "QLinearConv", 10, "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point B?", "y"},
    {kStandard, "QLinearMatMul", 10, "a a_scale a_zero_point b b_scale b_zero_point y_scale y_zero_point", "y"},
    {kStandard, "QuantizeLinear", 10, "x y_scale y_zero_point?", "y"},
    {kStandard, "RNN", 1, "X W R B? sequence_lens? initial_h?", "Y? Y_h?"},
    {kStandard, "Range", 11, "start limit delta", "output"},
    {kStandard, "Reciprocal", 1, "X", "Y"},
    {kStandard, "ReduceL1", 1, "data", "reduced"},
    {kStandard, "ReduceL1", 18, "data axes?", "reduced"},
    {kStandard, "ReduceL2", 1, "data", "reduced"},
    {kStandard, "ReduceL2", 18, "data axes?", "reduced"},
    {kStandard, "ReduceLogSum", 1, "data", "reduced"},
    {kStandard, "ReduceLogSum", 18, "data axes?", "reduced"},
    {kStandard, "ReduceLogSumExp", 1, "data", "reduced"},
    {kStandard, "ReduceLogSumExp", 18, "data axes?", "reduced"},
    {kStandard, "ReduceMax", 1, "data", "reduced"},
    {kStandard, "ReduceMax", 18, "data axes?", "reduced"},
    {kStandard, "ReduceMean", 1, "data", "reduced"},
    {kStandard, "ReduceMean", 18, "data axes?", "reduced"},
    {kStandard, "ReduceMin", 1, "data", "reduced"},
    {kStandard, "ReduceMin", 18, "data axes?", "reduced"},
    {kStandard, "ReduceProd", 1, "data", "reduced"},
    {kStandard, "ReduceProd", 18, "data axes?", "reduced"},
    {kStandard, "ReduceSum", 1, "data", "reduced"},
    {kStandard, "ReduceSum", 13, "data axes?", "reduced"},
    {kStandard, "ReduceSumSquare", 1, "data", "reduced"},
    {kStandard, "ReduceSumSquare", 18, "data axes?", "reduced"},
    {kStandard, "Relu", 1, "X", "Y"},
    {kStandard, "Reshape", 1, "data", "reshaped"},
    {kStandard, "Reshape", 5, "data shape", "reshaped"},
    {kStandard, "Resize", 10, "X scales", "Y"},
    {kStandard, "Resize", 11, "X roi? scales? sizes?", "Y"},
    {kStandard, "ReverseSequence", 10, "input sequence_lens", "Y"},
    {kStandard, "RoiAlign", 10, "X rois batch_indices", "Y"},
    {kStandard, "RotaryEmbedding", 23, "X cos_cache sin_cache position_ids?", "Y"},
    {kStandard, "Round", 11, "X", "Y"},
    {kStandard, "STFT", 17, "signal frame_step window? frame_length?", "output"},
    {kStandard, "Scan", 8, "sequence_lens? initial_state_and_scan_inputs...", "final_state_and_scan_outputs..."},
    {kStandard, "Scan", 9, "initial_state_and_scan_inputs...", "final_state_and_scan_outputs..."},
    {kStandard, "Scatter", 9, "data indices updates", "output"},
    {kStandard, "ScatterElements", 11, "data indices updates", "output"},
    {kStandard, "ScatterND", 11, "data indices updates", "output"},
    {kStandard, "Selu", 1, "X", "Y"},
    {kStandard, "Shape", 1, "data", "shape"},
    {kStandard, "Shrink", 9, "input", "output"},
    {kStandard, "Sigmoid", 1, "X", "Y"},
    {kStandard, "Sign", 9, "input", "output"},
    {kStandard, "SimplifiedLayerNormalization", 1, "X scale", "Y inv_std_var?"},
    {kStandard, "Sin", 7, "input", "output"},
    {kStandard, "Sinh", 9, "input", "output"},
    {kStandard, "Size", 1, "data", "size"},
    {kStandard, "Slice", 1, "data", "output"},
    {kStandard, "Slice", 10, "data starts ends axes? steps?", "output"},
    {kStandard, "Softmax", 1, "input", "output"},
    {kStandard, "Softplus", 1, "X", "Y"},
    {kStandard, "Softsign", 1, "input", "output"},
    {kStandard, "SpaceToDepth", 1, "input", "output"},
    {kStandard, "Split", 1, "input split?", "outputs..."},
    {kStandard, "Split", 2, "input", "outputs..."},
    {kStandard, "Split", 13, "input split?", "outputs..."},
    {kStandard, "Sqrt", 1, "X", "Y"},
    {kStandard, "Squeeze", 1, "data", "squeezed"},
    {kStandard, "Squeeze", 13, "data axes?", "squeezed"},
    {kStandard, "Sub", 1, "A B", "C"},
    {kStandard, "Sum", 1, "data_0...", "sum"},
    {kStandard, "Swish", 24, "X", "Y"},
    {kStandard, "Tan", 7, "input", "output"},
    {kStandard, "Tanh", 1, "input", "output"},
    {kStandard, "TensorScatter", 24, "past_cache update write_indices?", "present_cache"},
    {kStandard, "ThresholdedRelu", 10, "X", "Y"},
    {kStandard, "Tile", 1, "input tiles axis", "output"},
    {kStandard, "Tile", 6, "input repeats", "output"},
    {kStandard, "TopK", 1, "X", "Values Indices"},
    {kStandard, "TopK", 10, "X K", "Values Indices"},
    {kStandard, "Transpose", 1, "data", "transposed"},
    {kStandard, "Trilu", 14, "input k?", "output"},
    {kStandard, "Unique", 11, "X", "Y indices? inverse_indices? counts?"},
    {kStandard, "Unsqueeze", 1, "data", "expanded"},
    {kStandard, "Unsqueeze", 13, "data axes", "expanded"},
    {kStandard, "Upsample", 1, "X", "Y"},
    {kStandard, "Upsample", 9, "X scales", "Y"},
    {kStandard, "Where", 9, "condition X Y", "output"},
    {kStandard, "Xor", 1, "A B", "C"},
    {kMicrosoft, "Attention", 1, "input weights bias? mask_index? past? attention_bias? past_sequence_length?",
     "output present?"},
    {kMicrosoft, "BiasGelu", 1, "A B", "C"},
    {kMicrosoft, "DequantizeLinear", 1, "x x_scale x_zero_point?", "y"},
    {kMicrosoft, "DynamicQuantizeLSTM", 1,
     "X W R B? sequence_lens? initial_h? initial_c? P? W_scale W_zero_point R_scale R_zero_point", "Y? Y_h? Y_c?"},
    {kMicrosoft, "DynamicQuantizeMatMul", 1, "A B b_scale b_zero_point? bias?", "Y"},
    {kMicrosoft, "EmbedLayerNormalization", 1,
     "input_ids segment_ids? word_embedding position_embedding segment_embedding? gamma beta mask? position_ids?",
     "output mask_index? embedding_sum?"},
    {kMicrosoft, "FastGelu", 1, "X bias?", "Y"},
    {kMicrosoft, "FusedConv", 1, "X W B? Z?", "Y"},
    {kMicrosoft, "FusedGemm", 1, "A B C?", "Y"},
    {kMicrosoft, "FusedMatMul", 1, "A B", "Y"},
    {kMicrosoft, "GatherBlockQuantized", 1, "data indices scales zero_points?", "output"},
    {kMicrosoft, "Gelu", 1, "X", "Y"},
    {kMicrosoft, "GroupQueryAttention", 1,
     "query key? value? past_key? past_value? seqlens_k total_sequence_length cos_cache? sin_cache? position_ids? "
     "attention_bias? head_sink? k_scale? v_scale? q_norm_weight? k_norm_weight?",
     "output present_key? present_value? output_qk?"},
    {kMicrosoft, "MatMulIntegerToFloat", 1, "A B a_scale b_scale a_zero_point? b_zero_point? bias?", "Y"},
    {kMicrosoft, "MatMulNBits", 1, "A B scales zero_points? g_idx? bias?", "Y"},
    {kMicrosoft, "MultiHeadAttention", 1,
     "query key? value? bias? key_padding_mask? attention_bias? past_key? past_value? past_sequence_length? "
     "cache_indirection?",
     "output present_key? present_value? qk?"},
    {kMicrosoft, "NhwcMaxPool", 1, "x", "y"},
    {kMicrosoft, "QAttention", 1,
     "input weight bias input_scale weight_scale mask_index? input_zero_point? weight_zero_point? past?",
     "output present?"},
    {kMicrosoft, "QEmbedLayerNormalization", 1,
     "input_ids segment_ids? word_embedding_quant position_embedding_quant segment_embedding? gamma_quant beta_quant "
     "mask? "
     "word_embedding_scale position_embedding_scale segment_embedding_scale? gamma_scale beta_scale "
     "word_embedding_zero_point position_embedding_zero_point segment_embedding_zero_point? gamma_zero_point "
     "beta_zero_point",
     "layernorm_out mask_index_out"},
    {kMicrosoft, "QGemm", 1, "A a_scale a_zero_point B b_scale b_zero_point C? y_scale? y_zero_point?", "Y"},
    {kMicrosoft, "QLinearAdd", 1, "A A_scale A_zero_point? B B_scale B_zero_point? C_scale C_zero_point?", "C"},
    {kMicrosoft, "QLinearAveragePool", 1, "X x_scale x_zero_point? y_scale y_zero_point?", "Y"},
    {kMicrosoft, "QLinearConcat", 1, "Y_scale Y_zero_point inputs...", "Y"},
    {kMicrosoft, "QLinearConv", 1, "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point B?", "y"},
    {kMicrosoft, "QLinearGlobalAveragePool", 1, "X x_scale x_zero_point y_scale y_zero_point", "Y"},
    {kMicrosoft, "QLinearLeakyRelu", 1, "X X_scale X_zero_point? Y_scale Y_zero_point?", "Y"},
    {kMicrosoft, "QLinearMul", 1, "A A_scale A_zero_point? B B_scale B_zero_point? C_scale C_zero_point?", "C"},
    {kMicrosoft, "QLinearReduceMean", 1, "data data_scale data_zero_point? reduced_scale reduced_zero_point?",
     "reduced"},
    {kMicrosoft, "QLinearSigmoid", 1, "X X_scale X_zero_point? Y_scale Y_zero_point?", "Y"},
    {kMicrosoft, "QLinearSoftmax", 1, "X X_scale x_zero_point? y_scale y_zero_point", "Y"},
    {kMicrosoft, "QLinearWhere", 1, "condition X x_scale x_zero_point Y y_scale y_zero_point z_scale z_zero_point",
     "Z"},
    {kMicrosoft, "QuantizeLinear", 1, "x y_scale y_zero_point?", "y"},
    {kMicrosoft, "QuickGelu", 1, "X", "Y"},
    {kMicrosoft, "RotaryEmbedding", 1, "input position_ids cos_cache sin_cache", "output"},
    {kMicrosoft, "SkipLayerNormalization", 1, "input skip gamma beta? bias?",
     "output mean? inv_std_var? input_skip_bias_sum?"},
    {kMicrosoft, "SkipSimplifiedLayerNormalization", 1, "input skip gamma bias?",
     "output mean? inv_std_var? input_skip_bias_sum?"},
    {kMicrosoft, "TransposeMatMul", 1, "A B", "Y"},
    {kMicrosoft, "Trilu", 1, "X k?", "Y"},
});

std::vector<Parameter> parse_parameters(std::string_view text) {
  std::vector<Parameter> parameters;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    Parameter parameter;
    parameter.optional = word.ends_with('?');
    word.remove_suffix(parameter.optional ? 1 : 0);
    parameter.repeated = word.ends_with("...");
    word.remove_suffix(parameter.repeated ? 3 : 0);
    parameter.name = word;
    parameters.push_back(parameter);
  }
  return parameters;
}

std::vector<Signature> parse_signatures() {
  std::vector<Signature> signatures;
  for (const SignatureRow& row : kSignatureRows)
    signatures.push_back({parse_parameters(row.inputs), parse_parameters(row.outputs)});
  return signatures;
}

// How many arguments there must be; optional ones before the last required one count.
std::size_t fewest_arguments(const std::vector<Parameter>& parameters) {
  std::size_t count = parameters.size();
  while (count > 0 && parameters[count - 1].optional) --count;
  return count;
}

void check_count(std::size_t count, const std::vector<Parameter>& parameters, std::string_view kind) {
  if (const std::size_t fewest = fewest_arguments(parameters); count < fewest)
    fail(ErrorCode::kModel, "{} {} is missing", kind,
         parameters[count].optional ? parameters[fewest - 1].name : parameters[count].name);
  if (count > parameters.size() && (parameters.empty() || !parameters.back().repeated))
    fail(ErrorCode::kModel, "there are {} {}s, at most {} are wanted", count, kind, parameters.size());
}

}  // namespace

const Signature& signature_of(const Operator& op, int opset) {
  static const std::vector<Signature> signatures = parse_signatures();
  std::size_t found = kSignatureRows.size();
  const auto first = std::lower_bound(
      kSignatureRows.begin(), kSignatureRows.end(), op, [](const SignatureRow& row, const Operator& wanted) {
        return row.domain != wanted.domain ? row.domain < wanted.domain : row.op < wanted.name;
      });
  for (auto row = first; row != kSignatureRows.end() && row->op == op.name && row->domain == op.domain; ++row)
    if (row == first || row->since <= opset) found = static_cast<std::size_t>(row - kSignatureRows.begin());
  if (found == kSignatureRows.size()) fail(ErrorCode::kUnsupported, "{} has no signature", op.name);
  return signatures[found];
}

void check_arguments(const Operator& op, int opset, const std::vector<bool>& inputs, std::size_t outputs) {
  const Signature& signature = signature_of(op, opset);
  for (std::size_t i = 0; i < std::min(inputs.size(), signature.inputs.size()); ++i)
    if (!inputs[i] && (!signature.inputs[i].optional || signature.inputs[i].repeated))
      fail(ErrorCode::kModel, "input {} is missing", signature.inputs[i].name);
  check_count(inputs.size(), signature.inputs, "input");
  for (std::size_t i = signature.inputs.size(); i < inputs.size(); ++i)
    if (!inputs[i]) fail(ErrorCode::kModel, "input {} ({}) is missing", i, signature.inputs.back().name);
  check_count(outputs, signature.outputs, "output");
}

}  // namespace octet
