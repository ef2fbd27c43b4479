#include "octet/spec/support/require.h"

#include "octet/spec/check.h"

namespace octet {

void require_rank(const Inference& i, std::size_t index, std::size_t rank, std::string_view label) {
  if (i.has_shape(index) && i.shape(index).size() != rank)
    fail_constraint(label, "input {} is {}, wanted {} dimensions", index, to_string(i.shape(index)), rank);
}

void require_shape(const Inference& i, std::size_t index, const SymbolicShape& wanted, std::string_view label) {
  if (!i.has_shape(index)) return;
  const SymbolicShape& found = i.shape(index);
  bool fits = found.size() == wanted.size();
  for (std::size_t d = 0; fits && d < found.size(); ++d) fits = !surely_different(found[d], wanted[d]);
  if (!fits) fail_constraint(label, "input {} is {}, wanted {}", index, to_string(found), to_string(wanted));
}

}  // namespace octet
