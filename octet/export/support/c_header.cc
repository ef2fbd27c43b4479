#include "octet/export/support/c_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "octet/export/identifiers.h"
#include "octet/export/support/c_step.h"

namespace octet {
namespace {

// What a caller must know of a tensor that he passes.
std::string port_text(const CHeader& header, const CTensor& port, const std::string& what) {
  const CValue& value = header.values[port.value];
  const ProgramValue& said = header.program.values[port.value];
  const std::string prefix = upper_case(header.source.name + "_" + port.identifier);
  std::string text = fmt::format("/* {}: {}, {} {}, row-major */\n", what, comment_text(said.name), name(value.type),
                                 to_string(value.shape));
  text += fmt::format("#define {}_ELEMENTS {}\n", prefix, value.elements());
  text += fmt::format("#define {}_RANK {}\n", prefix, value.shape.size());
  for (std::size_t d = 0; d < value.shape.size(); ++d)
    text += fmt::format("#define {}_DIM_{} {}\n", prefix, d, value.shape[d]);
  if (said.quantization && is_integer(value.type))
    text += fmt::format("#define {0}_SCALE {1} /* real = scale * (q - zero point) */\n#define {0}_ZERO_POINT ({2})\n",
                        prefix, c_float(said.quantization->scale), said.quantization->zero_point);
  return text + "\n";
}

}  // namespace

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string run_prototype(const CValues& values, const std::string& name, const std::vector<CTensor>& inputs,
                          const std::vector<CTensor>& outputs) {
  std::string arguments;
  for (const CTensor& input : inputs)
    arguments += fmt::format("{}const {} *in_{}", arguments.empty() ? "" : ", ", c_type(values[input.value].type),
                             input.identifier);
  for (const CTensor& output : outputs)
    arguments += fmt::format("{}{} *out_{}", arguments.empty() ? "" : ", ", c_type(values[output.value].type),
                             output.identifier);
  return fmt::format("void {}({})", name, arguments.empty() ? "void" : arguments);
}

std::string header_text(const CHeader& header) {
  const CSource& source = header.source;
  const std::string upper = upper_case(source.name);
  std::string text = fmt::format(
      "/* {}: a network as C. Made by Octet. */\n#ifndef {}_H\n#define {}_H\n\n#include <stdbool.h>\n#include "
      "<stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      comment_text(header.program.name), upper, upper);
  text += fmt::format(
      "/* Static memory, all that there is: values while they are needed, and what a step needs for itself. */\n"
      "#define {0}_MEMORY_BYTES {1}\n#define {0}_SCRATCH_BYTES {2}\n\n",
      upper, std::max<std::int64_t>(source.memory_bytes, 1), std::max<std::int64_t>(source.scratch_bytes, 1));
  for (const CTensor& input : source.inputs) text += port_text(header, input, "input");
  for (const CTensor& output : source.outputs) text += port_text(header, output, "output");
  text += fmt::format("/* From inputs to outputs. Of one thread at a time. */\n{};\n",
                      run_prototype(header.values, source.name + "_run", source.inputs, source.outputs));
  if (!source.integer_outputs.empty()) {
    text += "\n";
    const auto is_new = [&](const CTensor& port) {
      const auto same = [&](const CTensor& other) { return other.identifier == port.identifier; };
      return std::none_of(source.inputs.begin(), source.inputs.end(), same) &&
             std::none_of(source.outputs.begin(), source.outputs.end(), same);
    };
    for (const CTensor& input : source.integer_inputs)
      if (is_new(input)) text += port_text(header, input, "integers that go in");
    for (const CTensor& output : source.integer_outputs)
      if (is_new(output)) text += port_text(header, output, "integers that come out");
    text += fmt::format(
        "/* The part between the float borders, in integers alone. */\n{};\n",
        run_prototype(header.values, source.name + "_run_integers", source.integer_inputs, source.integer_outputs));
  }
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace octet
