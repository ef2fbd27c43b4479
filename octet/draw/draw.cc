#include "octet/draw/draw.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>

#include "octet/base/fail.h"
#include "octet/draw/dot_text.h"
#include "octet/draw/excerpt.h"
#include "octet/draw/pages.h"
#include "octet/draw/residual_blocks.h"
#include "octet/draw/views.h"
#include "octet/inspect/inspect.h"

namespace octet {
namespace {

constexpr std::array<std::pair<View, std::string_view>, 4> kViewNames = {
    {{View::kFull, "full"}, {View::kFolded, "folded"}, {View::kPattern, "pattern"}, {View::kProgram, "program"}}};

// The nodes of the network whose picture is drawn; empty where they are not known.
using NodesOfNetwork = std::function<ModelReport()>;

// Says so where `around` is a tensor and not a node.
Picture part_around(const Picture& picture, const NodesOfNetwork& nodes, const DrawOptions& options) {
  try {
    return excerpt_around(picture, options.around, options.depth);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUsage || !nodes || !options.finds_tensors) throw;
    for (const NodeReport& node : nodes().nodes)
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

std::vector<Drawing> drawings_of(Picture picture, const NodesOfNetwork& nodes, const DrawOptions& options) {
  if (!options.blocks) {
    frame_residual_blocks(picture);
    if (!options.around.empty()) {
      picture = part_around(picture, nodes, options);
      picture.title += ", around " + options.around;
    }
    return {{.file = options.output, .picture = std::move(picture)}};
  }
  std::vector<Drawing> drawings;
  for (const std::vector<std::size_t>& block : residual_blocks(picture)) {
    const std::size_t number = drawings.size() + 1;
    Picture part = excerpt(picture, block);
    part.title += fmt::format(", residual block {}", number);
    drawings.push_back({.file = numbered_file(options.output, "block", number), .picture = std::move(part)});
  }
  if (drawings.empty())
    fail(ErrorCode::kUsage,
         "{} has no residual block in the view {}: no addition joins two paths that fork from one value", options.name,
         name(options.view));
  return drawings;
}

// Cuts pictures that are too large to look at into pages: graph.svg, graph_page2.svg and so on.
std::vector<Drawing> in_pages(const std::vector<Drawing>& drawings) {
  std::vector<Drawing> result;
  for (const Drawing& drawing : drawings) {
    std::vector<Picture> pages = pages_of(drawing.picture);
    for (std::size_t i = 0; i < pages.size(); ++i)
      result.push_back({.file = i == 0 ? drawing.file : numbered_file(drawing.file, "page", i + 1),
                        .picture = std::move(pages[i]),
                        .page = i + 1,
                        .pages = pages.size()});
  }
  return result;
}

std::vector<Drawing> laid_out(const std::vector<Drawing>& drawings, ImageFormat format, std::chrono::seconds limit) {
  try {
    std::vector<Drawing> pages = in_pages(drawings);
    const auto end = std::chrono::steady_clock::now() + limit;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0)
        fail(ErrorCode::kLimit, "{} of {} pages are laid out after {} s (--time-limit)", i, pages.size(),
             limit.count());
      Image image = render(pages[i].picture, format, {.time = left / static_cast<std::int64_t>(pages.size() - i)});
      pages[i].bytes = std::move(image.bytes);
      pages[i].layout = image.layout;
      pages[i].notes = std::move(image.notes);
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

DrawResult draw_picture(Picture picture, const std::optional<QuantizedShare>& share, const NodesOfNetwork& nodes,
                        const DrawOptions& options) {
  picture.direction = options.direction;
  std::vector<Drawing> drawings = drawings_of(std::move(picture), nodes, options);
  if (options.format)
    drawings = laid_out(drawings, *options.format, options.limit);
  else
    for (Drawing& drawing : drawings) drawing.bytes = dot_text(drawing.picture);
  return {std::move(drawings), share};
}

Picture picture_of(const ModelReport& report, View view) {
  if (view == View::kFull) return full_view(report);
  if (view == View::kPattern) return pattern_view(report);
  return folded_view(report);
}

}  // namespace

std::string_view name(View view) {
  for (const auto& [known, text] : kViewNames)
    if (known == view) return text;
  return "";
}

View view_named(std::string_view name) {
  for (const auto& [view, text] : kViewNames)
    if (text == name) return view;
  fail(ErrorCode::kUsage, "there is no view {}; the views are full, folded, pattern and program", name);
}

DrawResult draw(const ModelReport& report, const DrawOptions& options) {
  return draw_picture(
      picture_of(report, options.view), report.summary.share, [&] { return report; }, options);
}

DrawResult draw(const DrawnProgram& program, const DrawOptions& options) {
  return draw_picture(program_view(program), program.share, {}, options);
}

DrawResult draw(const Model& model, const std::string& path, const DrawOptions& options) {
  if (options.view == View::kProgram) {
    const DrawnProgram program = drawn_program(lower(model, options.policy), path);
    return draw_picture(
        program_view(program), program.share, [&] { return inspect(model); }, options);
  }
  ModelReport report = inspect(model);
  report.path = path;
  return draw(report, options);
}

}  // namespace octet
