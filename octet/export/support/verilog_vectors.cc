#include "octet/export/support/verilog_vectors.h"

#include <fmt/format.h>

#include "octet/export/identifiers.h"
#include "octet/integer/interpret.h"
#include "octet/spec/random.h"

namespace octet {
namespace {

// [1, channels, pixels...] becomes pixel after pixel.
void append_bytes(std::string& text, const Tensor& tensor) {
  const std::int64_t channels = tensor.shape()[1], pixels = tensor.size() / channels;
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
    for (std::int64_t channel = 0; channel < channels; ++channel)
      text +=
          fmt::format("{:02x}{}", tensor.int_at(channel * pixels + pixel) & 255, channel + 1 == channels ? '\n' : ' ');
}

Tensor random_image(const IntegerTensor& like, std::uint64_t seed) {
  Tensor wide(DType::kInt32, like.shape);
  const IntegerRange range = integer_range(like.type);
  std::uint64_t index = 0;
  for (std::int32_t& number : wide.mutable_as<std::int32_t>())
    number = static_cast<std::int32_t>(range.min + static_cast<std::int64_t>(mix({seed, index++}) & 255));
  return convert(wide, like.type);
}

}  // namespace

std::string tensors_text(const IntegerProgram& program, const Accelerator& to) {
  const PlacedTensor& image = to.tensors[to.image];
  std::string text = fmt::format("{} {}\n", to.shape.lanes * to.shape.columns, image.channels * image.pixels);
  Identifiers names;
  for (const AcceleratorStep& step : to.steps) {
    const PlacedTensor& y = to.tensors[step.y];
    const Shape& shape = program.tensors[step.y].shape;
    const std::int64_t columns = shape.size() > 2 ? shape.back() : 1;
    text += fmt::format("{} {} {} {} {} {}\n", y.channels, y.pixels / columns, columns, y.pixel_words * to.shape.lanes,
                        step.useful, names.make(step.name));
  }
  return text;
}

std::int64_t vector_bytes(const Accelerator& to) {
  const auto bytes = [&](TensorId tensor) { return to.tensors[tensor].channels * to.tensors[tensor].pixels; };
  std::int64_t sum = bytes(to.image);
  for (const AcceleratorStep& step : to.steps) sum += bytes(step.y);
  return sum;
}

std::string vector_text(const IntegerProgram& program, const Accelerator& to, std::uint64_t seed) {
  const IntegerTensor& input = program.tensors[to.image];
  const Tensor image = random_image(input, seed);
  const std::map<std::string, Tensor> tensors = interpret(program, {{input.name, image}}, true);
  std::string text;
  append_bytes(text, image);
  for (const AcceleratorStep& step : to.steps) append_bytes(text, tensors.at(program.tensors[step.y].name));
  return text;
}

}  // namespace octet
