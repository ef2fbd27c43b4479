// interpret.cc: every step as loops. Each opens with its formula; all arrays are in row-major order.
#include "octet/integer/interpret.h"

#include <algorithm>
#include <span>

#include "octet/base/fail.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {
namespace {

using namespace integer;

// The elements of a tensor, whatever its type, as they are read and as they are made.
using Numbers = std::span<const std::int32_t>;
using Results = std::span<std::int32_t>;

// To the next index of an array, the last axis first; false behind the last one.
bool advance(Shape& index, const Shape& shape) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) return true;
    index[d] = 0;
  }
  return false;
}

std::int64_t place(const Shape& index, const std::vector<std::int64_t>& strides) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * strides[d];
  return sum;
}

Shape kernel_of(const std::vector<Axis>& axes) {
  Shape kernel;
  for (const Axis& axis : axes) kernel.push_back(axis.kernel);
  return kernel;
}

Shape output_of(const std::vector<Axis>& axes) {
  Shape output;
  for (const Axis& axis : axes) output.push_back(axis.output);
  return output;
}

// The pixel that a tap of the window at `at` reads, counted in its plane; nothing outside the image.
std::optional<std::int64_t> pixel(const std::vector<Axis>& axes, const Shape& at, const Shape& tap) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const std::int64_t i = at[d] * axes[d].stride + tap[d] * axes[d].dilation - axes[d].pad;
    if (i < 0 || i >= axes[d].input) return std::nullopt;
    number = number * axes[d].input + i;
  }
  return number;
}

std::int64_t pixels_of(const std::vector<Axis>& axes) {
  std::int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.input;
  return count;
}

// A sum in a register of 32 bits: what does not fit is lost. Losing it at the end or at every step is the same.
std::int32_t wrapped_sum(std::int64_t sum) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)); }

std::int32_t looked_up(const NumberTable& table, std::int32_t q) { return table[static_cast<std::size_t>(q & 255)]; }

// IntegerAddition     saturate((a * ma + b * mb + addend) >> shift), but on its exceptions
// Multiplication      p = (a - a_zero_point) * (b - b_zero_point); saturate((p * m + addend) >> shift), but on exceptions
std::int32_t paired(const Pair& pair, std::int32_t a, std::int32_t b) {
  if (const auto* addition = std::get_if<IntegerAddition>(&pair)) return (*addition)(a, b);
  const auto& product = std::get<Multiplication>(pair);
  return product.requantize((a - product.a_zero_point) * (b - product.b_zero_point));
}

class Interpreter {
 public:
  explicit Interpreter(const IntegerProgram& program) : program_(program), tensors_(program.tensors.size()) {}

  void set(TensorId tensor, const Tensor& elements) { tensors_[tensor] = convert(elements, DType::kInt32); }
  Tensor get(TensorId tensor) const { return convert(tensors_[tensor], program_.tensors[tensor].type); }

  void run() {
    for (const IntegerStep& step : program_.steps) std::visit(*this, step.task);
  }

  // y[n, o, i] = epilogue(start[o] + Sum over c and tap of (x[n, c, i * stride + tap * dilation - pad] - x_zero_point)
  //                                                        * (w[o, c, tap] - w_zero_point[o]))
  // c runs through the input channels of o's group. Outside the image, x is the padding.
  void operator()(const Convolution& step) {
    const Numbers x = numbers(step.x), w = numbers(step.w);
    const Results y = results(step.y);
    const Shape output = output_of(step.axes), kernel = kernel_of(step.axes);
    const std::int64_t plane = pixels_of(step.axes), products = step.group_inputs * element_count(kernel);
    std::int64_t element = 0;
    if (y.empty()) return;
    for (std::int64_t n = 0; n < step.batches; ++n)
      for (std::int64_t m = 0; m < step.groups * step.group_outputs; ++m) {
        const std::int64_t first = (n * step.groups + m / step.group_outputs) * step.group_inputs;
        Shape at(output.size(), 0);
        do {
          std::int64_t acc = one_or(step.sum.starts, m), k = m * products;
          for (std::int64_t c = first; c < first + step.group_inputs; ++c) {
            Shape tap(kernel.size(), 0);
            do {
              const std::optional<std::int64_t> inside = pixel(step.axes, at, tap);
              const std::int32_t value = inside ? number(x, c * plane + *inside) : step.padding;
              acc += product(step.sum, m, value, number(w, k++));
            } while (advance(tap, kernel));
          }
          store(y, element++, step.epilogue, wrapped_sum(acc), m);
        } while (advance(at, output));
      }
  }

  // y[b, i, j] = epilogue(start[j] + Sum_k (x[b, i, k] - x_zero_point) * (w[b, k, j] - w_zero_point[j]))
  void operator()(const MatrixProduct& step) {
    const Numbers x = numbers(step.x), w = numbers(step.w);
    const Results y = results(step.y);
    std::int64_t element = 0;
    for (const MatrixProduct::Offsets& first : step.matrices)
      for (std::int64_t i = 0; i < step.rows; ++i)
        for (std::int64_t j = 0; j < step.columns; ++j) {
          std::int64_t acc = one_or(step.sum.starts, j);
          for (std::int64_t k = 0; k < step.products; ++k)
            acc += product(step.sum, j, number(x, first.x + i * step.x_row + k * step.x_product),
                           number(w, first.w + j * step.w_column + k * step.w_product));
          store(y, element++, step.epilogue, wrapped_sum(acc), j);
        }
  }

  // y[i] = epilogue(pair(a[i], b[i])), where a and b may repeat along axes
  void operator()(const Pairwise& step) {
    const Numbers a = numbers(step.a), b = numbers(step.b);
    const Results y = results(step.y);
    Shape at(shape(step.y).size(), 0);
    for (std::size_t element = 0; element < y.size(); ++element, advance(at, shape(step.y)))
      store(y, static_cast<std::int64_t>(element), step.epilogue,
            paired(step.pair, number(a, place(at, step.a_strides)), number(b, place(at, step.b_strides))), 0);
  }

  // y[n, c] = epilogue(start + Sum over pixels of x[n, c, pixel])
  void operator()(const Average& step) {
    const Numbers x = numbers(step.x);
    const Results y = results(step.y);
    for (std::int64_t n = 0; n < step.batches; ++n)
      for (std::int64_t c = 0; c < step.channels; ++c) {
        const std::int64_t first = n * step.channels * step.pixels + c * step.channel_stride;
        std::int64_t acc = step.start;
        for (std::int64_t p = 0; p < step.pixels; ++p) acc += number(x, first + p * step.pixel_stride);
        store(y, n * step.channels + c, step.epilogue, wrapped_sum(acc), c);
      }
  }

  // y[n, c, o] = epilogue(max over taps of x[n, c, o * stride + tap * dilation - pad]), of those inside the image
  void operator()(const Maximum& step) {
    const Numbers x = numbers(step.x);
    const Results y = results(step.y);
    const Shape output = output_of(step.axes), kernel = kernel_of(step.axes);
    std::int64_t element = 0;
    if (y.empty()) return;
    for (std::int64_t plane = 0; plane < step.planes; ++plane) {
      Shape at(output.size(), 0);
      do {
        std::int32_t largest = step.lowest;
        Shape tap(kernel.size(), 0);
        do {
          if (const std::optional<std::int64_t> inside = pixel(step.axes, at, tap))
            largest = std::max(largest, number(x, plane * pixels_of(step.axes) + *inside));
        } while (advance(tap, kernel));
        store(y, element++, step.epilogue, largest, 0);
      } while (advance(at, output));
    }
  }

  // Row r of y: row r of the first part, then of the second, ...; y = table[x & 255]
  void operator()(const Concatenation& step) {
    const Results y = results(step.y);
    std::size_t element = 0;
    for (std::int64_t row = 0; row < step.rows; ++row)
      for (const Concatenation::Part& part : step.parts)
        for (std::int64_t i = 0; i < part.length; ++i)
          y[element++] = looked_up(part.table, number(numbers(part.x), row * part.length + i));
  }

  // y[i] = condition[i] ? a.table[a[i] & 255] : b.table[b[i] & 255], where each may repeat along axes
  void operator()(const Selection& step) {
    const Numbers condition = numbers(step.condition);
    const Results y = results(step.y);
    Shape at(shape(step.y).size(), 0);
    for (std::size_t element = 0; element < y.size(); ++element, advance(at, shape(step.y))) {
      const Selection::Operand& chosen = number(condition, place(at, step.condition_strides)) != 0 ? step.a : step.b;
      y[element] = looked_up(chosen.table, number(numbers(chosen.x), place(at, chosen.strides)));
    }
  }

  // y[i] = table[x[i] & 255]
  void operator()(const Table& step) {
    const Numbers x = numbers(step.x);
    const Results y = results(step.y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = looked_up(step.table, x[i]);
  }

  // y[i] = tables[i / run % channels][x[i] & 255]
  void operator()(const ChannelTables& step) {
    const Numbers x = numbers(step.x);
    const Results y = results(step.y);
    const auto run = static_cast<std::size_t>(step.run);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = looked_up(step.tables[i / run % step.tables.size()], x[i]);
  }

  // y[begin + i] = source[offset + Sum i[d] * strides[d]] for each i of each box; or by indices
  void operator()(const Move& step) {
    const Results y = results(step.y);
    const std::vector<std::int64_t> strides = strides_of(shape(step.y));
    for (const Box& box : step.boxes) {
      if (element_count(box.shape) == 0) continue;
      Shape at(box.shape.size(), 0);
      do {
        const std::int64_t element = place(box.begin, strides) + place(at, strides);
        y[static_cast<std::size_t>(element)] =
            box.source ? number(numbers(*box.source), box.offset + place(at, box.strides)) : step.fill;
      } while (advance(at, box.shape));
    }
    for (std::size_t element = 0; element < step.indices.size(); ++element)
      y[element] = step.indices[element] == 0 ? step.fill : number_of_all(step.sources, step.indices[element] - 1);
  }

 private:
  static std::int32_t number(Numbers numbers, std::int64_t index) { return numbers[static_cast<std::size_t>(index)]; }

  // Element `index` of tensors one after the other.
  std::int32_t number_of_all(const std::vector<TensorId>& tensors, std::int64_t index) const {
    std::size_t t = 0;
    for (; index >= static_cast<std::int64_t>(numbers(tensors[t]).size()); ++t)
      index -= static_cast<std::int64_t>(numbers(tensors[t]).size());
    return number(numbers(tensors[t]), index);
  }

  const Shape& shape(TensorId tensor) const { return program_.tensors[tensor].shape; }

  Numbers numbers(TensorId tensor) const { return tensors_[tensor].as<std::int32_t>(); }

  Results results(TensorId tensor) {
    tensors_[tensor] = Tensor(DType::kInt32, shape(tensor));
    return tensors_[tensor].mutable_as<std::int32_t>();
  }

  // (x - x_zero_point) * (w - w_zero_point[o])
  static std::int32_t product(const Sum& sum, std::int64_t m, std::int32_t x, std::int32_t w) {
    return (x - sum.x_zero_point) * (w - one_or(sum.w_zero_points, m));
  }

  // q goes through all stages; `m` is its output channel.
  //
  // Requantize   q = saturate((q * m + addend) >> shift), but on exceptions (spec/integer_requantizer.h)
  // Clamp        q = clamp(q, low, high)
  // LookUp       q = table[q & 255]
  // Combine      q = pair(q, other[element])
  void store(Results y, std::int64_t element, const Epilogue& epilogue, std::int32_t q, std::int64_t m) const {
    for (const Stage& stage : epilogue) {
      if (const auto* requantize = std::get_if<Requantize>(&stage))
        q = one_or(requantize->channels, m)(q);
      else if (const auto* clamp = std::get_if<Clamp>(&stage))
        q = std::clamp(q, clamp->low, clamp->high);
      else if (const auto* look_up = std::get_if<LookUp>(&stage))
        q = looked_up(look_up->table, q);
      else if (const auto* combine = std::get_if<Combine>(&stage))
        q = paired(combine->pair, q, number(numbers(combine->other), element));
    }
    y[static_cast<std::size_t>(element)] = q;
  }

  const IntegerProgram& program_;
  std::vector<Tensor> tensors_;  // of int32, each with the elements of one of the program's
};

const Tensor& checked_input(const IntegerTensor& wanted, const std::map<std::string, Tensor>& inputs) {
  const auto given = inputs.find(wanted.name);
  if (given == inputs.end()) fail(ErrorCode::kUsage, "input {} is missing", wanted.name);
  const Tensor& tensor = given->second;
  if (tensor.dtype() != wanted.type || tensor.shape() != wanted.shape)
    fail(ErrorCode::kUsage, "input {} is {}{}, wanted {}{}", wanted.name, name(tensor.dtype()),
         to_string(tensor.shape()), name(wanted.type), to_string(wanted.shape));
  return tensor;
}

}  // namespace

std::map<std::string, Tensor> interpret(const IntegerProgram& program, const std::map<std::string, Tensor>& inputs,
                                        bool keep_all) {
  Interpreter interpreter(program);
  for (const TensorId input : program.inputs) interpreter.set(input, checked_input(program.tensors[input], inputs));
  for (const auto& given : inputs)
    if (std::none_of(program.inputs.begin(), program.inputs.end(),
                     [&](TensorId input) { return program.tensors[input].name == given.first; }))
      fail(ErrorCode::kUsage, "the program has no input {}", given.first);
  for (TensorId tensor = 0; tensor < program.tensors.size(); ++tensor)
    if (!program.tensors[tensor].constant.empty()) interpreter.set(tensor, program.tensors[tensor].constant);
  interpreter.run();
  std::map<std::string, Tensor> results;
  for (TensorId tensor = 0; tensor < program.tensors.size(); ++tensor) {
    const bool output = std::find(program.outputs.begin(), program.outputs.end(), tensor) != program.outputs.end();
    if (output || (keep_all && program.tensors[tensor].constant.empty()))
      results.emplace(program.tensors[tensor].name, interpreter.get(tensor));
  }
  return results;
}

}  // namespace octet
