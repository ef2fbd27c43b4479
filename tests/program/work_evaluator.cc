#include "tests/program/work_evaluator.h"

#include "tests/program/work_evaluation.h"

namespace octet {

TensorsById evaluate_work(const Work& work, const std::vector<ProgramValue>& values, const TensorsById& given) {
  const evaluation::KnownValues known{values, given};
  return std::visit([&](const auto& kind) { return evaluation::evaluate(kind, known); }, work);
}

}  // namespace octet
