// draw.cc: octet draw
#include "octet/draw/draw.h"

#include <chrono>
#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/draw/draw_report.h"
#include "octet/inspect/read_report.h"
#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"

namespace octet::cli {
namespace {

struct DrawArguments {
  std::string model, output, view = "folded", direction = "down", around, policy = "exact", json;
  int depth = 2, limit = 60;
  bool blocks = false;
  std::vector<std::string> dims;
};

// From the extension of the file; nothing for DOT text, which is not laid out.
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

bool is_report(const DrawArguments& options) { return std::filesystem::path(options.model).extension() == ".json"; }

template <typename Facts>
Facts read_json(const DrawArguments& options, Facts (*from_json)(std::string_view)) {
  const FileBytes file = read_file(options.model);
  try {
    return from_json({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
  } catch (const Error& error) {
    throw error.at(options.model);
  }
}

DrawResult drawn(const DrawArguments& options, const DrawOptions& how) {
  if (!is_report(options)) return draw(load_model_named(options.model, options.dims), shown_name(options.model), how);
  if (how.view == View::kProgram) return draw(read_json(options, drawn_program_from_json), how);
  return draw(read_json(options, report_from_json), how);
}

int run_draw(const DrawArguments& options) {
  const std::optional<ImageFormat> format = format_of(options.output);
  check_outputs({{"model", options.model}}, {{"--output", options.output}, {"--json", options.json}});
  const Direction direction = direction_named(options.direction);
  const View view = view_named(options.view);
  const DrawResult result = drawn(options, {.output = options.output,
                                            .format = format,
                                            .view = view,
                                            .direction = direction,
                                            .around = options.around,
                                            .finds_tensors = options.model != "-",
                                            .depth = options.depth,
                                            .blocks = options.blocks,
                                            .policy = policy_named(options.policy),
                                            .limit = std::chrono::seconds(options.limit),
                                            .name = options.model});
  for (const Drawing& drawing : result.drawings)
    check_outputs({{"model", options.model}}, {{"--output", drawing.file.string()}, {"--json", options.json}});
  for (const Drawing& drawing : result.drawings) write_file(drawing.file, drawing.bytes);
  if (options.json.empty())
    print(draw_text(result));
  else
    write_json(draw_json(result, options.model, view), options.json);
  return kFine;
}

}  // namespace

Command draw_command(Parser& parser) {
  CommandLine line = parser.command("draw", "Draw a model: its nodes, its quantization, or its integer program");
  auto options = std::make_shared<DrawArguments>();
  line.option("model", options->model,
              "The .onnx file, or the .json file that octet inspect wrote, for --view program octet lower; - is a "
              "model on standard input")
      .required();
  line.option("-o,--output", options->output, "The picture", "FILE").ends_in({".svg", ".png", ".dot"}).required();
  line.option("--view", options->view,
              "full (every node), folded (QDQ pairs as wires; else), pattern (what occurs how often), program (the "
              "integer steps)",
              "NAME");
  line.option("--direction", options->direction, "Where wires lead: down (default) or right", "NAME");
  const Argument around = line.option("--around", options->around, "Only this node and its neighbours", "NODE");
  line.option("--depth", options->depth, "How many wires away neighbours are; else 2", "N")
      .needs(around)
      .not_negative();
  line.flag("--blocks", options->blocks, "A picture of each residual block: graph_block1.svg and so on")
      .excludes(around);
  line.option("--time-limit", options->limit,
              "Seconds that laying out may take in all: simpler layouts where the better ones take too long; else 60",
              "SECONDS")
      .within(1, 86400);
  add_json_option(line, options->json);
  add_policy_option(line, options->policy);
  add_dim_option(line, options->dims);
  line.example(
      "  octet draw resnet8_int8.onnx -o resnet8.svg\n"
      "  octet draw resnet8_int8.onnx -o add.png --view program --around block1.add --depth 1");
  return {line, [options, line] {
            refuse_unused(line,
                          {{options->view != "program", {"--policy"}, "only --view program has one"},
                           {is_report(*options), {"--policy", "--dim"}, "it is about the .onnx file, not a .json file"},
                           {!format_of(options->output), {"--time-limit"}, "a .dot file is not laid out"}});
            return run_draw(*options);
          }};
}

}  // namespace octet::cli
