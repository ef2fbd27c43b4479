// export_verilog.cc: octet export --verilog
#include "cli/export_verilog.h"

#include "octet/export/verilog.h"
#include "octet/program/resolve.h"

namespace octet::cli {
namespace {

// The hardware takes one image after the other: a first dimension that is a symbol is 1.
Program of_one_image(const Program& program) {
  std::map<std::string, std::int64_t> symbols;
  for (const ProgramInput& input : program.inputs) {
    const auto& shape = program.values[input.value].shape;
    if (shape && !shape->empty() && shape->front().is_symbol()) symbols[shape->front().symbol()] = 1;
  }
  return symbols.empty() ? program : specialized(program, symbols);
}

}  // namespace

Exporter verilog_exporter(CommandLine line) {
  auto folder = std::make_shared<std::string>();
  auto options = std::make_shared<VerilogOptions>();
  line.option("--verilog", *folder, "Write Verilog of the whole network, its memories and a bench to this folder",
              "DIR");
  line.option("--multipliers", options->multipliers, "Of the Verilog: a power of two from 1 to 256", "N")
      .shows_default();
  line.option("--bench-images", options->images, "Images of random bytes with which the bench of the Verilog comes",
              "N")
      .within(1, 1000)
      .shows_default();
  return {"--verilog", {"--multipliers", "--bench-images"}, folder, {}, [options](const Program& program) {
            VerilogFiles made = verilog(integer_program(of_one_image(program), {.host_border = true}), *options);
            return Exporter::Made{std::move(made.files), std::move(made.summary)};
          }};
}

}  // namespace octet::cli
