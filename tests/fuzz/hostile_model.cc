#include "hostile_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "octet/base/visit.h"
#include "octet/spec/signature.h"

namespace octet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

constexpr std::array kExtremeFloats = {0.0F,      -0.0F,      1e-45F, -1e-45F, 1e-38F, 3e38F,         -3e38F,
                                       kInfinity, -kInfinity, kNaN,   -1.0F,   0.5F,   2147483648.0F, 1e10F};
constexpr std::array<std::int64_t, 22> kExtremeInts = {0,
                                                       -1,
                                                       -2,
                                                       3,
                                                       4,
                                                       5,
                                                       7,
                                                       8,
                                                       16,
                                                       100,
                                                       127,
                                                       128,
                                                       255,
                                                       256,
                                                       -128,
                                                       -129,
                                                       65536,
                                                       std::int64_t{1} << 31,
                                                       -(std::int64_t{1} << 31),
                                                       std::int64_t{1} << 40,
                                                       kMost,
                                                       std::numeric_limits<std::int64_t>::min()};
constexpr std::array kTypes = {DType::kFloat,  DType::kUint8,        DType::kInt8,     DType::kInt32,    DType::kUint32,
                               DType::kInt64,  DType::kBool,         DType::kFloat16,  DType::kBFloat16, DType::kDouble,
                               DType::kInt16,  DType::kUint16,       DType::kUint64,   DType::kInt4,     DType::kUint4,
                               DType::kString, DType::kFloat8E4M3FN, DType::kComplex64};

// Attributes by name and kind: i and I are integers, f and F floats, s and S strings, t a tensor; capitals are lists.
struct AttributeRow {
  std::string_view domain, op, attributes;
};
constexpr std::array kAttributeRows = std::to_array<AttributeRow>({
    {"", "Abs", "consumed_inputs:I"},
    {"", "Add", "axis:i broadcast:i consumed_inputs:I"},
    {"", "And", "axis:i broadcast:i"},
    {"", "ArgMax", "axis:i keepdims:i select_last_index:i"},
    {"", "ArgMin", "axis:i keepdims:i select_last_index:i"},
    {"", "Attention",
     "is_causal:i kv_num_heads:i left_window_size:i q_num_heads:i qk_matmul_output_mode:i right_window_size:i scale:f "
     "softcap:f softmax_precision:i"},
    {"", "AveragePool", "auto_pad:s ceil_mode:i count_include_pad:i dilations:I kernel_shape:I pads:I strides:I"},
    {"", "BatchNormalization", "consumed_inputs:I epsilon:f is_test:i momentum:f spatial:i training_mode:i"},
    {"", "BitShift", "direction:s"},
    {"", "Cast", "round_mode:s saturate:i to:i"},
    {"", "CastLike", "round_mode:s saturate:i"},
    {"", "Ceil", "consumed_inputs:I"},
    {"", "Celu", "alpha:f"},
    {"", "Clip", "consumed_inputs:I max:f min:f"},
    {"", "Concat", "axis:i"},
    {"", "Constant", "value:t value_float:f value_floats:F value_int:i value_ints:I value_string:s value_strings:S"},
    {"", "ConstantOfShape", "value:t"},
    {"", "Conv", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"", "ConvInteger", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"", "ConvTranspose",
     "auto_pad:s dilations:I group:i kernel_shape:I output_padding:I output_shape:I pads:I strides:I"},
    {"", "CumSum", "exclusive:i reverse:i"},
    {"", "DepthToSpace", "blocksize:i mode:s"},
    {"", "DequantizeLinear", "axis:i block_size:i output_dtype:i"},
    {"", "Div", "axis:i broadcast:i consumed_inputs:I"},
    {"", "Dropout", "consumed_inputs:I is_test:i ratio:f seed:i"},
    {"", "Elu", "alpha:f consumed_inputs:I"},
    {"", "Equal", "axis:i broadcast:i"},
    {"", "Exp", "consumed_inputs:I"},
    {"", "EyeLike", "dtype:i k:i"},
    {"", "Flatten", "axis:i"},
    {"", "Floor", "consumed_inputs:I"},
    {"", "GRU",
     "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i "
     "linear_before_reset:i output_sequence:i"},
    {"", "Gather", "axis:i"},
    {"", "GatherElements", "axis:i"},
    {"", "GatherND", "batch_dims:i"},
    {"", "Gelu", "approximate:s"},
    {"", "Gemm", "alpha:f beta:f broadcast:i transA:i transB:i"},
    {"", "Greater", "axis:i broadcast:i"},
    {"", "HardSigmoid", "alpha:f beta:f consumed_inputs:I"},
    {"", "InstanceNormalization", "consumed_inputs:I epsilon:f"},
    {"", "IsInf", "detect_negative:i detect_positive:i"},
    {"", "LSTM",
     "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i layout:i "
     "output_sequence:i"},
    {"", "LayerNormalization", "axis:i epsilon:f stash_type:i"},
    {"", "LeakyRelu", "alpha:f consumed_inputs:I"},
    {"", "Less", "axis:i broadcast:i"},
    {"", "Log", "consumed_inputs:I"},
    {"", "LogSoftmax", "axis:i"},
    {"", "Max", "consumed_inputs:I"},
    {"", "MaxPool", "auto_pad:s ceil_mode:i dilations:I kernel_shape:I pads:I storage_order:i strides:I"},
    {"", "Mean", "consumed_inputs:I"},
    {"", "Min", "consumed_inputs:I"},
    {"", "Mod", "fmod:i"},
    {"", "Mul", "axis:i broadcast:i consumed_inputs:I"},
    {"", "Neg", "consumed_inputs:I"},
    {"", "OneHot", "axis:i"},
    {"", "Or", "axis:i broadcast:i"},
    {"", "PRelu", "consumed_inputs:I"},
    {"", "Pad", "mode:s paddings:I pads:I value:f"},
    {"", "Pow", "axis:i broadcast:i"},
    {"", "QLinearConv", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"", "QuantizeLinear", "axis:i block_size:i output_dtype:i precision:i saturate:i"},
    {"", "RNN",
     "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i output_sequence:i"},
    {"", "Range", "stash_type:i"},
    {"", "Reciprocal", "consumed_inputs:I"},
    {"", "ReduceL1", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceL2", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceLogSum", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceLogSumExp", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceMax", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceMean", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceMin", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceProd", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceSum", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "ReduceSumSquare", "axes:I keepdims:i noop_with_empty_axes:i"},
    {"", "Relu", "consumed_inputs:I"},
    {"", "Reshape", "allowzero:i consumed_inputs:I shape:I"},
    {"", "Resize",
     "antialias:i axes:I coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f "
     "keep_aspect_ratio_policy:s mode:s nearest_mode:s"},
    {"", "RotaryEmbedding", "interleaved:i num_heads:i rotary_embedding_dim:i"},
    {"", "Scatter", "axis:i"},
    {"", "ScatterElements", "axis:i reduction:s"},
    {"", "ScatterND", "reduction:s"},
    {"", "Selu", "alpha:f consumed_inputs:I gamma:f"},
    {"", "Shape", "end:i start:i"},
    {"", "Shrink", "bias:f lambd:f"},
    {"", "Sigmoid", "consumed_inputs:I"},
    {"", "SimplifiedLayerNormalization", "axis:i epsilon:f stash_type:i"},
    {"", "Slice", "axes:I ends:I starts:I"},
    {"", "Softmax", "axis:i"},
    {"", "SpaceToDepth", "blocksize:i mode:s"},
    {"", "Split", "axis:i num_outputs:i split:I"},
    {"", "Sqrt", "consumed_inputs:I"},
    {"", "Squeeze", "axes:I"},
    {"", "Sub", "axis:i broadcast:i consumed_inputs:I"},
    {"", "Sum", "consumed_inputs:I"},
    {"", "Swish", "alpha:f"},
    {"", "Tanh", "consumed_inputs:I"},
    {"", "TensorScatter", "axis:i mode:s"},
    {"", "ThresholdedRelu", "alpha:f"},
    {"", "TopK", "axis:i k:i largest:i sorted:i"},
    {"", "Transpose", "perm:I"},
    {"", "Trilu", "upper:i"},
    {"", "Unsqueeze", "axes:I"},
    {"", "Upsample", "height_scale:f mode:s scales:F width_scale:f"},
    {"", "Xor", "axis:i broadcast:i"},
    {"com.microsoft", "Attention",
     "do_rotary:i mask_filter_value:f num_heads:i past_present_share_buffer:i qkv_hidden_sizes:I scale:f "
     "unidirectional:i"},
    {"com.microsoft", "DequantizeLinear", "axis:i"},
    {"com.microsoft", "DynamicQuantizeLSTM",
     "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i"},
    {"com.microsoft", "EmbedLayerNormalization", "epsilon:f mask_index_type:i"},
    {"com.microsoft", "FusedConv",
     "activation:s activation_params:F auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"com.microsoft", "FusedGemm",
     "activation:s activation_alpha:f activation_beta:f activation_gamma:f alpha:f beta:f transA:i transB:i"},
    {"com.microsoft", "FusedMatMul", "alpha:f transA:i transB:i transBatchA:i transBatchB:i"},
    {"com.microsoft", "GatherBlockQuantized", "bits:i block_size:i gather_axis:i quantize_axis:i"},
    {"com.microsoft", "GroupQueryAttention",
     "causal:i do_rotary:i kv_num_heads:i local_window_size:i num_heads:i rotary_interleaved:i scale:f "
     "smooth_softmax:i "
     "softcap:f"},
    {"com.microsoft", "MatMulNBits", "K:i N:i accuracy_level:i bits:i block_size:i weight_prepacked:i"},
    {"com.microsoft", "MultiHeadAttention", "mask_filter_value:f num_heads:i scale:f unidirectional:i"},
    {"com.microsoft", "QAttention",
     "do_rotary:i mask_filter_value:f num_heads:i past_present_share_buffer:i scale:f unidirectional:i"},
    {"com.microsoft", "QEmbedLayerNormalization", "epsilon:f"},
    {"com.microsoft", "QGemm", "alpha:f transA:i transB:i"},
    {"com.microsoft", "QLinearAveragePool",
     "auto_pad:s ceil_mode:i channels_last:i count_include_pad:i kernel_shape:I pads:I strides:I"},
    {"com.microsoft", "QLinearConcat", "axis:i"},
    {"com.microsoft", "QLinearConv", "auto_pad:s channels_last:i dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"com.microsoft", "QLinearGlobalAveragePool", "channels_last:i"},
    {"com.microsoft", "QLinearLeakyRelu", "alpha:f"},
    {"com.microsoft", "QLinearReduceMean", "axes:I keepdims:i"},
    {"com.microsoft", "QLinearSoftmax", "axis:i opset:i"},
    {"com.microsoft", "QuantizeLinear", "axis:i"},
    {"com.microsoft", "QuickGelu", "alpha:f"},
    {"com.microsoft", "RotaryEmbedding", "interleaved:i num_heads:i rotary_embedding_dim:i scale:f"},
    {"com.microsoft", "SkipLayerNormalization", "epsilon:f"},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", "epsilon:f"},
    {"com.microsoft", "TransposeMatMul", "alpha:f transA:i transB:i"},
    {"com.microsoft", "Trilu", "upper:i"},
});
// What strings may say, by the attribute.
struct WordRow {
  std::string_view attribute;
  std::vector<std::string_view> words;
};
const std::vector<WordRow>& word_rows() {
  static const std::vector<WordRow> rows = {
      {"auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}},
      {"mode", {"constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic", "DCR", "CRD"}},
      {"coordinate_transformation_mode",
       {"half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "pytorch_half_pixel",
        "half_pixel_symmetric"}},
      {"nearest_mode", {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}},
      {"direction", {"LEFT", "RIGHT", "forward", "reverse", "bidirectional"}},
      {"reduction", {"none", "add", "mul", "max", "min"}},
      {"approximate", {"none", "tanh"}},
      {"keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}},
      {"activations", {"Tanh", "Sigmoid", "Relu"}}};
  return rows;
}

class HostileWriter {
 public:
  HostileWriter(const Operator& op, std::uint64_t seed) : op_(op), random_(seed) {}

  Model write() && {
    model_.ir_version = 10;
    const int standard = op_.domain.empty() ? pick_opset() : kNewestOpset;
    model_.opset_imports = {{"", standard}, {"com.microsoft", 1}};
    opset_ = op_.domain.empty() ? standard : 1;
    model_.graph.name = "hostile";
    calm_ = std::array<std::size_t, 4>{1, 4, 20, 400}[below(4)];
    size_ = odd(4) ? static_cast<std::int64_t>(below(5)) : 2;
    rank_ = odd(4) ? below(6) : usual_rank();
    style_ = one_in(3) ? Style::kQdq : one_in(6) ? Style::kDynamic : Style::kPlain;
    data_ = odd(4) ? kTypes[below(kTypes.size())] : usual_type();
    add_operator();
    return std::move(model_);
  }

 private:
  enum class Style { kPlain, kQdq, kDynamic };

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  // Something wrong, in a calm model less often.
  bool odd(std::size_t count) { return below(count * calm_) == 0; }

  int pick_opset() {
    if (one_in(2)) return kNewestOpset;
    return one_in(2) ? op_.versions[below(op_.versions.size())] : std::max(op_.versions.back(), 13);
  }

  static bool holds_any(std::string_view name, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return name.find(part) != name.npos; });
  }
  bool is_one_of(std::initializer_list<std::string_view> names) const {
    return std::find(names.begin(), names.end(), op_.name) != names.end();
  }
  bool quantizes() const {
    return op_.name.starts_with("QLinear") || op_.name == "QGemm" || holds_any(op_.name, {"Integer"});
  }
  bool recurs() const { return is_one_of({"RNN", "GRU", "LSTM", "DynamicQuantizeLSTM"}); }
  bool normalizes() const { return holds_any(op_.name, {"Normalization"}); }

  std::size_t usual_rank() {
    if (is_one_of({"Gemm", "QGemm"})) return 2;
    if (recurs() || op_.name == "QAttention") return 3;
    if (holds_any(op_.name, {"Skip", "Attention"})) return one_in(2) ? 3 : op_.name == "Attention" ? 4 : 2;
    if (holds_any(op_.name, {"Conv", "Pool"}) || normalizes() || holds_any(op_.name, {"Depth"}))
      return one_in(4) ? 3 : 4;
    return std::array<std::size_t, 4>{1, 2, 3, 4}[below(4)];
  }
  DType usual_type() {
    if (quantizes() || op_.name == "DequantizeLinear") return one_in(2) ? DType::kUint8 : DType::kInt8;
    if (is_one_of({"And", "Or", "Xor", "Not"})) return DType::kBool;
    if (op_.name == "BitShift") return one_in(2) ? DType::kUint8 : DType::kUint64;
    if (op_.name.starts_with("Bitwise") || op_.name == "Mod")
      return std::array{DType::kInt8, DType::kUint8, DType::kInt32, DType::kInt64}[below(4)];
    if (style_ == Style::kQdq || !one_in(4)) return DType::kFloat;
    return kTypes[below(11)];
  }

  float any_float() {
    return odd(3) ? kExtremeFloats[below(kExtremeFloats.size())] : 0.25F * static_cast<float>(1 + below(8));
  }
  std::int64_t any_int() {
    if (odd(3)) return kExtremeInts[below(kExtremeInts.size())];
    return one_in(2) ? 1 : static_cast<std::int64_t>(below(3));
  }

  Shape usual_shape(std::size_t rank) { return Shape(rank, size_); }
  Shape any_shape(std::size_t rank) {
    Shape shape = usual_shape(odd(6) ? below(6) : rank);
    for (std::int64_t& dim : shape)
      if (odd(8)) dim = static_cast<std::int64_t>(below(5));
    return shape;
  }

  Tensor filled(DType dtype, const Shape& shape) {
    if (dtype == DType::kString)
      return Tensor::from_strings(shape, std::vector<std::string>(static_cast<std::size_t>(element_count(shape)), "x"));
    Tensor tensor(dtype, shape);
    if (dtype == DType::kFloat) {
      for (float& element : tensor.mutable_as<float>()) element = any_float();
    } else if (dtype == DType::kBool) {
      for (bool& element : tensor.mutable_as<bool>()) element = one_in(2);
    } else if (is_integer(dtype)) {
      visit_integer(dtype, [&]<typename T>() {
        for (T& element : tensor.mutable_as<T>())
          element = static_cast<T>(bits(dtype) < 8 ? below(2) : one_in(2) ? 1 + below(3) : random_());
      });
    } else {
      for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(random_());
    }
    return tensor;
  }
  // Sizes, axes and the like: a vector or scalar of few small numbers.
  Tensor numbers(std::string_view name) {
    const bool scalar = holds_any(name, {"depth", "start", "limit", "delta"}) || name == "axis";
    std::size_t count = holds_any(name, {"shape", "repeats", "sizes", "input"}) ? rank_ : 1;
    if (name == "pads") count = 2 * rank_;
    if (odd(4)) count = below(9);
    Tensor tensor(odd(10) ? DType::kInt32 : DType::kInt64,
                  scalar != odd(6) ? Shape{} : Shape{static_cast<std::int64_t>(count)});
    if (tensor.dtype() == DType::kInt64)
      for (std::int64_t& element : tensor.mutable_as<std::int64_t>())
        element = holds_any(name, {"axes", "starts", "axis"}) && !odd(3) ? 0 : any_int();
    return tensor;
  }
  // A scale or a zero point: of the whole tensor, or one for each index of an axis.
  Shape parameter_shape() { return odd(2) ? (one_in(6) ? any_shape(2) : Shape{one_in(2) ? 1 : size_}) : Shape{}; }
  Tensor scale() {
    Tensor tensor(DType::kFloat, parameter_shape());
    for (float& element : tensor.mutable_as<float>())
      element = odd(4) ? kExtremeFloats[below(kExtremeFloats.size())] : 0.5F;
    return tensor;
  }
  DType integer_type() { return odd(8) ? kTypes[below(kTypes.size())] : one_in(3) ? DType::kInt8 : DType::kUint8; }

  std::string new_value(std::string_view name) { return std::string(name) + "_" + std::to_string(count_++); }

  // A constant, or an input of the graph of which more or less is known.
  std::string add_value(std::string_view name, Tensor tensor, bool constant) {
    const std::string value = new_value(name);
    if (constant) {
      model_.graph.initializers.push_back({.name = value, .tensor = std::move(tensor)});
      return value;
    }
    Value input{.name = value};
    input.type.dtype = tensor.dtype();
    if (!odd(8)) input.type.shape = symbolic(tensor.shape());
    if (input.type.shape && !input.type.shape->empty()) {
      if (one_in(6)) input.type.shape->front() = Dim::symbol("N");
      if (odd(12)) input.type.shape->back() = std::max<std::int64_t>(kExtremeInts[below(kExtremeInts.size())], 0);
    }
    if (one_in(12)) model_.graph.initializers.push_back({.name = value, .tensor = std::move(tensor)});
    model_.graph.inputs.push_back(std::move(input));
    return value;
  }

  std::string add_node(std::string_view op_type, std::vector<std::string> inputs) {
    Node node;
    node.op_type = op_type;
    node.inputs = std::move(inputs);
    node.outputs = {new_value(op_type)};
    model_.graph.nodes.push_back(node);
    return node.outputs[0];
  }

  bool is_bias(std::string_view name) const {
    return name == "bias" || name == "C" || (name == "B" && holds_any(op_.name, {"Conv"}));
  }

  Shape shape_of(std::string_view name, std::size_t i) {
    if (recurs()) {
      const std::int64_t gates = op_.name == "RNN" ? 1 : op_.name == "GRU" ? 3 : 4;
      if (name == "W" || name == "R") return {1, gates * size_, size_};
      if (name == "B") return {1, 2 * gates * size_};
      if (name == "P") return {1, 3 * size_};
      if (name.starts_with("initial")) return {1, size_, size_};
    }
    const bool vector = is_bias(name) || (normalizes() && i > 0);
    if (op_.name == "OneHot" && name == "values") return {2};
    return vector ? Shape{size_} : usual_shape(rank_);
  }

  // The type of the operand that a zero point belongs to: a_zero_point is A's.
  DType type_behind(std::string_view zero_point) const {
    const auto known = types_.find(static_cast<char>(zero_point.front() | 0x20));
    return known == types_.end() ? data_ : known->second;
  }

  Tensor small_numbers(DType dtype, const Shape& shape) {
    Tensor tensor(dtype, shape);
    visit_integer(dtype, [&]<typename T>() {
      for (T& element : tensor.mutable_as<T>())
        element = static_cast<T>(odd(6) ? any_int() : static_cast<std::int64_t>(below(2)));
    });
    return tensor;
  }

  // What fits operators whose arguments are of many kinds; nothing for those of one kind.
  std::optional<Tensor> fitting(std::string_view name, std::size_t i) {
    const DType byte = one_in(2) ? DType::kUint8 : DType::kInt8;
    if (op_.name == "DynamicQuantizeLSTM" && (i == 1 || i == 2)) return filled(DType::kUint8, {1, size_, 4 * size_});
    if (op_.name == "DynamicQuantizeLSTM" && i >= 8) return filled(i % 2 == 0 ? DType::kFloat : DType::kUint8, {1});
    if (op_.name == "MatMulNBits") {
      if (i == 0) return filled(DType::kFloat, {size_, 20});
      if (i == 1) return filled(DType::kUint8, {2, 2, 8});
      return i == 3 && one_in(2) ? filled(DType::kUint8, {2})
             : i == 4            ? filled(DType::kInt32, {20})
                                 : filled(DType::kFloat, {i == 5 ? 2 : 4});
    }
    if (op_.name == "QAttention") {
      if (i < 2) return filled(byte, i == 0 ? Shape{size_, size_, size_} : Shape{size_, 3 * size_});
      if (i == 5) return small_numbers(DType::kInt32, one_in(2) ? Shape{size_} : Shape{size_, size_});
      return i == 2   ? filled(DType::kFloat, {3 * size_})
             : i == 8 ? std::optional(filled(DType::kFloat, {2, size_, 1, 1, size_}))
                      : std::nullopt;
    }
    if (op_.name == "MultiHeadAttention" || op_.name == "GroupQueryAttention") {
      if (i < 3) return filled(DType::kFloat, {size_, size_, size_});
      if (name.starts_with("past_") && !name.ends_with("length"))
        return filled(DType::kFloat, {size_, 1, size_, size_});
      if (name == "seqlens_k") return small_numbers(DType::kInt32, {size_});
      if (name == "total_sequence_length") return small_numbers(DType::kInt32, {});
    }
    if (op_.name == "RotaryEmbedding" && i == 0) return filled(DType::kFloat, {size_, size_, size_, 2});
    if (name == "position_ids" && op_.name != "EmbedLayerNormalization")
      return small_numbers(DType::kInt64, {size_, size_});
    if (name.ends_with("_cache") && op_.name != "TensorScatter") return filled(DType::kFloat, {4, 1});
    if (op_.name == "EmbedLayerNormalization") {
      if (holds_any(name, {"ids", "mask"})) return small_numbers(DType::kInt32, {size_, size_});
      return filled(DType::kFloat, holds_any(name, {"embedding"}) ? Shape{4, size_} : Shape{size_});
    }
    if (name == "nonpad_kv_seqlen" || name == "write_indices") return small_numbers(DType::kInt64, {size_});
    return std::nullopt;
  }

  std::string argument(const Parameter& parameter, std::size_t i) {
    const std::string_view name = parameter.name;
    if (!odd(6))
      if (std::optional<Tensor> tensor = fitting(name, i)) return add_value(name, std::move(*tensor), one_in(2));
    if (name.ends_with("cale") && !normalizes()) return add_value(name, scale(), !one_in(8));
    if (holds_any(name, {"zero_point"}))
      return add_value(name, filled(odd(4) ? integer_type() : type_behind(name), parameter_shape()), !one_in(8));
    if (name == "sequence_lens") return add_value(name, filled(DType::kInt32, {size_}), one_in(2));
    if (name == "indices" && one_in(2)) {
      Tensor indices(DType::kInt64, any_shape(rank_));
      for (std::int64_t& index : indices.mutable_as<std::int64_t>())
        index = odd(4) ? any_int() : static_cast<std::int64_t>(below(2));
      return add_value(name, std::move(indices), one_in(2));
    }
    if (holds_any(name, {"shape", "axes", "axis", "repeats", "tiles", "pads", "starts", "ends", "steps", "sizes",
                         "split", "indices", "depth"}) ||
        name == "K" || name == "k" || is_one_of({"Range", "ConstantOfShape"}))
      return add_value(name, numbers(name), !one_in(5));
    if (name == "scales" || name == "roi") {
      Tensor factors(DType::kFloat, {static_cast<std::int64_t>(odd(5) ? below(9) : rank_)});
      for (float& factor : factors.mutable_as<float>())
        factor = odd(3) ? any_float() : static_cast<float>(1 + below(2));
      return add_value(name, std::move(factors), !one_in(5));
    }
    if (name == "condition") return add_value(name, filled(DType::kBool, any_shape(rank_)), one_in(3));
    return data_argument(name, i);
  }

  std::string data_argument(std::string_view name, std::size_t i) {
    const bool bias = is_bias(name);
    const Shape shape = odd(6) ? any_shape(rank_) : shape_of(name, i);
    DType dtype = data_;
    if (bias && quantizes()) dtype = op_.name == "MatMulIntegerToFloat" ? DType::kFloat : DType::kInt32;
    if (op_.name == "DynamicQuantizeMatMul")
      dtype = i == 1 ? (one_in(2) ? DType::kUint8 : DType::kInt8) : DType::kFloat;
    if (odd(10)) dtype = kTypes[below(kTypes.size())];
    if (quantizes() && i > 0 && !bias && (holds_any(op_.name, {"Conv", "MatMul"}) || op_.name == "QGemm") && one_in(2))
      dtype = dtype == DType::kInt8 ? DType::kUint8 : DType::kInt8;
    types_[static_cast<char>(name.front() | 0x20)] = dtype;
    const bool constant = i == 0 ? one_in(6) : !one_in(3);
    if (style_ == Style::kQdq && dtype == DType::kFloat && !one_in(8)) {
      const DType stored = bias ? DType::kInt32 : integer_type();
      std::vector<std::string> inputs = {add_value(name, filled(stored, shape), constant),
                                         add_value("scale", scale(), !odd(6))};
      if (!one_in(4))
        inputs.push_back(add_value("zero_point", bias ? Tensor(stored, {}) : filled(stored, parameter_shape()), true));
      return add_node("DequantizeLinear", std::move(inputs));
    }
    if (style_ == Style::kDynamic && i == 0) return dynamic_input(name, shape);
    return add_value(name, filled(dtype, shape), constant);
  }

  std::string dynamic_input(std::string_view name, const Shape& shape) {
    types_[static_cast<char>(name.front() | 0x20)] = DType::kUint8;
    const std::string x = add_value(name, filled(DType::kFloat, shape), false);
    const std::string integers = add_node("DynamicQuantizeLinear", {x});
    Node& node = model_.graph.nodes.back();
    node.outputs.push_back(new_value("scale"));
    node.outputs.push_back(new_value("zero_point"));
    return integers;
  }

  void add_operator() {
    const Signature& signature = signature_of(op_, opset_);
    Node node;
    node.name = one_in(3) ? "" : "node";
    node.op_type = op_.name;
    node.domain = op_.domain;
    for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
      const Parameter& parameter = signature.inputs[i];
      const std::size_t times = parameter.repeated ? 1 + below(4) : 1;
      for (std::size_t k = 0; k < times; ++k) {
        node.inputs.push_back((parameter.optional && one_in(2)) || odd(30) ? "" : argument(parameter, i));
        if (op_.name != "QLinearConcat" || !parameter.repeated) continue;
        node.inputs.push_back(argument({"scale"}, 0));
        node.inputs.push_back(argument({"inputs_zero_point"}, 0));
      }
    }
    if (odd(15) && !node.inputs.empty()) node.inputs.resize(below(node.inputs.size() + 1));
    if (odd(30)) node.inputs.push_back(add_value("more", filled(data_, usual_shape(rank_)), true));
    for (const Parameter& parameter : signature.outputs) {
      const std::size_t times = parameter.repeated ? 1 + below(3) : 1;
      for (std::size_t k = 0; k < times; ++k)
        node.outputs.push_back((parameter.optional && one_in(2)) || odd(30) ? "" : new_value("y"));
    }
    while (!odd(3) && node.outputs.size() > 1 && node.outputs.back().empty()) node.outputs.pop_back();
    if (odd(30)) node.outputs.resize(below(4));
    add_attributes(node);
    model_.graph.nodes.push_back(node);
    for (const std::string& output : node.outputs)
      if (!output.empty()) add_readers(output);
    if (model_.graph.outputs.empty() && !model_.graph.initializers.empty())
      model_.graph.outputs.push_back({.name = model_.graph.initializers[0].name});
  }

  void add_readers(std::string value) {
    if (style_ == Style::kDynamic) {
      value = add_node("Cast", {value});
      model_.graph.nodes.back().attributes.set("to", std::int64_t{1});
      value = add_node("Mul", {value, add_value("scale", scale(), true)});
    }
    if (one_in(6)) value = add_node(one_in(2) ? "Relu" : "Identity", {value});
    if (style_ == Style::kQdq && (data_ == DType::kFloat || odd(4))) {
      std::vector<std::string> inputs = {value, add_value("scale", scale(), !odd(6))};
      if (!one_in(4)) inputs.push_back(add_value("zero_point", filled(integer_type(), parameter_shape()), true));
      value = add_node("QuantizeLinear", inputs);
      if (one_in(2)) {
        inputs[0] = value;
        value = add_node("DequantizeLinear", inputs);
      }
    }
    Value output{.name = value};
    if (odd(10)) {  // the file may well be wrong about its type
      output.type.dtype = data_;
      output.type.shape = symbolic(any_shape(rank_));
    }
    model_.graph.outputs.push_back(std::move(output));
  }

  std::vector<std::int64_t> any_ints(std::string_view name) {
    const std::size_t spatial = rank_ - std::min<std::size_t>(rank_, 2);
    std::size_t count = name == "pads" ? 2 * spatial : spatial;
    if (name == "perm") count = rank_;
    if (holds_any(name, {"axes", "starts", "ends"})) count = 1;
    if (odd(3)) count = below(9);
    std::vector<std::int64_t> values(count);
    for (std::size_t k = 0; k < count; ++k) {
      values[k] = name == "perm" ? static_cast<std::int64_t>(count - 1 - k) : name == "axes" || name == "pads" ? 0 : 1;
      if (name == "kernel_shape") values[k] = size_;
      if (odd(3) || one_in(6)) values[k] = any_int();
    }
    return values;
  }
  std::string any_word(std::string_view attribute) {
    const std::vector<WordRow>& rows = word_rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const WordRow& r) { return r.attribute == attribute; });
    const WordRow& chosen = row == rows.end() || odd(10) ? rows[below(rows.size())] : *row;
    return odd(20) ? "\xff" : std::string(chosen.words[below(chosen.words.size())]);
  }

  AttributeValue any_attribute(std::string_view name, char kind) {
    if (odd(20)) kind = "iIfFsSt"[below(7)];
    switch (kind) {
      case 'i':
        if (odd(3)) return any_int();
        if (op_.name == "MatMulNBits")
          return name == "K"            ? 20
                 : name == "N"          ? 2
                 : name == "bits"       ? 4
                 : name == "block_size" ? 16
                 : one_in(2)            ? 4
                                        : 0;
        return name == "hidden_size"                               ? size_
               : name == "opset"                                   ? 13
               : name == "group" || holds_any(name, {"num_heads"}) ? 1
                                                                   : any_int();
      case 'I': return any_ints(name);
      case 'f': return any_float();
      case 'F': return std::vector<float>{any_float(), any_float()};
      case 's': return any_word(name);
      case 'S': return std::vector<std::string>{any_word(name), any_word(name), any_word(name)};
      default: return filled(one_in(2) ? data_ : kTypes[below(kTypes.size())], one_in(2) ? Shape{1} : any_shape(rank_));
    }
  }

  bool needs(std::string_view attribute) const {
    if (attribute == "kernel_shape") return holds_any(op_.name, {"Pool"});
    if (op_.name == "MatMulNBits" || holds_any(attribute, {"num_heads"})) return attribute != "weight_prepacked";
    return attribute == "to" || attribute == "hidden_size" || attribute == "blocksize" || attribute == "opset" ||
           (attribute == "direction" && op_.name == "BitShift");
  }

  void add_attributes(Node& node) {
    const auto row = std::find_if(kAttributeRows.begin(), kAttributeRows.end(),
                                  [&](const AttributeRow& r) { return r.op == op_.name && r.domain == op_.domain; });
    if (row == kAttributeRows.end()) return;
    for (std::string_view rest = row->attributes; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      const std::string_view name = word.substr(0, word.size() - 2);
      if (needs(name) ? !odd(8) : one_in(5)) node.attributes.set(std::string(name), any_attribute(name, word.back()));
    }
  }

  const Operator& op_;
  std::mt19937_64 random_;
  Model model_;
  int opset_ = 0;
  std::size_t calm_ = 1;  // the larger, the fewer things are wrong
  std::int64_t size_ = 2;
  std::size_t rank_ = 2, count_ = 0;
  Style style_ = Style::kPlain;
  DType data_ = DType::kFloat;
  std::map<char, DType> types_;  // of the operands so far, by the first letter of their names
};

}  // namespace

Model hostile_model(const Operator& op, std::uint64_t seed) { return HostileWriter(op, seed).write(); }

}  // namespace octet
