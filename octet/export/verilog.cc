#include "octet/export/verilog.h"

#include <fmt/format.h>

#include <algorithm>

#include "octet/base/error.h"
#include "octet/base/fail.h"
#include "octet/export/accelerator_memories.h"
#include "octet/export/hardware_files.h"
#include "octet/export/identifiers.h"
#include "octet/export/support/verilog_readme.h"
#include "octet/export/support/verilog_vectors.h"
#include "octet/integer/integer_steps.h"

namespace octet {
namespace {

// One name, one value, in the order in which they are written.
using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parameters(const Accelerator& to, const AcceleratorWidths& widths, const AcceleratorMemories& memories) {
  Parameters all;
  const auto add = [&](const char* name, std::int64_t value) { all.emplace_back(name, std::to_string(value)); };
  const PlacedTensor &image = to.tensors[to.image], &result = to.tensors[to.place_of[to.result]];
  add("LANES", to.shape.lanes);
  add("LEVELS", to.shape.levels);
  add("COLUMNS", to.shape.columns);
  add("REQUANTIZERS", to.shape.requantizers);
  add("FIELD_BITS", widths.field);
  add("STEPS", static_cast<std::int64_t>(to.steps.size()));
  add("W_BITS", widths.w);
  add("WEIGHT_WORDS", static_cast<std::int64_t>(memories.weights.size()));
  add("ACC_BITS", widths.acc);
  add("M_BITS", widths.m);
  add("SUM_BITS", widths.sum);
  add("SHIFT_BITS", widths.shift);
  add("EXCEPTIONS", widths.exceptions);
  add("LENGTH_BITS", widths.length);
  add("CHANNEL_WORDS", static_cast<std::int64_t>(memories.channels.size()));
  add("ADD_M_BITS", widths.add_m);
  add("ADD_SUM_BITS", widths.add_sum);
  add("ADD_SHIFT_BITS", widths.add_shift);
  add("ADD_EXCEPTIONS", widths.add_exceptions);
  add("IMAGE_CHANNELS", image.channels);
  add("IMAGE_PIXELS", image.pixels);
  add("IMAGE_WORDS", to.image_words);
  add("BANK0_WORDS", to.bank_words[0]);
  add("BANK1_WORDS", to.bank_words[1]);
  add("OUTPUT_BANK", result.bank);
  add("OUTPUT_BASE", result.base);
  add("OUTPUT_CHANNELS", result.channels);
  add("OUTPUT_PIXELS", result.pixels);
  add("OUTPUT_PIXEL_WORDS", result.pixel_words);
  for (const char* memory : {"STEPS", "WEIGHTS", "CHANNELS", "ADDITIONS"}) {
    std::string file = memory;
    for (char& c : file) c = static_cast<char>(c - 'A' + 'a');
    all.emplace_back(fmt::format("{}_FILE", memory), fmt::format("\"{}.hex\"", file));
  }
  return all;
}

constexpr std::string_view kHostPorts = R"(    input  wire       clock,
    input  wire       reset,         // synchronous
    input  wire       input_valid,
    output wire       input_ready,
    input  wire [7:0] input_data,
    output wire       output_valid,
    input  wire       output_ready,
    output wire [7:0] output_data)";

constexpr std::string_view kHostWires =
    R"(.clock(clock), .reset(reset), .input_valid(input_valid), .input_ready(input_ready), .input_data(input_data),
        .output_valid(output_valid), .output_ready(output_ready), .output_data(output_data))";

constexpr std::string_view kObservedWires =
    R"(.observed_valid(observed_valid), .observed_step(observed_step), .observed_word(observed_word),
        .observed_lanes(observed_lanes), .observed_data(observed_data), .observed_running(observed_running))";

std::string observed(std::string_view kind, const Accelerator& to, int field, std::string_view end) {
  return fmt::format(
      "    {0} observed_valid{1}\n    {0} [7:0] observed_step{1}\n    {0} [{2}:0] observed_word{1}\n"
      "    {0} [{3}:0] observed_lanes{1}\n    {0} [{4}:0] observed_data{1}\n    {0} observed_running",
      kind, end, field - 1, to.shape.lanes - 1, 8 * to.shape.lanes - 1);
}

std::string top_text(const IntegerProgram& program, const Accelerator& to, int field) {
  const PlacedTensor &image = to.tensors[to.image], &result = to.tensors[to.result];
  return fmt::format(R"(// octet_top: the network "{}" on {} multipliers.
//
// The host sends the {} bytes of an image and takes the {} of the result, each pixel after pixel, the channels of a pixel
// together. A byte moves in a cycle in which valid and ready are both high.
module octet_top (
{}
);
{};
    octet_network network (
        {},
        {});

    wire unused = &{{1'b0, observed_valid, observed_step, observed_word, observed_lanes, observed_data, observed_running}};
endmodule
)",
                     comment_text(program.name), to.shape.lanes * to.shape.columns, image.channels * image.pixels,
                     result.channels * result.pixels, kHostPorts, observed("wire", to, field, ";"), kHostWires,
                     kObservedWires);
}

std::string network_text(const Accelerator& to, const Parameters& all, int field) {
  std::string set;
  for (const auto& [parameter, value] : all)
    set += fmt::format("{}        .{}({})", set.empty() ? "" : ",\n", parameter, value);
  return fmt::format(
      R"(// octet_network: the accelerator with this network's parameters, and the ports that a bench observes.
module octet_network (
{},
{}
);
    octet_accelerator #(
{}
    ) accelerator (
        {},
        {});
endmodule
)",
      kHostPorts, observed("output wire", to, field, ","), set, kHostWires, kObservedWires);
}

}  // namespace

IntegerProgram hardware_program(const Program& program, int multipliers) {
  try {
    return integer_program(program, {.host_border = true});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    IntegerSteps found = integer_steps(program);
    IntegerProgram integers{.tensors = std::move(found.tensors)};
    for (std::size_t s = 0; s < program.steps.size(); ++s)
      if (found.tasks[s]) integers.steps.push_back({program.steps[s].name, *std::move(found.tasks[s])});
    const std::string lacking = accelerator_refusals(integers, multipliers);
    if (lacking.empty()) throw;
    fail(ErrorCode::kUnsupported, "{}\n  and the accelerator does not have:{}", error.message(), lacking);
  }
}

VerilogFiles verilog(const IntegerProgram& program, const VerilogOptions& options) {
  const Accelerator to = accelerator(program, options.multipliers);
  const AcceleratorWidths widths = accelerator_widths(to);
  const AcceleratorMemories memories = accelerator_memories(to, widths);
  const Parameters all = parameters(to, widths, memories);
  VerilogFiles made;
  const auto add = [&](std::string name, std::string contents) {
    made.files.push_back({std::move(name), std::move(contents)});
  };
  for (const EmbeddedFile& file : kHardwareFiles) add(std::string(file.name), std::string(file.text));
  add("octet_top.v", top_text(program, to, widths.field));
  add("octet_network.v", network_text(to, all, widths.field));
  add("steps.hex", hex_lines(memories.steps));
  add("weights.hex", hex_lines(memories.weights));
  add("channels.hex", hex_lines(memories.channels));
  add("additions.hex", hex_lines(memories.additions));
  add("tensors.txt", tensors_text(program, to));
  add("octet_network.vh",
      fmt::format("// What bench.v needs to know.\n`define OCTET_LANES {}\n`define OCTET_FIELD_BITS {}\n"
                  "`define OCTET_STEPS {}\n`define OCTET_VECTOR_BYTES {}\n",
                  to.shape.lanes, widths.field, to.steps.size(), vector_bytes(to)));
  std::string images;  // that belong to this network, whatever an earlier export has left beside them
  for (int image = 0; image < options.images; ++image) {
    const std::string name = fmt::format("vectors/image_{}.hex", image);
    images += name + "\n";
    add(name, vector_text(program, to, static_cast<std::uint64_t>(image)));
  }
  add("images.txt", std::move(images));
  add("README.md", verilog_readme(program, to, widths));
  made.summary = verilog_summary(program, to, widths);
  made.host_products = host_products(program);
  return made;
}

}  // namespace octet
