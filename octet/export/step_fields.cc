#include "octet/export/step_fields.h"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace octet {
namespace {

using To = Accelerator;
using At = AcceleratorStep;

const PlacedTensor& placed(const To& to, TensorId tensor) { return to.tensors[to.place_of[tensor]]; }

std::int64_t pixels_of(const At& step) { return step.output_rows * step.output_columns; }

std::int64_t channel_words_of(const To& to, const At& step) {
  return step.groups * to.shape.columns / to.shape.requantizers;
}

// An addition is one loop, over all words of its operands.
template <typename F>
std::int64_t unless_addition(const At& step, std::int64_t of_addition, F&& of_sum) {
  return step.addition ? of_addition : of_sum();
}

constexpr std::array kStepFields = std::to_array<StepField>({
    {"adds", 1, false, [](const To&, const At& s) -> std::int64_t { return s.addition.has_value(); }},
    {"is_signed", 1, false, [](const To&, const At& s) -> std::int64_t { return s.is_signed; }},
    {"same_taps", 1, false, [](const To&, const At& s) -> std::int64_t { return s.same_taps; }},
    {"frees_image", 1, false, [](const To&, const At& s) -> std::int64_t { return s.frees_image; }},
    {"a_bank", 2, false, [](const To& to, const At& s) -> std::int64_t { return placed(to, s.a).bank; }},
    {"b_bank", 2, false,
     [](const To& to, const At& s) -> std::int64_t { return s.addition ? placed(to, s.b).bank : 0; }},
    {"y_bank", 1, false, [](const To& to, const At& s) -> std::int64_t { return placed(to, s.y).bank; }},
    {"padding", 9, true, [](const To&, const At& s) -> std::int64_t { return s.padding; }},
    {"low", 9, true, [](const To&, const At& s) -> std::int64_t { return s.low; }},
    {"high", 9, true, [](const To&, const At& s) -> std::int64_t { return s.high; }},
    {"y_base", kFieldBits, false, [](const To& to, const At& s) { return placed(to, s.y).base; }},
    {"beats", kFieldBits, false,
     [](const To& to, const At& s) {
       return unless_addition(s, pixels_of(s), [&] { return channel_words_of(to, s) * pixels_of(s); });
     }},
    {"channel_base", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 0, [&] { return s.first_channel; }); }},
    {"channel_words", kFieldBits, false,
     [](const To& to, const At& s) { return unless_addition(s, 1, [&] { return channel_words_of(to, s); }); }},
    {"b_offset", kFieldBits, false,
     [](const To& to, const At& s) -> std::int64_t {
       return s.addition ? placed(to, s.b).base - placed(to, s.a).base : 0;
     }},
    {"input_rows", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.input_rows; }); }},
    {"input_columns", kFieldBits, false, [](const To&, const At& s) { return s.input_columns; }},
    {"output_rows", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.output_rows; }); }},
    {"output_columns", kFieldBits, false, [](const To&, const At& s) { return s.output_columns; }},
    {"groups", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.groups; }); }},
    {"kernel_rows", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.kernel_rows; }); }},
    {"kernel_columns", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.kernel_columns; }); }},
    {"words", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.words; }); }},
    {"origin", kFieldBits, false,
     [](const To& to, const At& s) {
       const PlacedTensor& a = placed(to, s.a);
       return unless_addition(
           s, a.base, [&] { return a.base - (s.pad_rows * s.input_columns + s.pad_columns) * a.pixel_words; });
     }},
    {"tap_step", kFieldBits, false,
     [](const To& to, const At& s) {
       return unless_addition(s, 1, [&] { return placed(to, s.a).pixel_words - s.words + 1; });
     }},
    {"line_words", kFieldBits, false,
     [](const To& to, const At& s) {
       return unless_addition(s, 0, [&] { return s.input_columns * placed(to, s.a).pixel_words; });
     }},
    {"group_words", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 0, [&] { return s.group_words; }); }},
    {"pixel_step", kFieldBits, false,
     [](const To& to, const At& s) {
       return unless_addition(s, 1, [&] { return s.stride_columns * placed(to, s.a).pixel_words; });
     }},
    {"row_step", kFieldBits, false,
     [](const To& to, const At& s) {
       return unless_addition(s, 0, [&] { return s.stride_rows * s.input_columns * placed(to, s.a).pixel_words; });
     }},
    {"stride_rows", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.stride_rows; }); }},
    {"stride_columns", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 1, [&] { return s.stride_columns; }); }},
    {"first_row", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 0, [&] { return -s.pad_rows; }); }},
    {"first_column", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 0, [&] { return -s.pad_columns; }); }},
    {"first_weights", kFieldBits, false,
     [](const To&, const At& s) { return unless_addition(s, 0, [&] { return s.first_weights; }); }},
});

// "START a, b, c": lines of at most 125 characters; those behind the first begin with `margin` spaces.
std::string wrapped(const std::string& start, const std::vector<std::string_view>& names, std::size_t margin,
                    const std::string& end) {
  std::string text, line = start;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = std::string(names[i]) + (i + 1 < names.size() ? "," : end);
    const std::string_view gap = line.ends_with('{') || line.ends_with(' ') ? "" : " ";
    if (line.size() + gap.size() + name.size() > 125) {
      text += line + "\n";
      line = std::string(margin, ' ') + name;
    } else {
      line += std::string(gap) + name;
    }
  }
  return text + line + "\n";
}

std::string verilog_type(const StepField& field) {
  if (field.bits == kFieldBits) return "wire [FIELD_BITS-1:0]";
  if (field.bits == 1) return "wire";
  return fmt::format("wire {}[{}:0]", field.is_signed ? "signed " : "", field.bits - 1);
}

}  // namespace

std::span<const StepField> step_fields() { return kStepFields; }

std::string step_fields_verilog() {
  std::vector<std::string> types;
  std::vector<std::vector<std::string_view>> names;
  std::vector<std::string_view> all;
  for (const StepField& field : kStepFields) {
    const std::string type = verilog_type(field);
    std::size_t i = 0;
    while (i < types.size() && types[i] != type) ++i;
    if (i == types.size()) {
      types.push_back(type);
      names.emplace_back();
    }
    names[i].push_back(field.name);
    all.push_back(field.name);
  }
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) text += wrapped("    " + types[i] + " ", names[i], 8, ";");
  return text + wrapped("    assign {", all, 12, "} = description;");
}

}  // namespace octet
