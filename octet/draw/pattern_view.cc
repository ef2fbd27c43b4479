#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "octet/draw/support/labels.h"
#include "octet/draw/support/report_graph.h"
#include "octet/draw/support/wiring.h"
#include "octet/draw/views.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

constexpr char kParameters[] = "stored scales and zero points";

// Nodes, or stored tensors, that play the same part.
struct Part {
  PictureNode node;
  std::map<std::string, std::int64_t> members;  // how many of each: operators, types
  std::int64_t count = 0;
  Dim elements = 0;  // sums of them are checked for overflow
};

class Pattern {
 public:
  explicit Pattern(const ModelReport& report) : report_(report), graph_(report) {}

  Picture picture() {
    for (std::size_t i = 0; i < report_.nodes.size(); ++i) count_node(i);
    for (std::size_t i = 0; i < report_.nodes.size(); ++i) count_inputs(i);
    for (const ValueReport& output : report_.outputs)
      if (const std::optional<std::size_t> from = part_of_value(output))
        add_wire(*from, border("outputs", output), wire_kind(output.dtype), std::string(name(output.dtype)));
    return drawn();
  }

 private:
  std::size_t part(const std::string& key, const PictureNode& like) {
    const auto [found, is_new] = index_.try_emplace(key, parts_.size());
    if (is_new) parts_.push_back({.node = like});
    return found->second;
  }
  std::size_t border(const std::string& title, const ValueReport& value) {
    const std::size_t at = part(title, {.kind = NodeKind::kBorder, .name = title, .title = title});
    Part& found = parts_[at];
    if (borders_.emplace(at, value.name).second) {
      ++found.count;
      ++found.members[std::string(name(value.dtype))];
    }
    return at;
  }

  std::size_t part_of_node(std::size_t i) {
    const NodeReport& node = report_.nodes[i];
    if (node.form == Form::kConversion && !node.inputs.empty()) {
      const bool activations = graph_.computed(i);
      const std::string what = activations ? "activations" : fmt::format("stored {}", name(node.inputs[0].dtype));
      const std::string title = node.op_type + " of " + what;
      return part(title, {.kind = NodeKind::kConversion, .name = title, .title = title});
    }
    const auto operators = [&](const std::string& title, bool floating) {
      return part(title, {.kind = NodeKind::kOther, .name = title, .title = title, .floating = floating});
    };
    switch (node.form) {
      case Form::kInteger: return operators("operators on integers", false);
      case Form::kQdq: return operators("operators between conversions", false);
      case Form::kFloat: return operators("operators on floats", true);
      case Form::kConversion:
      case Form::kOther: break;
    }
    return operators("constants, shapes, indices", false);
  }

  void count_node(std::size_t i) {
    Part& found = parts_[part_of_node(i)];
    ++found.count;
    ++found.members[report_.nodes[i].op_type];
  }

  // Where a value comes from; nothing for what the file stores.
  std::optional<std::size_t> part_of_value(const ValueReport& value) {
    if (graph_.is_input(value.name)) return border("inputs", value);
    const std::optional<std::size_t> maker = graph_.maker(value.name);
    return maker ? std::optional(part_of_node(*maker)) : std::nullopt;
  }

  void count_inputs(std::size_t i) {
    const NodeReport& node = report_.nodes[i];
    const std::size_t to = part_of_node(i);
    std::set<std::string> parameters;
    for (const QuantizationReport& q : node.quantization)
      for (const auto& [parameter, what] : {std::pair(&q.scale, "scale"), std::pair(&q.zero_point, "zero point")})
        if (parameter->origin == Origin::kInitializer || parameter->origin == Origin::kConstant) {
          parameters.insert(parameter->name);
          count_parameter(*parameter, what, q.granularity, to);
        }
    for (const ValueReport& input : node.inputs) {
      if (input.name.empty() || parameters.contains(input.name)) continue;
      if (const std::optional<std::size_t> from = part_of_value(input))
        add_wire(*from, to, wire_kind(input.dtype), std::string(name(input.dtype)));
      else
        count_stored(input, to);
    }
  }

  void count_stored(const ValueReport& value, std::size_t to) {
    const std::string title = fmt::format("stored {} tensors", name(value.dtype));
    const std::size_t from = part(title, {.kind = NodeKind::kStored, .name = title, .title = title});
    Part& found = parts_[from];
    if (counted_.insert(value.name).second) {
      ++found.count;
      if (const std::optional<Shape> shape = value.shape ? concrete(*value.shape) : std::nullopt)
        found.elements = found.elements + Dim(element_count(*shape));
    }
    add_wire(from, to, wire_kind(value.dtype), std::string(name(value.dtype)));
  }

  void count_parameter(const ParameterReport& parameter, const char* what, Granularity granularity, std::size_t to) {
    const std::size_t from = part(kParameters, {.kind = NodeKind::kStored, .name = kParameters, .title = kParameters});
    if (counted_.insert(parameter.name).second) ++parameters_[{what, granularity == Granularity::kTensor}];
    add_wire(from, to, WireKind::kOther, "s, z");
  }

  void add_wire(std::size_t from, std::size_t to, WireKind kind, const std::string& text) {
    ++wires_[{from, to, kind, text}];
  }

  // "9 Conv, 3 Add, ...": a few to a line.
  static std::vector<PictureLine> listed(const std::map<std::string, std::int64_t>& members) {
    std::vector<std::pair<std::string, std::int64_t>> sorted(members.begin(), members.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<PictureLine> lines;
    constexpr std::size_t kPerLine = 3, kMost = 12;
    for (std::size_t i = 0; i < std::min(sorted.size(), kMost); ++i) {
      if (i % kPerLine == 0) lines.emplace_back();
      lines.back().text += fmt::format("{}{} {}", i % kPerLine ? ", " : "", sorted[i].second, sorted[i].first);
    }
    if (sorted.size() > kMost) lines.push_back({fmt::format("and {} more", sorted.size() - kMost), ""});
    return lines;
  }

  static std::vector<PictureLine> stored_lines(const Part& stored) {
    return {{fmt::format("{}, {} numbers", counted(stored.count, "tensor"), grouped(stored.elements.value())), ""}};
  }

  std::vector<PictureLine> parameter_lines() const {
    std::vector<PictureLine> lines;
    for (const bool one : {true, false}) {
      std::string text;
      for (const char* what : {"scale", "zero point"})
        if (const auto found = parameters_.find({what, one}); found != parameters_.end())
          text += (text.empty() ? "" : ", ") + counted(found->second, what);
      if (!text.empty()) lines.push_back({text, one ? "" : "per channel"});
    }
    return lines;
  }

  Picture drawn() {
    const Summary& summary = report_.summary;
    const double nodes = std::max(1.0, static_cast<double>(report_.nodes.size()));
    const auto share = [&](std::int64_t count) { return percent(static_cast<double>(count) / nodes); };
    Picture picture{.title = picture_title(report_.path, "the pattern")};
    std::int64_t conversions = 0;
    std::string counts;
    for (const auto& [count, op_type] : {std::pair(summary.quantize_linear, "QuantizeLinear"),
                                         std::pair(summary.dequantize_linear, "DequantizeLinear"),
                                         std::pair(summary.dynamic_quantize_linear, "DynamicQuantizeLinear")}) {
      conversions += count;
      if (count > 0) counts += fmt::format("{}{} {} ({})", counts.empty() ? "" : ", ", count, op_type, share(count));
    }
    const std::string nodes_text = counted(static_cast<std::int64_t>(report_.nodes.size()), "node");
    picture.remarks = {counts.empty() ? fmt::format("no conversions among {}", nodes_text)
                                      : fmt::format("{}: {} of all {}", counts, share(conversions), nodes_text)};
    if (!parameters_.empty()) picture.remarks.emplace_back("s scales, z zero points: real value = s · (stored − z)");
    for (Part& found : parts_) {
      PictureNode& node = found.node;
      if (node.kind == NodeKind::kStored) {
        node.lines = node.name == kParameters ? parameter_lines() : stored_lines(found);
      } else if (node.kind == NodeKind::kBorder) {
        node.lines = listed(found.members);
      } else {
        node.lines = {{fmt::format("{}, {} of all", counted(found.count, "node"), share(found.count)), ""}};
        if (node.kind != NodeKind::kConversion)
          for (PictureLine& line : listed(found.members)) node.lines.push_back(std::move(line));
      }
      picture.nodes.push_back(node);
    }
    for (const auto& [wire, count] : wires_) {
      const auto& [from, to, kind, text] = wire;
      picture.wires.push_back({from, to, kind, {{fmt::format("{} × {}", count, text), ""}}});
    }
    return picture;
  }

  const ModelReport& report_;
  ReportGraph graph_;
  std::vector<Part> parts_;
  std::map<std::string, std::size_t> index_;
  std::set<std::pair<std::size_t, std::string>> borders_;
  std::set<std::string> counted_;                                    // stored tensors
  std::map<std::pair<std::string, bool>, std::int64_t> parameters_;  // scales and zero points; whether of one element
  std::map<std::tuple<std::size_t, std::size_t, WireKind, std::string>, std::int64_t> wires_;
};

}  // namespace

Picture pattern_view(const ModelReport& report) { return Pattern(report).picture(); }

}  // namespace octet
