// draw.cc: octet draw
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/draw/dot_text.h"
#include "octet/draw/excerpt.h"
#include "octet/draw/pages.h"
#include "octet/draw/render.h"
#include "octet/draw/residual_blocks.h"
#include "octet/draw/views.h"
#include "octet/inspect/inspect.h"
#include "octet/inspect/read_report.h"
#include "octet/program/lower.h"
#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/utf8.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct DrawArguments {
  std::string model, output, view = "folded", direction = "down", around, policy = "exact", json;
  int depth = 2, limit = 60;
  bool blocks = false;
  std::vector<std::string> dims;
};

// By the ending of the file's name; nothing for DOT, which is not laid out.
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

Model bound_model(const DrawArguments& options) { return load_model_named(options.model, options.dims); }

template <typename Facts>
Facts read_json(const DrawArguments& options, Facts (*from_json)(std::string_view)) {
  const FileBytes file = read_file(options.model);
  try {
    return from_json({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
  } catch (const Error& error) {
    throw error.at(options.model);
  }
}

ModelReport report_of(const DrawArguments& options) {
  if (!is_report(options)) {
    ModelReport report = inspect(bound_model(options));
    report.path = shown_name(options.model);
    return report;
  }
  return read_json(options, report_from_json);
}

DrawnProgram program_of(const DrawArguments& options) {
  if (is_report(options)) return read_json(options, drawn_program_from_json);
  return drawn_program(lower(bound_model(options), policy_named(options.policy)), shown_name(options.model));
}

// The picture, and how much of the network is quantized; nothing where it has no program.
std::pair<Picture, std::optional<QuantizedShare>> picture_of(const DrawArguments& options) {
  using View = std::pair<std::string_view, Picture (*)(const ModelReport&)>;
  for (const auto& [name, view] :
       {View("full", full_view), View("folded", folded_view), View("pattern", pattern_view)}) {
    if (options.view != name) continue;
    const ModelReport report = report_of(options);
    return {view(report), report.summary.share};
  }
  if (options.view != "program")
    fail(ErrorCode::kUsage, "there is no view {}; the views are full, folded, pattern and program", options.view);
  const DrawnProgram program = program_of(options);
  return {program_view(program), program.share};
}

struct Drawing {
  std::filesystem::path file;
  Picture picture;
  std::size_t page = 1, pages = 1;
  Image image = {};
};

// A tensor that somebody took for a node is said to be one.
Picture part_around(const Picture& picture, const DrawArguments& options) {
  try {
    return excerpt_around(picture, options.around, options.depth);
  } catch (const Error& error) {
    const bool has_nodes = options.model != "-" && !(is_report(options) && options.view == "program");
    if (error.code() != ErrorCode::kUsage || !has_nodes) throw;
    for (const NodeReport& node : report_of(options).nodes)
      for (const ValueReport& output : node.outputs)
        if (output.name == options.around)
          fail(ErrorCode::kUsage, "{} is a tensor, and no node has that name: {} ({}) makes it", options.around,
               node.name.empty() ? "a node without a name" : node.name, node.op_type);
    throw;
  }
}

// graph_block1.svg beside graph.svg.
std::filesystem::path numbered_file(const std::filesystem::path& output, const char* what, std::size_t number) {
  const std::string name = fmt::format("{}_{}{}{}", output.stem().string(), what, number, output.extension().string());
  return output.parent_path() / name;
}

std::vector<Drawing> drawings_of(const DrawArguments& options, Picture picture) {
  if (!options.blocks) {
    frame_residual_blocks(picture);
    if (!options.around.empty()) {
      picture = part_around(picture, options);
      picture.title += ", around " + options.around;
    }
    return {{options.output, std::move(picture)}};
  }
  std::vector<Drawing> drawings;
  for (const std::vector<std::size_t>& block : residual_blocks(picture)) {
    const std::size_t number = drawings.size() + 1;
    Picture part = excerpt(picture, block);
    part.title += fmt::format(", residual block {}", number);
    drawings.push_back({numbered_file(options.output, "block", number), std::move(part)});
  }
  if (drawings.empty())
    fail(ErrorCode::kUsage,
         "{} has no residual block in the view {}: no addition joins two paths that fork from one value", options.model,
         options.view);
  return drawings;
}

// What is too large to look at, in pages: graph.svg, graph_page2.svg and so on.
std::vector<Drawing> in_pages(const std::vector<Drawing>& drawings) {
  std::vector<Drawing> result;
  for (const Drawing& drawing : drawings) {
    std::vector<Picture> pages = pages_of(drawing.picture);
    for (std::size_t i = 0; i < pages.size(); ++i)
      result.push_back({i == 0 ? drawing.file : numbered_file(drawing.file, "page", i + 1), std::move(pages[i]), i + 1,
                        pages.size()});
  }
  return result;
}

std::vector<Drawing> drawn_as(ImageFormat format, const DrawArguments& options, const std::vector<Drawing>& drawings) {
  try {
    std::vector<Drawing> pages = in_pages(drawings);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.limit);
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0)
        fail(ErrorCode::kLimit, "{} of {} pages are laid out after {} s (--time-limit)", i, pages.size(),
             options.limit);
      pages[i].image = render(pages[i].picture, format, {.time = left / static_cast<std::int64_t>(pages.size() - i)});
    }
    return pages;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kLimit) throw;
    fail(ErrorCode::kLimit,
         "{}; --time-limit gives more time, --around NODE draws a part, --view pattern the whole in the large, and a "
         ".dot file is not laid out",
         error.message());
  }
}

// Dots and what stands for other pages are no nodes of the network.
std::int64_t node_count(const Picture& picture) {
  return std::count_if(picture.nodes.begin(), picture.nodes.end(), [](const PictureNode& node) {
    return node.kind != NodeKind::kFork && node.kind != NodeKind::kPage;
  });
}

std::string line_about(const Drawing& drawing) {
  std::string line =
      fmt::format("written to {}: {}", printable(drawing.file.string()), counted(node_count(drawing.picture), "node"));
  if (drawing.pages > 1) line += fmt::format(", page {} of {}", drawing.page, drawing.pages);
  for (const std::string& note : drawing.image.notes) line += "\n  " + printable(note);
  return line + "\n";
}

Json picture_facts(const Picture& picture) {
  Json nodes = Json::array(), wires = Json::array(), frames = Json::array();
  for (const PictureNode& node : picture.nodes)
    nodes.push_back({{"name", node.name}, {"title", node.title}, {"kind", name(node.kind)}, {"float", node.floating}});
  for (const PictureWire& wire : picture.wires)
    wires.push_back({{"tensor", wire.name}, {"from", wire.from}, {"to", wire.to}, {"carries", name(wire.kind)}});
  for (const PictureFrame& frame : picture.frames) frames.push_back({{"title", frame.title}, {"nodes", frame.nodes}});
  return {{"title", picture.title}, {"nodes", nodes}, {"wires", wires}, {"frames", frames}};
}

Json draw_facts(const DrawArguments& options, const std::vector<Drawing>& drawings, bool laid_out,
                const std::optional<QuantizedShare>& share) {
  Json files = Json::array();
  for (const Drawing& drawing : drawings) {
    Json file = {{"file", drawing.file.string()},
                 {"page", drawing.page},
                 {"pages", drawing.pages},
                 {"layout", laid_out ? Json(name(drawing.image.layout)) : Json()},
                 {"notes", drawing.image.notes}};
    file.update(picture_facts(drawing.picture));
    files.push_back(std::move(file));
  }
  return {{"schema", "octet.draw/1"},
          {"octet", kVersion},
          {"model", options.model},
          {"view", options.view},
          {"quantized_steps", share ? Json(share->quantized) : Json()},
          {"computing_steps", share ? Json(share->computing) : Json()},
          {"files", files}};
}

int run_draw(const DrawArguments& options) {
  const std::optional<ImageFormat> format = format_of(options.output);
  check_outputs({{"model", options.model}}, {{"--output", options.output}, {"--json", options.json}});
  const Direction direction = direction_named(options.direction);
  auto [picture, share] = picture_of(options);
  picture.direction = direction;
  std::vector<Drawing> drawings = drawings_of(options, std::move(picture));
  if (format) drawings = drawn_as(*format, options, drawings);
  for (const Drawing& drawing : drawings)
    check_outputs({{"model", options.model}}, {{"--output", drawing.file.string()}, {"--json", options.json}});
  std::string lines;
  for (const Drawing& drawing : drawings) {
    write_file(drawing.file, format ? drawing.image.bytes : dot_text(drawing.picture));
    lines += line_about(drawing);
  }
  if (share) lines += to_string(*share) + " are quantized\n";
  if (options.json.empty())
    print(lines);
  else
    write_json(json_text(draw_facts(options, drawings, format.has_value(), share)), options.json);
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
  line.option("--direction", options->direction, "Where wires lead: down (else) or right", "NAME");
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
