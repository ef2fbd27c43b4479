#include "octet/export/support/directed_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "octet/export/mistakes.h"
#include "octet/export/support/manifest.h"

namespace octet {
namespace {

template <typename T, typename Get>
Tensor column(const DirectedSet& set, const Get& get) {
  std::vector<T> numbers;
  for (const DirectedRow& row : set.rows) numbers.push_back(static_cast<T>(get(row)));
  return Tensor::from<T>({static_cast<std::int64_t>(numbers.size())}, std::span<const T>(numbers));
}

std::int64_t patch_number(const DirectedRow& row) { return row.patch ? static_cast<std::int64_t>(*row.patch) : -1; }

std::string csv_of(const DirectedSet& set) {
  std::string text;
  for (const std::string_view operand : set.operands)
    if (!operand.empty()) text += fmt::format("{},", operand);
  text += "q,patch,catches\n";
  for (const DirectedRow& row : set.rows) {
    for (std::size_t k = 0; k < set.operands.size(); ++k)
      if (!set.operands[k].empty()) text += fmt::format("{},", row.operands[k]);
    text += fmt::format("{},{},", row.q, row.patch ? fmt::format("{}", *row.patch) : "");
    bool first = true;
    for (std::size_t k = 0; k < set.mistakes.size(); ++k)
      if (row.catches >> k & 1) {
        text += fmt::format("{}{}", first ? "" : " ", set.mistakes[k]);
        first = false;
      }
    text += '\n';
  }
  return text;
}

Json mistakes_json(const DirectedSet& set) {
  Json list = Json::array();
  for (std::size_t k = 0; k < set.mistakes.size(); ++k) {
    const auto rows = std::ranges::count_if(set.rows, [&](const DirectedRow& row) { return row.catches >> k & 1; });
    list.push_back({{"name", set.mistakes[k]}, {"meaning", meaning_of_mistake(set.mistakes[k])}, {"rows", rows}});
  }
  return list;
}

}  // namespace

DirectedFiles directed_files(const DirectedSet& set, const std::string& identifier, const ArrayStyle& style) {
  DirectedFiles files;
  Json arrays = Json::array();
  const auto add = [&](std::string_view what, Tensor elements, bool has_layout = false) {
    FileArray array{fmt::format("directed/{}_{}", identifier, what), fmt::format("{}: {}", set.step, what),
                    std::move(elements), has_layout};
    Json facts = {{"what", what}};
    facts.update(array_json(array, style));
    arrays.push_back(std::move(facts));
    files.arrays.push_back(std::move(array));
  };
  for (std::size_t k = 0; k < set.operands.size(); ++k)
    if (!set.operands[k].empty())
      add(set.operands[k], column<std::int32_t>(set, [k](const DirectedRow& row) { return row.operands[k]; }));
  add("q", convert(column<std::int32_t>(set, [](const DirectedRow& row) { return row.q; }), set.q_type));
  const std::int64_t patches =
      std::ranges::count_if(set.rows, [](const DirectedRow& row) { return row.patch.has_value(); });
  if (set.patch_type != DType::kUndefined) {
    add("patch", column<std::int32_t>(set, patch_number));
    Shape shape = set.patch_shape;
    shape.insert(shape.begin(), patches);
    const bool is_window = set.patch_shape.size() > 1 && set.kind == "requantize";
    add("patches",
        convert(Tensor::from<std::int32_t>(shape, std::span<const std::int32_t>(set.patches)), set.patch_type),
        is_window);
  }
  files.table = {fmt::format("directed/{}.csv", identifier), csv_of(set)};
  files.manifest = {
      {"step", set.step},          {"kind", set.kind}, {"rows", set.rows.size()},       {"patches", patches},
      {"table", files.table.name}, {"arrays", arrays}, {"mistakes", mistakes_json(set)}};
  return files;
}

}  // namespace octet
