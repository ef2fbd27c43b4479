#include "octet/spec/support/cumulative.h"

#include "octet/spec/check.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/types.h"

namespace octet {

void infer_cumulative(Inference& i, std::string_view type_label, std::string_view axis_label) {
  require_type(i, 0, TypeKind::kNumeric, type_label);
  require_index_type(i, 1, axis_label);
  if (const auto axis = known_integers(i, 1)) {
    if (axis->size() != 1) fail_constraint(axis_label, "{} axes are given, wanted 1", axis->size());
    if (i.has_shape(0)) normalize_axis((*axis)[0], i.shape(0).size(), axis_label);
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

}  // namespace octet
