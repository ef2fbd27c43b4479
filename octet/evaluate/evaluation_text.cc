#include <fmt/core.h>

#include <cmath>

#include "octet/evaluate/evaluation.h"
#include "octet/text/table.h"

namespace octet {
namespace {

double percent_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string share_of(std::int64_t part, std::int64_t whole) {
  return fmt::format("{} of {} ({:.2f} %)", part, whole, percent_of(part, whole));
}

std::string class_table(const Evaluation& result, std::size_t width) {
  std::vector<Table::Column> columns = {{"class", Table::Fit::kWhole, true},
                                        {"name", Table::Fit::kShorten},
                                        {"samples", Table::Fit::kWhole, true},
                                        {"right", Table::Fit::kWhole, true},
                                        {"share", Table::Fit::kWhole, true}};
  if (result.baseline) columns.push_back({"baseline right", Table::Fit::kWhole, true});
  Table table(columns);
  const auto samples = result.score.labelled_per_class(), right = result.score.right_per_class();
  const auto before = result.baseline ? result.baseline->right_per_class() : std::vector<std::int64_t>();
  for (std::size_t c = 0; c < samples.size(); ++c) {
    std::vector<std::string> row = {std::to_string(c), c < result.class_names.size() ? result.class_names[c] : "",
                                    std::to_string(samples[c]), std::to_string(right[c]),
                                    samples[c] == 0 ? "-" : fmt::format("{:.1f} %", percent_of(right[c], samples[c]))};
    if (c < before.size()) row.push_back(std::to_string(before[c]));
    table.add(row);
  }
  return table.text(width);
}

std::string confusion_table(const Score& score, std::size_t width) {
  std::vector<Table::Column> columns = {{"label", Table::Fit::kWhole, true}};
  for (std::int64_t c = 0; c < score.classes(); ++c) columns.push_back({std::to_string(c), Table::Fit::kWhole, true});
  Table table(columns);
  const auto confusion = score.confusion();
  for (std::size_t label = 0; label < confusion.size(); ++label) {
    std::vector<std::string> row = {std::to_string(label)};
    for (std::int64_t count : confusion[label]) row.push_back(std::to_string(count));
    table.add(row);
  }
  return "\npredicted class by label:\n" + table.text(width);
}

std::string baseline_text(const Evaluation& found) {
  const Score& baseline = *found.baseline;
  const Agreement a = compare(baseline, found.score);
  std::string text = fmt::format(
      "\nbaseline top-1  {}\nsame prediction {}\nright in the baseline only {}, right in the model only {}: a split "
      "this "
      "uneven by chance has p = {:.3f}\n",
      share_of(baseline.top1(), found.score.samples()), share_of(a.same_prediction, a.samples), a.only_first_right,
      a.only_second_right, a.p_value);
  if (found.max_drop)
    text += fmt::format("verdict: a {} of {:.2f} points is {} {:g}\n", found.drop() < 0 ? "gain" : "drop",
                        std::abs(found.drop()), found.passed() ? "within" : "beyond", *found.max_drop);
  return text;
}

}  // namespace

std::string evaluation_text(const Evaluation& found, const EvaluationStyle& style) {
  const Score& s = found.score;
  return class_table(found, style.width) + (style.confusion ? confusion_table(s, style.width) : "") +
         fmt::format("\ntop-1  {}\ntop-5  {}\n", share_of(s.top1(), s.samples()), share_of(s.top5(), s.samples())) +
         (found.baseline ? baseline_text(found) : "");
}

}  // namespace octet
