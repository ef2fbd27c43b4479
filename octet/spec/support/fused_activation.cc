#include "octet/spec/support/fused_activation.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "octet/spec/check.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

struct ActivationEntry {
  std::string_view name;
  int opset;  // whose definition takes the parameters as attributes
  std::array<std::string_view, 2> parameters = {};
};

constexpr std::array kActivationEntries = {ActivationEntry{"Celu", 12, {"alpha"}},
                                           ActivationEntry{"Clip", 6, {"min", "max"}},
                                           ActivationEntry{"Elu", 6, {"alpha"}},
                                           ActivationEntry{"HardSigmoid", 6, {"alpha", "beta"}},
                                           ActivationEntry{"HardSwish", 14},
                                           ActivationEntry{"LeakyRelu", 6, {"alpha"}},
                                           ActivationEntry{"Relu", 6},
                                           ActivationEntry{"Selu", 6, {"alpha", "gamma"}},
                                           ActivationEntry{"Sigmoid", 6},
                                           ActivationEntry{"Softplus", 1},
                                           ActivationEntry{"Softsign", 1},
                                           ActivationEntry{"Tanh", 6},
                                           ActivationEntry{"ThresholdedRelu", 10, {"alpha"}}};

}  // namespace

FusedActivation fused_activation(const Attributes& attributes, const ActivationParameter& parameter,
                                 std::string_view label) {
  const std::string name = attributes.get_string("activation", "");
  if (name.empty()) return {};
  const auto entry = std::find_if(kActivationEntries.begin(), kActivationEntries.end(),
                                  [&](const ActivationEntry& known) { return known.name == name; });
  if (entry == kActivationEntries.end()) fail_constraint(label, "activation is {}, wanted one that Octet knows", name);
  FusedActivation activation = {.op = find_operator("", name), .opset = entry->opset};
  for (std::size_t index = 0; index < entry->parameters.size() && !entry->parameters[index].empty(); ++index) {
    const std::optional<float> value = parameter(index, entry->parameters[index]);
    if (!value) fail_constraint(label, "activation {} lacks its {}", name, entry->parameters[index]);
    activation.attributes.set(std::string(entry->parameters[index]), *value);
  }
  return activation;
}

Tensor apply_activation(const FusedActivation& activation, Tensor x, const Environment& environment) {
  if (activation.op == nullptr) return x;
  return execute(*activation.op, activation.opset, activation.attributes, {std::move(x)}, 1, environment)[0];
}

}  // namespace octet
