#include "octet/spec/moves_elements.h"

#include "octet/spec/operators.h"

namespace octet {

bool moves_elements(const Operator& op, const Attributes& attributes) {
  if (is(&op, ops::kResize) &&
      (attributes.get_string("mode", "nearest") != "nearest" ||
       attributes.get_string("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize"))
    return false;
  return input_number(op, Role::kMoved).has_value();
}

bool moves_one_tensor(const Operator& op, const Attributes& attributes) {
  return moves_elements(op, attributes) && op.repeated == 0;
}

}  // namespace octet
