#include "octet/spec/support/global_pool.h"

#include "octet/spec/check.h"
#include "octet/spec/support/types.h"

namespace octet {

void infer_global_pool(Inference& i, std::string_view type_label, std::string_view shape_label) {
  require_type(i, 0, TypeKind::kFloat, type_label);
  std::optional<SymbolicShape> y = i.input(0).shape;
  if (y) {
    if (y->size() < 2) fail_constraint(shape_label, "x is {}, wanted [N,C,...]", to_string(*y));
    for (std::size_t d = 2; d < y->size(); ++d) {
      if ((*y)[d].is(0)) fail_constraint(shape_label, "x is {}, wanted at least one element", to_string(i.shape(0)));
      (*y)[d] = 1;
    }
  }
  i.set_output(0, i.dtype(0), std::move(y));
}

}  // namespace octet
