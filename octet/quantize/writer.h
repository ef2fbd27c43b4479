// writer.h: what the QDQ and the operator writer share: initializers for parameters, QuantizeLinear, DequantizeLinear.
#pragma once

#include <set>
#include <string>

#include "octet/graph/model.h"
#include "octet/graph/new_names.h"
#include "octet/quantize/plan.h"

namespace octet {

class Writer {
 public:
  explicit Writer(const Plan& plan);

  // What belongs to a tensor, by its role: "_scale", "_zero_point", "_quantized", ...
  const std::string& name(const std::string& tensor, std::string_view role) { return names_.of(tensor, role); }

  // The float value that becomes the 8-bit tensor when a node makes it. Values mean what they mean in the float model:
  // behind a clamp that was dropped it is the value before that clamp, and a graph output is what was dequantized, so
  // that this one has the name of its `role`.
  std::string made_as(const std::string& tensor, std::string_view role);

  // Adds a constant once; later calls under the same name are ignored.
  void add_constant(const std::string& name, Tensor tensor);
  // Adds the scale and the zero point of a tensor: scalars, or vectors per channel.
  void add_parameters(const std::string& tensor, const Parameters& parameters);
  void add_node(Node node) { model_.graph.nodes.push_back(std::move(node)); }
  void add_quantize(const std::string& tensor, const std::string& input, const std::string& output);
  void add_dequantize(const std::string& tensor, const std::string& input, const std::string& output,
                      std::optional<std::int64_t> axis = std::nullopt);

  // Stores a constant as integers behind a DequantizeLinear, whose output it returns. A constant that nodes quantize
  // differently is stored once for each.
  std::string add_dequantized_constant(const std::string& constant, const Parameters& parameters, const Tensor& values);
  // The weights and the bias of a planned node as float values to read: replaces inputs 1 and 2.
  void read_dequantized(Node& node, const PlannedNode& planned);

  // The name under which a constant is stored with these parameters: its own, or another where it is taken.
  std::string stored_as(const std::string& constant, const Parameters& parameters);

  // The finished model: unused constants gone, domains imported.
  Model finish();

 private:
  std::string quantize_domain_;  // com.microsoft where the standard of the model's opset lacks the type or the axis
  Model model_;
  NewNames names_;
  std::map<std::string, std::string> unclamped_;
  std::set<std::string> graph_outputs_, constants_, dequantized_;
  std::map<std::string, std::vector<Parameters>> stored_;
};

}  // namespace octet
