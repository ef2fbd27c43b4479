// layer_normalization.cc: the meaning of LayerNormalization.
//
//   y = (x - mean) / sqrt(var + epsilon) * scale + b,      inv_std_dev = 1 / sqrt(var + epsilon)
//
// mean and var (of the population) are those of the elements from `axis` on. scale and b broadcast to x: where both are one
// row, the arithmetic is normal_rows.h's, in the type of x (float32 for the half types), else all is float64 and y rounded
// once. The second and third output are mean and inv_std_dev, in the type that stash_type names. ONNX Runtime's optimizer writes it in opsets
// before 17, too, where the standard does not have it.
#include <algorithm>
#include <optional>

#include "octet/base/memory_budget.h"
#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/normal_rows.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_layer_normalization(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "layer_normalization_c1");
  for (std::size_t input : {1U, 2U}) {
    if (input == 2 && !i.has(2)) continue;
    require_same_type(i, input, 0, "layer_normalization_c1");
    if (!i.has_shape(0) || !i.has_shape(input)) continue;
    const SymbolicShape& x = i.shape(0);
    const std::optional<SymbolicShape> common = broadcast(i.shape(input), x);
    bool fits = common && common->size() == x.size();
    for (std::size_t d = 0; fits && d < x.size(); ++d) fits = !surely_different((*common)[d], x[d]);
    if (!fits)
      fail_constraint("layer_normalization_c2", "input {} is {}, wanted what broadcasts to {}", input,
                      to_string(i.shape(input)), to_string(x));
  }
  const std::int64_t stash = i.attributes().get_int("stash_type", 1);
  if (stash != static_cast<int>(DType::kFloat) && stash != static_cast<int>(DType::kBFloat16))
    fail_constraint("layer_normalization_c4", "stash_type is {}, wanted 1 (float32) or 16 (bfloat16)", stash);

  std::optional<SymbolicShape> moments = i.input(0).shape;
  if (moments) {
    const std::size_t axis =
        normalize_axis(i.attributes().get_int("axis", -1), moments->size(), "layer_normalization_c3");
    for (std::size_t d = axis; d < moments->size(); ++d) (*moments)[d] = 1;
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
  i.set_output(1, static_cast<DType>(stash), moments);
  i.set_output(2, static_cast<DType>(stash), std::move(moments));
}

// Where the elements of scale or b lie, x being seen as rows of the elements from `axis` on.
class Parameter {
 public:
  Parameter(const Shape& shape, const Shape& x, std::size_t axis)
      : strides_(broadcast_strides(shape, x)), outer_(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis)) {
    const Shape inner(x.begin() + static_cast<std::ptrdiff_t>(axis), x.end());
    const auto length = static_cast<std::size_t>(element_count(inner));
    charge_.emplace(length * sizeof(std::int64_t));
    along_.reserve(length);
    for (std::int64_t k = 0; k < element_count(inner); ++k) along_.push_back(offset(k, inner, axis));
  }

  std::int64_t row(std::int64_t index) const { return offset(index, outer_, 0); }
  std::int64_t along(std::int64_t k) const { return along_[static_cast<std::size_t>(k)]; }

 private:
  std::int64_t offset(std::int64_t index, const Shape& shape, std::size_t first) const {
    std::int64_t sum = 0;
    for (std::size_t d = shape.size(); d-- > 0; index /= shape[d]) sum += index % shape[d] * strides_[first + d];
    return sum;
  }

  std::vector<std::int64_t> strides_;
  Shape outer_;
  std::optional<MemoryCharge> charge_;  // for `along_`
  std::vector<std::int64_t> along_;     // offsets within a row
};

// Whether a parameter of this shape is the same for every row, element by element.
bool one_row(const Shape& shape, std::int64_t length, std::size_t axis, std::size_t rank) {
  const auto first = std::find_if(shape.begin(), shape.end(), [](std::int64_t dimension) { return dimension != 1; });
  return element_count(shape) == length && static_cast<std::size_t>(shape.end() - first) <= rank - axis;
}

template <typename T>
NormalRow<double> centred_row_in_double(const T* x, std::int64_t length, T epsilon) {
  double sum = 0, squares = 0;
  for (std::int64_t k = 0; k < length; ++k) sum += static_cast<double>(x[k]);
  const double mean = sum / static_cast<double>(length);
  for (std::int64_t k = 0; k < length; ++k) {
    const double centred = static_cast<double>(x[k]) - mean;
    squares += centred * centred;
  }
  return {mean, deviation_of(squares, length, static_cast<double>(epsilon))};
}

template <typename T>
void normalize_layers(Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t axis =
      normalize_axis(call.attributes().get_int("axis", -1), input.shape().size(), "layer_normalization_c3");
  const std::int64_t rows = element_count(std::span(input.shape()).first(axis));
  const std::int64_t length = element_count(std::span(input.shape()).subspan(axis));
  const T epsilon = static_cast<T>(call.attributes().get_float("epsilon", 1e-5F));
  const T* x = input.as<T>().data();
  const T* scale = call.input(1).as<T>().data();
  const T* bias = call.has(2) ? call.input(2).as<T>().data() : nullptr;
  const Parameter scale_at(call.input(1).shape(), input.shape(), axis);
  const Parameter bias_at(bias ? call.input(2).shape() : Shape(), input.shape(), axis);
  T* y = call.output(0).mutable_as<T>().data();
  Tensor mean(dtype_of<T>(), {rows}), inverse(dtype_of<T>(), {rows});
  const std::span<T> means = mean.mutable_as<T>(), inverses = inverse.mutable_as<T>();

  const bool plain = one_row(call.input(1).shape(), length, axis, input.shape().size()) &&
                     (!bias || one_row(call.input(2).shape(), length, axis, input.shape().size()));
  call.parallel().for_each_block(rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T* elements = x + row * length;
      T *to = y + row * length, &row_mean = means[static_cast<std::size_t>(row)],
        &row_inverse = inverses[static_cast<std::size_t>(row)];
      if (plain) {
        const NormalRow<T> normal = layer_row(elements, length, epsilon);
        row_mean = normal.mean;
        row_inverse = normal.inverse();
        write_normal_row<T>(normal, elements, length, scale, bias, to);
        continue;
      }
      const NormalRow<double> normal = centred_row_in_double(elements, length, epsilon);
      row_mean = static_cast<T>(normal.mean);
      row_inverse = static_cast<T>(normal.inverse());
      const T* row_scale = scale + scale_at.row(row);
      const T* row_bias = bias ? bias + bias_at.row(row) : nullptr;
      for (std::int64_t k = 0; k < length; ++k) {
        const auto value = static_cast<double>(elements[k]), factor = static_cast<double>(row_scale[scale_at.along(k)]);
        to[k] = static_cast<T>(row_bias ? normal(value, factor, static_cast<double>(row_bias[bias_at.along(k)]))
                                        : normal(value, factor));
      }
    }
  });
  if (call.wants(1)) call.set_output(1, convert(mean, call.output_dtype(1)).reshaped(call.output_shape(1)));
  if (call.wants(2)) call.set_output(2, convert(inverse, call.output_dtype(2)).reshaped(call.output_shape(2)));
}

void compute_layer_normalization(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() { normalize_layers<T>(call); });
}

}  // namespace

const Operator ops::kLayerNormalization = {
    .name = "LayerNormalization",
    .versions = {1, 17},
    .formula = "y = (x - mean) / sqrt(var + epsilon) * scale + b, over the axes from axis on",
    .constraints = {{"layer_normalization_c1", "x, scale and b have the same floating-point type"},
                    {"layer_normalization_c2", "scale and b broadcast to x"},
                    {"layer_normalization_c3", "axis is in [-rank, rank - 1]"},
                    {"layer_normalization_c4", "stash_type is float32 or bfloat16"}},
    .infer = infer_layer_normalization,
    .compute = compute_layer_normalization,
    .traits = {Trait::kManyTerms, Trait::kFunction},
};

}  // namespace octet
