#include "octet/export/prepare_export.h"

#include <utility>

#include "octet/graph/default_dimensions.h"
#include "octet/program/lower.h"
#include "octet/program/prepare.h"

namespace octet {

PreparedExport prepare_export(const Model& model, Policy policy) {
  PreparedExport prepared = prepare_library(model, policy);
  prepared.program = prepare(std::move(prepared.program), Target::kAccelerator);
  return prepared;
}

PreparedExport prepare_library(const Model& model, Policy policy) {
  Model bound = with_batch_of_one(model);
  Program program = lower(bound, policy);
  return {std::move(bound), std::move(program)};
}

}  // namespace octet
