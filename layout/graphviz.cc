#include "layout/graphviz.h"

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <string_view>

#include "layout/context.h"
#include "octet/base/fail.h"

namespace octet {
namespace {

// Hears what Graphviz would print, for as long as it lives.
class Listener {
 public:
  Listener()
      : level_(agseterr(AGERR)), function_(agseterrf([](auto* text) {
          if (first_complaint().empty()) first_complaint() = text;
          return 0;
        })) {
    first_complaint().clear();
  }
  ~Listener() {
    agseterrf(function_);
    agseterr(level_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  static std::string& first_complaint() {
    static std::string text;
    return text;
  }

 private:
  agerrlevel_t level_;
  agusererrf function_;
};

// Left to itself, Graphviz takes the address of a name for its number and lays out subgraphs in the order of their
// numbers: where memory happens to be free would decide how the picture looks. Here they are numbered as they come.
// What has a name has an even number.
class Numbers {
 public:
  Agiddisc_t discipline() {
    Agiddisc_t result = AgIdDisc;
    current() = this;
    result.open = open;
    result.map = map;
    result.print = print;
    result.alloc = alloc;
    result.free = [](void*, int, IDTYPE) {};
    result.close = [](void*) {};
    return result;
  }

 private:
  static Numbers*& current() {
    static Numbers* numbers = nullptr;
    return numbers;
  }
  static void* open(graph_t*, Agdisc_t*) { return current(); }
  // What these return differs between versions of Graphviz.
  template <typename Found>
  static Found map(void* state, int, char* name, IDTYPE* number, int create) {
    auto& self = *static_cast<Numbers*>(state);
    if (name == nullptr) {
      *number = self.next_unnamed_ += 2;
      return 1;
    }
    const auto found = self.numbers_.find(name);
    if (found == self.numbers_.end() && !create) return 0;
    if (found == self.numbers_.end()) self.names_.emplace_back(name);
    *number = self.numbers_.try_emplace(name, 2 * self.names_.size()).first->second;
    return 1;
  }
  template <typename Found>
  static Found alloc(void*, int, IDTYPE) {
    return 0;  // the caller may not choose a number
  }
  static char* print(void* state, int, IDTYPE number) {
    auto& self = *static_cast<Numbers*>(state);
    return number % 2 == 0 ? self.names_[number / 2 - 1].data() : nullptr;
  }

  std::deque<std::string> names_;
  std::map<std::string, IDTYPE, std::less<>> numbers_;
  IDTYPE next_unnamed_ = 1;
};

class DotGraph {
 public:
  // `dot` must outlive the call only. Null when it is not DOT.
  explicit DotGraph(const std::string& dot) : ids_(numbers_.discipline()) {
    Agdisc_t disciplines{};
    disciplines.id = &ids_;
    disciplines.io = &AgIoDisc;
    const std::unique_ptr<FILE, int (*)(FILE*)> file(fmemopen(const_cast<char*>(dot.data()), dot.size(), "r"), fclose);
    graph_ = file ? agread(file.get(), &disciplines) : nullptr;
  }
  DotGraph(const DotGraph&) = delete;
  DotGraph& operator=(const DotGraph&) = delete;

  graph_t* get() const { return graph_; }

 private:
  Numbers numbers_;
  Agiddisc_t ids_;
  graph_t* graph_;
};

[[noreturn]] void fail_drawing(std::string_view what) {
  std::string reason = Listener::first_complaint();
  while (!reason.empty() && reason.back() == '\n') reason.pop_back();
  fail(ErrorCode::kUnsupported, "it can't {}{}{}", what, reason.empty() ? "" : ": ", reason);
}

// The type of the length differs between versions of Graphviz.
template <typename Length>
std::string rendered(int (*render_data)(GVC_t*, graph_t*, const char*, char**, Length*), GVC_t* context, graph_t* graph,
                     const char* format) {
  char* data = nullptr;
  Length length = 0;
  const bool done = render_data(context, graph, format, &data, &length) == 0 && data != nullptr && length > 0;
  std::string bytes = done ? std::string(data, length) : std::string();
  gvFreeRenderData(data);
  if (!done) fail_drawing(fmt::format("write {}", format));
  return bytes;
}

void require_size(graph_t* graph) {
  constexpr double kPixelsPerPoint = 96.0 / 72.0, kMostPixels = 32767;
  const boxf box = GD_bb(graph);
  const double width = (box.UR.x - box.LL.x) * kPixelsPerPoint, height = (box.UR.y - box.LL.y) * kPixelsPerPoint;
  if (width > kMostPixels || height > kMostPixels)
    fail(ErrorCode::kLimit,
         "the picture is {:.0f} x {:.0f} pixels, and a PNG has at most {:.0f}: SVG has no such limit", width, height,
         kMostPixels);
}

}  // namespace

std::string graphviz_image(const std::string& dot, const std::string& engine, const std::string& format) {
  const Listener listener;
  GVC_t* const context = graphviz_context();
  const DotGraph graph(dot);
  if (graph.get() == nullptr) fail_drawing("read its own language");
  if (gvLayout(context, graph.get(), engine.c_str()) != 0) fail_drawing("lay out the picture");
  if (format == "png") require_size(graph.get());
  return rendered(gvRenderData, context, graph.get(), format.c_str());
}

}  // namespace octet
