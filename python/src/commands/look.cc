// look.cc: inspect, lower, draw, ops and version: what is there, without running it.
#include <chrono>
#include <filesystem>

#include "octet/analyze/catalog.h"
#include "octet/analyze/kernels_text.h"
#include "octet/base/fail.h"
#include "octet/draw/draw_report.h"
#include "octet/graph/infer.h"
#include "octet/inspect/inspect.h"
#include "octet/inspect/report_json.h"
#include "octet/inspect/report_text.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/program/memory_plan.h"
#include "octet/program/program_json.h"
#include "octet/program/program_text.h"
#include "octet/quantize/inspect_nodes.h"
#include "octet/system/atomic_file.h"
#include "python/src/commands.h"

namespace octet::python {

Report inspect_report(const Call& call) {
  struct Found {
    ModelReport report;
    std::vector<NodeDetails> details;
  };
  const SharedModel source = call.source();
  const auto dims = call.options.sizes("dim");
  const std::string node = call.options.text("node"), ranges = call.options.path("ranges");
  const bool layers = call.options.flag("layers"), attributes = call.options.flag("attributes"),
             values = call.options.flag("values");
  const auto found = call.run([=] {
    const Model model = bind_dimensions(*source->model, dims);
    auto result = std::make_shared<Found>(Found{inspect(model), {}});
    result->report.path = source->name;
    result->report.file_bytes = source->bytes;
    if (!node.empty()) result->details = inspect_nodes(model, result->report, node, ranges);
    return result;
  });
  if (!node.empty())
    return {.json = [found] { return report_json(found->report, found->details); },
            .text = [found](std::size_t width) { return node_details_text(found->report, found->details, width); }};
  return {.json = [found] { return report_json(found->report); },
          .text =
              [=](std::size_t width) {
                return report_text(found->report, {width, layers, attributes, values});
              }};
}

Report lower_report(const Call& call) {
  const std::string output = call.options.path("output"), engine = call.engine();
  const bool unsigned_weights = call.options.flag("unsigned_weights");
  const Policy policy = call.policy();
  const SharedModel source = call.source();
  const std::shared_ptr<const Model> model = call.model();
  const auto program = call.run([=] {
    auto made = std::make_shared<const Program>(lower(*model, policy));
    if (!output.empty()) save_model(to_model(*made, {unsigned_weights}), output);
    return made;
  });
  const std::string name = source->name;
  Report report{.json = [=] { return program_json(*program, plan_memory(*program), name); },
                .text =
                    [=](std::size_t width) {
                      const std::string kernels =
                          engine.empty() ? "" : kernels_text(*make_engine(engine, *program), width);
                      return program_text(*program, plan_memory(*program), width) + kernels;
                    }};
  PythonModel bound = *source;
  bound.model = model;
  report.extras["program"] = PythonProgram{program, std::make_shared<PythonModel>(std::move(bound))};
  return report;
}

namespace {

std::optional<ImageFormat> format_of(const std::filesystem::path& output) {
  const std::string ending = output.extension().string();
  if (ending == ".dot") return std::nullopt;
  if (ending == ".svg") return ImageFormat::kSvg;
  if (ending == ".png") return ImageFormat::kPng;
  fail(ErrorCode::kUsage, "{}: a picture is .svg, .png or .dot", output.string());
}

Direction direction_named(const std::string& name) {
  if (name == "down") return Direction::kDown;
  if (name == "right") return Direction::kRight;
  fail(ErrorCode::kUsage, "there is no direction {}; the directions are down and right", name);
}

}  // namespace

Report draw_report(const Call& call) {
  const std::string output = call.options.path("output");
  const View view = view_named(call.options.text("view"));
  const SharedModel source = call.source();
  DrawOptions how{.output = output.empty() ? source->name + ".svg" : output,
                  .view = view,
                  .direction = direction_named(call.options.text("direction")),
                  .around = call.options.text("around"),
                  .depth = static_cast<int>(call.options.integer("depth", 0, INT32_MAX)),
                  .blocks = call.options.flag("blocks"),
                  .policy = call.policy(),
                  .limit = std::chrono::seconds(call.options.integer("time_limit", 1, 86400)),
                  .name = source->name};
  how.format = format_of(how.output);
  const std::shared_ptr<const Model> model = call.model();
  const auto result = call.run([=] {
    auto made = std::make_shared<const DrawResult>(draw(*model, source->name, how));
    if (!output.empty())
      for (const Drawing& drawing : made->drawings) write_file(drawing.file, drawing.bytes);
    return made;
  });
  Report report{.json = [=] { return draw_json(*result, source->name, view); },
                .text = [result](std::size_t) { return draw_text(*result); }};
  if (how.format == ImageFormat::kSvg) report.picture = [result] { return result->drawings.front().bytes; };
  nb::list pictures;
  for (const Drawing& drawing : result->drawings)
    pictures.append(nb::bytes(drawing.bytes.data(), drawing.bytes.size()));
  report.extras["pictures"] = pictures;
  return report;
}

Report ops_report(const Call&) { return {.json = operators_json, .text = operators_text}; }

Report version_report(const Call&) {
  return {.json = version_json, .text = [](std::size_t) { return version_text(); }};
}

}  // namespace octet::python
