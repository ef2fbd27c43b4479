#include "octet/draw/draw_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/utf8.h"
#include "octet/version.h"

namespace octet {
namespace {

// Forks and references to other pages are not nodes of the network.
std::int64_t node_count(const Picture& picture) {
  return std::ranges::count_if(picture.nodes, [](const PictureNode& node) {
    return node.kind != NodeKind::kFork && node.kind != NodeKind::kPage;
  });
}

std::string drawing_text(const Drawing& drawing) {
  std::string line =
      fmt::format("written to {}: {}", printable(drawing.file.string()), counted(node_count(drawing.picture), "node"));
  if (drawing.pages > 1) line += fmt::format(", page {} of {}", drawing.page, drawing.pages);
  for (const std::string& note : drawing.notes) line += "\n  " + printable(note);
  return line + "\n";
}

Json picture_json(const Picture& picture) {
  Json nodes = Json::array(), wires = Json::array(), frames = Json::array();
  for (const PictureNode& node : picture.nodes)
    nodes.push_back({{"name", node.name}, {"title", node.title}, {"kind", name(node.kind)}, {"float", node.floating}});
  for (const PictureWire& wire : picture.wires)
    wires.push_back({{"tensor", wire.name}, {"from", wire.from}, {"to", wire.to}, {"carries", name(wire.kind)}});
  for (const PictureFrame& frame : picture.frames) frames.push_back({{"title", frame.title}, {"nodes", frame.nodes}});
  return {{"title", picture.title}, {"nodes", nodes}, {"wires", wires}, {"frames", frames}};
}

}  // namespace

std::string draw_text(const DrawResult& result) {
  std::string text;
  for (const Drawing& drawing : result.drawings) text += drawing_text(drawing);
  if (result.share) text += to_string(*result.share) + " are quantized\n";
  return text;
}

std::string draw_json(const DrawResult& result, const std::string& model, View view) {
  Json files = Json::array();
  for (const Drawing& drawing : result.drawings) {
    Json file = {{"file", drawing.file.string()},
                 {"page", drawing.page},
                 {"pages", drawing.pages},
                 {"layout", drawing.layout ? Json(name(*drawing.layout)) : Json()},
                 {"notes", drawing.notes}};
    file.update(picture_json(drawing.picture));
    files.push_back(std::move(file));
  }
  return json_text({{"schema", "octet.draw/1"},
                    {"octet", kVersion},
                    {"model", model},
                    {"view", name(view)},
                    {"quantized_steps", result.share ? Json(result.share->quantized) : Json()},
                    {"computing_steps", result.share ? Json(result.share->computing) : Json()},
                    {"files", files}});
}

}  // namespace octet
