#include "octet/export/support/verilog_readme.h"

#include <fmt/format.h>

#include "octet/export/identifiers.h"

namespace octet {
namespace {

std::string host_steps(const std::vector<HostStep>& steps) {
  std::string names;
  for (const HostStep& step : steps) names += (names.empty() ? "" : ", ") + comment_text(step.name);
  return names.empty() ? "nothing" : names;
}

std::string port_text(const IntegerProgram& program, const Accelerator& to, TensorId id) {
  const IntegerTensor& tensor = program.tensors[id];
  const PlacedTensor& placed = to.tensors[id];
  std::string text = fmt::format("{}, pixels {}, channels {}: {}", tensor.type == DType::kInt8 ? "int8" : "uint8",
                                 placed.pixels, placed.channels, comment_text(tensor.name));
  if (tensor.meaning)
    text += fmt::format("\n             real = {} * (q - {})", tensor.meaning->scale, tensor.meaning->zero_point);
  return text;
}

}  // namespace

std::string verilog_summary(const IntegerProgram& program, const Accelerator& to, const AcceleratorWidths& widths) {
  std::int64_t products = 0;
  for (const AcceleratorStep& step : to.steps) products += step.useful;
  const int multipliers = to.shape.lanes * to.shape.columns;
  return fmt::format(
      "multipliers  {}: {} input channels by {} output channels\n"
      "steps        {}, {} products\n"
      "registers    accumulator {} bits, m {}, sum {}\n"
      "memories     weights: {} words of {} bits\n"
      "             image: {} words, results: {} words of {} bits\n"
      "input        {}\n"
      "output       {}\n"
      "the host's   before: {}\n"
      "             after: {}\n",
      multipliers, to.shape.lanes, to.shape.columns, to.steps.size(), products, widths.acc, widths.m, widths.sum,
      to.weights.size(), multipliers * widths.w, to.image_words, to.bank_words[0] + to.bank_words[1],
      8 * to.shape.lanes, port_text(program, to, to.image), port_text(program, to, to.result),
      host_steps(program.before), host_steps(program.after));
}

std::string verilog_readme(const IntegerProgram& program, const Accelerator& to, const AcceleratorWidths& widths) {
  std::string steps;
  Identifiers names;
  for (const AcceleratorStep& step : to.steps)
    steps += fmt::format("{:<40} {} of {}\n", names.make(step.name), step.addition ? "addition" : "sum of products",
                         comment_text(program.tensors[step.y].name));
  return fmt::format(R"(# A network in Verilog

```text
{}```

- `octet_top.v` is the top level; `octet_network.v` beneath it sets the parameters of `octet_accelerator.v`. The other modules
  are the same for every network.
- `steps.hex`, `weights.hex`, `channels.hex` and `additions.hex` are read with `$readmemh` when the design is elaborated: run
  simulators and synthesis in this folder.
- `cd bench && make` runs the network under Verilator on `vectors/` and compares every byte of every tensor; `make icarus` does
  it under Icarus Verilog, `make lint` runs `verilator --lint-only -Wall`.
- Bytes are sent and taken pixel after pixel, the channels of a pixel together; a byte moves in a cycle in which valid and ready
  are both high. Reset is synchronous. The next image may be sent as soon as `input_ready` is high again.
- The host quantizes the image, and computes what is float behind the result.

The steps:

```text
{}```
)",
                     verilog_summary(program, to, widths), steps);
}

}  // namespace octet
