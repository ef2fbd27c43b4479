#include <fmt/core.h>

#include <algorithm>

#include "octet/evaluate/loss_report.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

Table loss_table(const char* title, bool own) {
  std::vector<Table::Column> columns = {{title, Table::Fit::kShorten, false, 16}};
  if (own) columns.push_back({"own dB", Table::Fit::kWhole, true});
  for (const char* figure : {"total dB", "cosine", "largest", "clipped", "mean error"})
    columns.push_back({figure, Table::Fit::kWhole, true});
  return Table(columns);
}

void add_row(Table& table, const TensorLoss& tensor, bool own) {
  const Noise& total = tensor.total;
  std::vector<std::string> row = {tensor.name};
  if (own) row.push_back(tensor.own.elements() > 0 ? decibels(tensor.own.sqnr()) : "");
  row.insert(
      row.end(),
      {decibels(total.sqnr()), fmt::format("{:.5f}", total.cosine()), fmt::format("{:.3g}", total.largest()),
       percent(static_cast<double>(total.clipped()) / static_cast<double>(std::max<std::int64_t>(total.elements(), 1))),
       fmt::format("{:+.2g}", total.mean_error())});
  table.add(row);
}

std::string weights_table(const Loss& loss, std::size_t width) {
  Table table({{"weights", Table::Fit::kShorten, false, 16},
               {"dB", Table::Fit::kWhole, true},
               {"cosine", Table::Fit::kWhole, true},
               {"largest", Table::Fit::kWhole, true},
               {"mean error", Table::Fit::kWhole, true}});
  std::vector<const WeightLoss*> weights;
  for (const WeightLoss& weight : loss.weights) weights.push_back(&weight);
  std::ranges::stable_sort(weights, {}, [](const WeightLoss* weight) { return weight->noise.sqnr(); });
  for (const WeightLoss* weight : weights)
    table.add({weight->name, decibels(weight->noise.sqnr()), fmt::format("{:.5f}", weight->noise.cosine()),
               fmt::format("{:.3g}", weight->noise.largest()), fmt::format("{:+.2g}", weight->noise.mean_error())});
  return table.empty() ? "" : "\n" + table.text(width);
}

std::string share_text(std::int64_t part, std::int64_t whole, const std::string& what) {
  return fmt::format("{} of {} ({})", grouped(part), counted(whole, what),
                     percent(static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1))));
}

// What changes for those who decide by an output.
std::string changes_text(const TensorLoss& output, std::size_t width) {
  const OutputChanges& c = *output.changes;
  Table table({{printable(output.name), Table::Fit::kWhole}, {"", Table::Fit::kWrap}});
  table.add({"largest change", c.place.empty() && c.largest == 0
                                   ? "none"
                                   : fmt::format("{:.3g} at {}, where {:.4g} became {:.4g}", c.largest,
                                                 to_string(c.place), c.wanted, c.found)});
  if (c.axis)
    table.add({"arg max changes", fmt::format("{}, along axis {}", share_text(c.arg_max, c.rows, "row"), *c.axis)});
  table.add({"sign changes", share_text(c.signs, c.elements, "element")});
  if (c.threshold)
    table.add(
        {fmt::format("crosses {:g}", *c.threshold), fmt::format("{}: {} of the {} at or above it no longer, {} newly",
                                                                share_text(c.lost + c.gained, c.elements, "element"),
                                                                grouped(c.lost), grouped(c.above), grouped(c.gained))});
  table.add({"rank agreement", fmt::format("{:.4f}", c.rank_agreement)});
  return table.text(width);
}

std::string detections_text(const Detections& d) {
  return fmt::format("detections: {} in the reference, {} in the model; {} match, with a mean overlap of {:.3f}\n",
                     grouped(d.wanted), grouped(d.found), grouped(d.matched), d.mean_overlap());
}

}  // namespace

std::string loss_text(const Loss& loss, const LossStyle& style) {
  const bool own = loss.float_reference;
  Table outputs = loss_table("output", own), tensors = loss_table("tensor", own);
  for (const TensorLoss& tensor : loss.tensors)
    if (tensor.output) add_row(outputs, tensor, own);
  std::int64_t shown = 0, inner = 0;
  for (const TensorLoss* tensor : by_damage(loss)) {
    if (tensor->output) continue;
    ++inner;
    if (style.top > 0 && shown == style.top) continue;
    add_row(tensors, *tensor, own);
    ++shown;
  }
  std::string text = outputs.text(style.width);
  const auto add = [&](const std::string& part) { text.append("\n").append(part); };
  for (const TensorLoss& tensor : loss.tensors)
    if (tensor.changes) add(changes_text(tensor, style.width));
  if (loss.detections) add(detections_text(*loss.detections));
  if (!tensors.empty()) add(tensors.text(style.width));
  if (shown < inner) text += fmt::format("and {} with less damage\n", counted(inner - shown, "tensor"));
  if (style.weights) text += weights_table(loss, style.width);
  text +=
      fmt::format("\n{} of {} compared on {}, worst first\n", grouped(static_cast<std::int64_t>(loss.tensors.size())),
                  counted(static_cast<std::int64_t>(loss.tensors.size() + loss.unmatched.size()), "tensor"),
                  counted(loss.samples, "sample"));
  if (!own) text += "the reference is quantized itself: what each tensor adds is not measured, only the total\n";
  return text;
}

}  // namespace octet
