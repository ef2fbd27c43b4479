// export_verilog.cc: octet export --verilog
#include "cli/exporter.h"
#include "octet/export/verilog.h"

namespace octet::cli {

Exporter verilog_exporter(CommandLine line) {
  auto folder = std::make_shared<std::string>();
  auto options = std::make_shared<VerilogOptions>();
  line.option("--verilog", *folder, "Write the whole network as Verilog: modules, memories, a bench", "FOLDER");
  line.option("--multipliers", options->multipliers, "Of the Verilog: a power of two from 1 to 256", "N")
      .shows_default();
  line.option("--bench-images", options->images, "Images of random bytes with which the bench of the Verilog comes",
              "N")
      .within(1, 1000)
      .shows_default();
  return {"--verilog",
          {"--multipliers", "--bench-images"},
          {".v", ".sv", ".vh"},
          folder,
          {},
          [options](const Program& program) {
            VerilogFiles made = verilog(hardware_program(program, options->multipliers), *options);
            return Exporter::Made{std::move(made.files), std::move(made.summary), std::move(made.host_products)};
          }};
}

}  // namespace octet::cli
