#include "octet/spec/support/gelu.h"

#include "octet/spec/check.h"
#include "octet/spec/support/types.h"

namespace octet {

void require_last_bias(const Inference& i, std::string_view label) {
  if (!i.has(1)) return;
  require_same_type(i, 1, 0, label);
  if (!i.has_shape(0) || !i.has_shape(1)) return;
  const SymbolicShape &x = i.shape(0), &bias = i.shape(1);
  if (x.empty() || bias.size() != 1 || surely_different(bias[0], x.back()))
    fail_constraint(label, "bias is {}, wanted one element for each of the last dimension of {}", to_string(bias),
                    to_string(x));
}

}  // namespace octet
