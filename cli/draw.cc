// draw.cc: octet draw
#include <fmt/core.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/terminal.h"
#include "octet/base/atomic_file.h"
#include "octet/base/fail.h"
#include "octet/base/read_file.h"
#include "octet/draw/dot_text.h"
#include "octet/draw/excerpt.h"
#include "octet/draw/render.h"
#include "octet/draw/residual_blocks.h"
#include "octet/draw/views.h"
#include "octet/graph/infer.h"
#include "octet/inspect/inspect.h"
#include "octet/inspect/read_report.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/report/numbers.h"

namespace octet::cli {
namespace {

struct Options {
  std::string model, output, view = "folded", around, policy = "exact";
  int depth = 2;
  bool blocks = false;
  std::vector<std::string> dims;
};

using Writer = std::string (*)(const Picture&);

// By the ending of the file's name.
Writer writer_for(const std::filesystem::path& output) {
  const std::string ending = output.extension().string();
  if (ending == ".dot") return dot_text;
  if (ending == ".svg") return [](const Picture& picture) { return render(picture, ImageFormat::kSvg); };
  if (ending == ".png") return [](const Picture& picture) { return render(picture, ImageFormat::kPng); };
  fail(ErrorCode::kUsage, "{}: a picture is .svg, .png or .dot", output.string());
}

bool is_report(const Options& options) { return std::filesystem::path(options.model).extension() == ".json"; }

Model bound_model(const Options& options) {
  return bind_dimensions(load_model(options.model), parse_dimensions(options.dims));
}

ModelReport report_of(const Options& options) {
  if (!is_report(options)) {
    ModelReport report = inspect(bound_model(options));
    report.path = options.model;
    return report;
  }
  if (!options.dims.empty()) fail(ErrorCode::kUsage, "--dim needs the .onnx file, not what octet inspect wrote");
  const FileBytes file = read_file(options.model);
  try {
    return report_from_json({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
  } catch (const Error& error) {
    throw error.at(options.model);
  }
}

Picture picture_of(const Options& options) {
  if (options.view == "full") return full_view(report_of(options));
  if (options.view == "folded") return folded_view(report_of(options));
  if (options.view == "pattern") return pattern_view(report_of(options));
  if (options.view != "program")
    fail(ErrorCode::kUsage, "there is no view {}; the views are full, folded, pattern and program", options.view);
  if (is_report(options))
    fail(ErrorCode::kUsage, "{}: a program is made of the .onnx file, not of what octet inspect wrote", options.model);
  return program_view(lower(bound_model(options), policy_named(options.policy)), options.model);
}

struct Drawing {
  std::filesystem::path file;
  Picture picture;
};

// graph_block1.svg beside graph.svg.
std::filesystem::path block_file(const std::filesystem::path& output, std::size_t number) {
  const std::string name = fmt::format("{}_block{}{}", output.stem().string(), number, output.extension().string());
  return output.parent_path() / name;
}

std::vector<Drawing> drawings_of(const Options& options) {
  Picture picture = picture_of(options);
  if (!options.blocks) {
    frame_residual_blocks(picture);
    if (!options.around.empty()) {
      picture = excerpt_around(picture, options.around, options.depth);
      picture.title += ", around " + options.around;
    }
    return {{options.output, std::move(picture)}};
  }
  std::vector<Drawing> drawings;
  for (const std::vector<std::size_t>& block : residual_blocks(picture)) {
    const std::size_t number = drawings.size() + 1;
    Picture part = excerpt(picture, block);
    part.title += fmt::format(", residual block {}", number);
    drawings.push_back({block_file(options.output, number), std::move(part)});
  }
  if (drawings.empty())
    fail(ErrorCode::kUsage, "{} has no residual block: no addition joins two paths that fork from one value",
         options.model);
  return drawings;
}

int run(const Options& options) {
  const Writer write = writer_for(options.output);
  const std::vector<Drawing> drawings = drawings_of(options);
  std::vector<std::string> contents;
  try {
    for (const Drawing& drawing : drawings) contents.push_back(write(drawing.picture));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kLimit) throw;
    fail(ErrorCode::kLimit,
         "{}; --around NODE draws a part, --view pattern the whole in the large, and a .dot file is "
         "not laid out",
         error.message());
  }
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    write_file(drawings[i].file, contents[i]);
    std::int64_t nodes = 0;
    for (const PictureNode& node : drawings[i].picture.nodes) nodes += node.kind == NodeKind::kFork ? 0 : 1;
    print(fmt::format("written to {}: {}\n", drawings[i].file.string(), counted(nodes, "node")));
  }
  return kFine;
}

}  // namespace

Command draw_command(Parser& parser) {
  CommandLine line = parser.command("draw", "Draw a model: its nodes, its quantization, or its integer program");
  auto options = std::make_shared<Options>();
  line.option("model", options->model, "The .onnx file, or the .json file that octet inspect wrote").required();
  line.option("-o,--output", options->output, "The picture: .svg, .png or .dot", "FILE").required();
  line.option("--view", options->view,
              "full (every node), folded (QDQ pairs as wires; else), pattern (what occurs how often), program (the "
              "integer steps)",
              "NAME");
  const Argument around = line.option("--around", options->around, "Only this node and its neighbours", "NODE");
  line.option("--depth", options->depth, "How many wires away neighbours are; else 2", "N")
      .needs(around)
      .not_negative();
  line.flag("--blocks", options->blocks, "A picture of each residual block: graph_block1.svg and so on")
      .excludes(around);
  add_policy_option(line, options->policy);
  add_dim_option(line, options->dims);
  line.example(
      "  octet draw resnet8_int8.onnx -o resnet8.svg\n"
      "  octet draw resnet8_int8.onnx -o add.png --view program --around block1.add --depth 1");
  return {line, [options] { return run(*options); }};
}

}  // namespace octet::cli
