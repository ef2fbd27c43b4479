#include "octet/export/support/c_step.h"

#include <cmath>
#include <limits>

#include "octet/export/identifiers.h"

namespace octet {

std::string c_number(std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  if (number == std::numeric_limits<std::int32_t>::min()) return "INT32_MIN";
  if (number < INT32_MIN || number > INT32_MAX) return fmt::format("INT64_C({})", number);
  return std::to_string(number);
}

std::string c_float(float number) {
  if (std::isnan(number)) return "__builtin_nanf(\"\")";
  if (std::isinf(number)) return number > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  std::string text = fmt::format("{:.9g}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

namespace {

std::string c_element(float number) { return c_float(number); }
template <typename T>
std::string c_element(T number) {
  return c_number(static_cast<std::int64_t>(number));
}

}  // namespace

template <typename T>
std::string c_elements(std::span<const T> numbers) {
  constexpr std::size_t kWidth = 118;
  std::string text, line = " ";
  for (const T number : numbers) {
    const std::string element = c_element(number);
    if (line.size() + element.size() + 2 > kWidth) {
      text += line + "\n";
      line = " ";
    }
    line += " " + element + ",";
  }
  return text + line + "\n";
}
template std::string c_elements(std::span<const std::uint8_t>);
template std::string c_elements(std::span<const std::int8_t>);
template std::string c_elements(std::span<const std::int16_t>);
template std::string c_elements(std::span<const std::int32_t>);
template std::string c_elements(std::span<const std::int64_t>);
template std::string c_elements(std::span<const float>);

std::string CStep::reads(ValueId id, const std::string& as) { return pass(id, as, false); }
std::string CStep::writes(ValueId id, const std::string& as) { return pass(id, as, true); }

std::string CStep::pass(ValueId id, const std::string& as, bool written) {
  for (std::size_t k = 0; k < arguments_.size(); ++k)
    if (arguments_[k].value == id && arguments_[k].written == written) return names_[k];
  parameters_.push_back(
      fmt::format("{}{} *{}{}", written ? "" : "const ", c_type(values_[id].type), written ? "restrict " : "", as));
  arguments_.push_back({id, written});
  names_.push_back(as);
  return as;
}

void CStep::define(const std::string& what, const std::string& type, std::size_t count, const std::string& elements) {
  constants_ += fmt::format("static const {} {}_{}[{}] = {{\n{}}};\n", type, name_, what, count, elements);
}

std::string CStep::rows(const std::string& what, const std::string& type, const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += "  {" + row + "},\n";
  define(what, type, rows.size(), text);
  return name_ + "_" + what;
}

std::string CStep::scratch(const std::string& type, const std::string& what, std::int64_t count, int bytes) {
  line("{} *const {} = (void *)(scratch.bytes + {});", type, what, scratch_);
  scratch_ += (count * bytes + 15) / 16 * 16;
  return what;
}

void CStep::put(const std::string& line) {
  body_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  body_ += line + "\n";
}

CStep::Block CStep::loop(const std::string& name, std::int64_t count, std::int64_t by) {
  return by == 1 ? block("for (ptrdiff_t {0} = 0; {0} < {1}; ++{0})", name, count)
                 : block("for (ptrdiff_t {0} = 0; {0} < {1}; {0} += {2})", name, count, by);
}

void CStep::close() {
  --depth_;
  put("}");
}

std::string CStep::text() const {
  std::string text = "/* ";
  for (std::size_t k = 0; k < comment_.size(); ++k) text += (k == 0 ? "" : "\n * ") + comment_[k];
  std::string parameters;
  for (const std::string& parameter : parameters_) parameters += (parameters.empty() ? "" : ", ") + parameter;
  return fmt::format("{} */\n{}static void {}({}) {{\n{}}}\n\n", text, constants_, name_,
                     parameters.empty() ? "void" : parameters, body_);
}

}  // namespace octet
