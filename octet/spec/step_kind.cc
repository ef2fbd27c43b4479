#include "octet/spec/step_kind.h"

#include <array>
#include <cstddef>

namespace octet {
namespace {

struct KindEntry {
  std::string_view name;
  bool quantized;
};
constexpr std::array<KindEntry, kStepKindCount> kKinds = {{{"convolution", true},
                                                           {"matrix product", true},
                                                           {"addition", true},
                                                           {"multiplication", true},
                                                           {"pool", true},
                                                           {"concatenation", true},
                                                           {"table", true},
                                                           {"move", true},
                                                           {"softmax", true},
                                                           {"quantize", false},
                                                           {"dequantize", false},
                                                           {"float", false},
                                                           {"other", false}}};

}  // namespace

std::string_view name(StepKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }
bool is_quantized(StepKind kind) { return kKinds[static_cast<std::size_t>(kind)].quantized; }

}  // namespace octet
