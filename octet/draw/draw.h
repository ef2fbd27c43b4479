// draw.h: a network as pictures, laid out and ready to be written.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/draw/drawn_program.h"
#include "octet/draw/picture.h"
#include "octet/draw/render.h"
#include "octet/graph/model.h"
#include "octet/inspect/report.h"
#include "octet/program/lower.h"
#include "octet/program/quantized_share.h"

namespace octet {

// What is drawn of a network (views.h).
enum class View { kFull, kFolded, kPattern, kProgram };
// "full", "folded", "pattern", "program".
std::string_view name(View view);
// Throws kUsage for another name.
View view_named(std::string_view name);

struct DrawOptions {
  std::filesystem::path output;       // the first file; others are numbered: graph_block2.svg, graph_page2.svg
  std::optional<ImageFormat> format;  // absent: DOT text, which is not laid out
  View view = View::kFolded;
  Direction direction = Direction::kDown;
  std::string around;                // draw only this node and its neighbors; empty: draw all
  bool finds_tensors = true;         // where `around` is a tensor, the message names the node that makes it
  int depth = 2;                     // how many wires away neighbors are
  bool blocks = false;               // a picture of each residual block; `around` is not used
  Policy policy = Policy::kExact;    // of the program that View::kProgram draws
  std::chrono::seconds limit{60};    // to lay out all pictures
  std::string name = "the network";  // in messages
};

struct Drawing {
  std::filesystem::path file;
  Picture picture;
  std::size_t page = 1, pages = 1;
  std::string bytes;                 // of the file
  std::optional<LayoutKind> layout;  // absent for DOT text
  std::vector<std::string> notes;    // why it was not laid out in full
};

struct DrawResult {
  std::vector<Drawing> drawings;        // at least one
  std::optional<QuantizedShare> share;  // absent where the network has no program
};

// A model; `path` is what the picture calls it. Throws kUsage where there is no node `around` or no residual block, kLimit where
// laying out takes longer than `limit`.
DrawResult draw(const Model& model, const std::string& path, const DrawOptions& options);
// A report, in any view but View::kProgram.
DrawResult draw(const ModelReport& report, const DrawOptions& options);
// A program, in View::kProgram.
DrawResult draw(const DrawnProgram& program, const DrawOptions& options);

}  // namespace octet
