#include "octet/export/support/c_moves.h"

#include "octet/export/support/c_nest.h"

namespace octet {
namespace {

std::string fill_text(const work::Move& work) {
  if (work.fill.empty()) return "0";
  return work.fill.dtype() == DType::kFloat ? c_float(work.fill.as<float>()[0]) : c_number(work.fill.int_at(0));
}

// Element numbers of y, each with the source and the place there.
void write_indices(CStep& step, const work::Move& work, const std::string& y, const std::vector<std::string>& sources) {
  const std::string indices = step.constant("indices", "int32_t", work.indices);
  const auto elements = step.loop("i", static_cast<std::int64_t>(work.indices.size()));
  step.line("const int32_t k = {}[i] - 1;", indices);
  std::string chosen = fill_text(work);
  std::int64_t begin = 0;
  std::vector<std::int64_t> begins;
  for (const ValueId source : work.sources) {
    begins.push_back(begin);
    begin += step.value(source).elements();
  }
  for (std::size_t s = 0; s < sources.size(); ++s)
    chosen = fmt::format("k >= {} ? {}[k - {}] : {}", begins[s], sources[s], begins[s],
                         s == 0 ? chosen : "(" + chosen + ")");
  step.line("{}[i] = ({})({});", y, c_type(step.value(work.y).type), chosen);
}

}  // namespace

void write_move(CStep& step, const work::Move& work) {
  step.say("  elements change places");
  std::vector<std::string> sources;
  for (std::size_t k = 0; k < work.sources.size(); ++k)
    sources.push_back(step.reads(work.sources[k], sources.empty() ? "x" : fmt::format("x{}", k)));
  const std::string y = step.writes(work.y, "y");
  if (!work.indices.empty()) return write_indices(step, work, y, sources);
  const std::vector<std::int64_t> strides = step.value(work.y).strides();
  std::vector<bool> used(sources.size());
  for (const work::MoveBox& box : work.boxes) {
    std::int64_t begin = 0;
    for (std::size_t d = 0; d < box.begin.size(); ++d) begin += box.begin[d] * strides[d];
    const auto block = step.block("");
    step.line("{} *const to = {} + {};", c_type(step.value(work.y).type), y, begin);
    if (box.source) {
      used[*box.source] = true;
      step.line("const {} *const from = {} + {};", c_type(step.value(work.sources[*box.source]).type),
                sources[*box.source], box.offset);
    }
    const CNest nest(step, box.shape, {strides, box.source ? box.strides : strides});
    step.line("for (ptrdiff_t i = 0; i < {}; ++i) to[{}] = {};", nest.count(), nest.at(0),
              box.source ? fmt::format("from[{}]", nest.at(1)) : fill_text(work));
  }
  for (std::size_t k = 0; k < sources.size(); ++k)
    if (!used[k]) step.line("(void){};", sources[k]);
}

void write_copy(CStep& step, ValueId x, ValueId y) {
  const std::string from = step.reads(x, "x"), to = step.writes(y, "y");
  const CNest nest(step, step.value(y).shape, {step.value(y).strides(), step.value(x).strides()});
  step.line("for (ptrdiff_t i = 0; i < {}; ++i) {}[{}] = {}[{}];", nest.count(), to, nest.at(0), from, nest.at(1));
}

}  // namespace octet
