#include "octet/spec/support/unary.h"

namespace octet {

void infer_unary(Inference& i, TypeKind kind, std::string_view label) {
  require_type(i, 0, kind, label);
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

}  // namespace octet
