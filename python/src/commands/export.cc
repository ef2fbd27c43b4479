// export.cc: export: the integer program as files for hardware and firmware.
#include <fmt/format.h>

#include "octet/base/fail.h"
#include "octet/export/export_report.h"
#include "octet/export/prepare_export.h"
#include "octet/export/verilog.h"
#include "octet/graph/model_hash.h"
#include "octet/text/numbers.h"
#include "python/src/commands.h"

namespace octet::python {
namespace {

struct Made {
  std::string kind, folder, summary;
  ExportedFiles files;
  std::vector<std::string> host_products;
};

}  // namespace

Report export_report(const Call& call) {
  const Options& o = call.options;
  const std::string vectors = o.path("vectors"), c = o.path("c"), verilog_folder = o.path("verilog");
  if (vectors.empty() && c.empty() && verilog_folder.empty())
    fail(ErrorCode::kUsage, "say what to make, and in which folder: vectors, c, verilog");
  const VectorOptions vector_options{.style = {array_format_named(o.text("format")), layout_named(o.text("layout")),
                                               static_cast<int>(o.integer("word", 1, 4096))},
                                     .step = o.text("step"),
                                     .directed = o.flag("directed"),
                                     .progress = call.work.progress("steps")};
  const std::string requantize = o.text("c_requantize");
  if (requantize != "integer" && requantize != "float32")
    fail(ErrorCode::kUsage, "c_requantize {}: wanted integer or float32", requantize);
  const ExportCOptions c_options{
      .name = o.text("c_name"), .float32_requantize = requantize == "float32", .vectors = o.path("c_vectors")};
  const VerilogOptions verilog_options{.multipliers = static_cast<int>(o.integer("multipliers", 1, 256)),
                                       .images = static_cast<int>(o.integer("bench_images", 1, 1000))};
  const Policy policy = call.policy();
  const SharedModel source = call.source();
  const std::shared_ptr<const Model> model = call.model();
  const auto prepared =
      call.run([=] { return std::make_shared<const PreparedExport>(prepare_export(*model, policy)); });
  std::vector<VectorInput> inputs;
  if (!vectors.empty()) inputs = vector_inputs(call, std::shared_ptr<const Model>(prepared, &prepared->model));
  const auto found = call.run([=, work = call.work] {
    auto made = std::make_shared<std::vector<Made>>();
    const Program& program = prepared->program;
    if (!vectors.empty()) {
      Vectors of = export_vectors(program, {source->name, model_hash(prepared->model)}, inputs, vector_options);
      std::string text = vectors_text(of, vectors);
      made->push_back({"vectors", vectors, std::move(text), std::move(of.files), std::move(of.host_products)});
    }
    if (!c.empty()) {
      ExportedC of = export_c(program, c_options);
      std::string text = c_text(of, c);
      made->push_back({"c", c, std::move(text), std::move(of.files), {}});
    }
    if (!verilog_folder.empty()) {
      VerilogFiles of = verilog(hardware_program(program, verilog_options.multipliers), verilog_options);
      made->push_back(
          {"verilog", verilog_folder, std::move(of.summary), std::move(of.files), std::move(of.host_products)});
    }
    std::vector<ExportedFolder> folders;
    for (const Made& one : *made) {
      folders.push_back({one.folder, one.files});
      if (!one.host_products.empty())
        work.warn(fmt::format("{}: the host has to compute {} of float products: {}", one.kind,
                              counted(static_cast<std::int64_t>(one.host_products.size()), "step"),
                              fmt::join(one.host_products, ", ")));
    }
    write_folders(folders);
    return made;
  });
  return {.json =
              [=] {
                ExportReport report{.model = source->name, .policy = std::string(name(policy))};
                for (const Made& one : *found) report.exports.push_back({one.kind, one.folder, one.files});
                return exports_json(report);
              },
          .text =
              [found](std::size_t) {
                std::string text;
                for (const Made& one : *found) text += one.summary;
                return text;
              }};
}

}  // namespace octet::python
