#include "octet/export/c_library.h"

#include <fmt/format.h>

#include <algorithm>

#include "octet/export/identifiers.h"
#include "octet/export/support/c_header.h"
#include "octet/export/support/library_interface.h"
#include "octet/version.h"

namespace octet {
namespace {

constexpr const char* kStructs = R"(#include <stdint.h>

struct octet_tensor {
  const char *name;     /* printable, at most 100 characters of it */
  int32_t type;         /* as the ONNX format numbers them */
  int32_t rank;
  const int64_t *dims;
  int64_t value;         /* its number in the program */
  int32_t channels_last; /* in memory, while the network runs */
};

struct octet_library {
  uint32_t mark, version; /* of this interface */
  uint64_t bytes;         /* of this struct */
  const char *made_by;
  const char *policy;
  int32_t inputs, outputs, tensors;
  const struct octet_tensor *input, *output, *tensor;
  void (*run)(const void *const *inputs, void *const *outputs);
  void (*set_trace)(void (*see)(void *context, int tensor, const void *elements), void *context);
  const unsigned char *model, *model_end;
};

/* The model itself, for those who want to know what was compiled. */
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".local octet_model\n"
    "octet_model:\n"
    ".incbin \"" OCTET_MODEL_FILE "\"\n"
    ".local octet_model_end\n"
    "octet_model_end:\n"
    ".byte 0\n"
    ".text\n");
__attribute__((visibility("hidden"))) extern const unsigned char octet_model[], octet_model_end[];

static void (*see_tensor)(void *context, int tensor, const void *elements);
static void *see_context;

)";

class LibraryTensors {
 public:
  explicit LibraryTensors(const Program& program) : program_(program) {}

  std::string table(const std::string& name, const std::vector<CTensor>& tensors) {
    std::string rows, dims;
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      const ProgramValue& value = program_.values[tensors[k].value];
      const Shape shape = concrete(*value.shape).value();
      dims += fmt::format("static const int64_t {}_dims_{}[] = {{{}}};\n", name, k,
                          shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, ", ")));
      rows += fmt::format("    {{\"{}\", {}, {}, {}_dims_{}, {}, {}}},\n", library_name(value.name),
                          static_cast<int>(value.dtype), shape.size(), name, k, tensors[k].value,
                          tensors[k].channels_last ? 1 : 0);
    }
    if (tensors.empty()) rows = "    {0, 0, 0, 0, 0, 0},\n";
    return fmt::format("{}static const struct octet_tensor {}[] = {{\n{}}};\n\n", dims, name, rows);
  }

 private:
  const Program& program_;
};

}  // namespace

std::string library_name(const std::string& name) {
  std::string text = comment_text(name);
  std::replace(text.begin(), text.end(), '"', '\'');
  return text;
}

ExportedFile c_library(const Program& program, const CSource& source) {
  LibraryTensors tables(program);
  std::string arguments;
  for (std::size_t k = 0; k < source.inputs.size(); ++k)
    arguments += fmt::format("{}inputs[{}]", arguments.empty() ? "" : ", ", k);
  for (std::size_t k = 0; k < source.outputs.size(); ++k)
    arguments += fmt::format("{}outputs[{}]", arguments.empty() ? "" : ", ", k);
  std::string text =
      fmt::format("/* {} as a shared library. Made by Octet. */\n#include \"{}.h\"\n\n", source.name, source.name);
  text += kStructs;
  text += tables.table("input", source.inputs) + tables.table("output", source.outputs) +
          tables.table("tensor", source.traced);
  text += fmt::format(
      "void {0}_trace(int tensor, const void *elements);\n"
      "void {0}_trace(int tensor, const void *elements) {{\n"
      "  if (see_tensor) see_tensor(see_context, tensor, elements);\n}}\n\n"
      "static void run(const void *const *inputs, void *const *outputs) {{\n"
      "  (void)inputs;\n  (void)outputs;\n  {0}_run({1});\n}}\n\n"
      "static void set_trace(void (*see)(void *context, int tensor, const void *elements), void *context) {{\n"
      "  see_tensor = see;\n  see_context = context;\n}}\n\n"
      "__attribute__((visibility(\"default\"))) extern const struct octet_library octet_library;\n"
      "const struct octet_library octet_library = {{\n"
      "    {2}u, {3}u, sizeof(struct octet_library), \"Octet {4}\", \"{5}\", {6}, {7}, {8}, input, output, tensor, "
      "run,\n"
      "    set_trace, octet_model, octet_model_end}};\n",
      source.name, arguments, kLibraryMark, kLibraryVersion, kVersion, name(program.policy), source.inputs.size(),
      source.outputs.size(), source.traced.size());
  return {source.name + "_library.c", text};
}

}  // namespace octet
