// writer.h: what the QDQ and the operator writer share: initializers for parameters, QuantizeLinear, DequantizeLinear.
#pragma once

#include <set>
#include <string>

#include "octet/graph/model.h"
#include "octet/quantize/plan.h"

namespace octet {

class Writer {
 public:
  explicit Writer(const Plan& plan);

  // Adds a constant once; later calls under the same name are ignored.
  void add_constant(const std::string& name, Tensor tensor);
  // Adds "<tensor>_scale" and "<tensor>_zero_point": scalars, or vectors per channel.
  void add_parameters(const std::string& tensor, const Parameters& parameters);
  void add_node(Node node) { model_.graph.nodes.push_back(std::move(node)); }
  void add_quantize(const std::string& tensor, const std::string& input, const std::string& output);
  void add_dequantize(const std::string& tensor, const std::string& input, const std::string& output,
                      std::optional<std::int64_t> axis = std::nullopt);

  // The finished model: unused constants gone, domains imported.
  Model finish();

 private:
  std::string quantize_domain_;  // com.microsoft where the standard of the model's opset lacks the type or the axis
  Model model_;
  std::set<std::string> names_;
};

}  // namespace octet
