#include "octet/spec/support/variadic.h"

#include <string>

#include "octet/spec/check.h"

namespace octet {

void infer_variadic(Inference& i, std::string_view stem, TypeKind kind) {
  const std::string types = std::string(stem) + "_c1";
  require_type(i, 0, kind, types);
  std::optional<SymbolicShape> shape = i.input(0).shape;
  for (std::size_t n = 1; n < i.input_count(); ++n) {
    require_same_type(i, 0, n, types);
    if (!shape || !i.has_shape(n)) {
      shape.reset();
      continue;
    }
    std::optional<SymbolicShape> joined = broadcast(*shape, i.shape(n));
    if (!joined)
      fail_constraint(std::string(stem) + "_c2", "input {} of shape {} does not broadcast with {}", n,
                      to_string(i.shape(n)), to_string(*shape));
    shape = std::move(joined);
  }
  i.set_output(0, i.dtype(0), std::move(shape));
}

}  // namespace octet
