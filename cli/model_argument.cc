#include "cli/model_argument.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

#include "cli/compiled_model.h"
#include "cli/dimensions.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/base/in_file.h"
#include "octet/graph/infer.h"
#include "octet/onnx/model_file.h"
#include "octet/spec/operator.h"
#include "octet/system/read_file.h"

namespace octet::cli {
namespace {

constexpr std::size_t kLargestModel = std::numeric_limits<std::int32_t>::max();  // that the format holds in one file

FileBytes read_standard_input() {
  static bool read_before = false;
  if (read_before) fail(ErrorCode::kUsage, "only one model can be read from it");
  read_before = true;
  if (::isatty(STDIN_FILENO) != 0)
    fail(ErrorCode::kUsage, "this is a terminal: redirect a model, such as octet inspect - <model.onnx");
  return read_stream(STDIN_FILENO, kLargestModel);
}

}  // namespace

void add_model_operand(CommandLine line, std::string& file) {
  line.option("model", file, "The .onnx file; - is standard input").required();
}

void add_runnable_operand(CommandLine line, std::string& file) {
  line.option("model", file, "The .onnx file, or a .so that octet compile made; - is standard input").required();
}

LoadedModel load_model_with_size(const std::string& file) {
  const auto size_of_file = [&] {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    return error ? 0 : size;
  };
  if (is_compiled(file)) return {parse_model(compiled_network(file)->model()), size_of_file()};
  if (file != "-") {
    std::vector<std::filesystem::path> others;
    LoadedModel loaded{load_model(file, {.external_files = &others})};
    for (const std::filesystem::path& other : others) add_inputs({{"external data of " + file, other.string()}});
    loaded.bytes = size_of_file();
    return loaded;
  }
  try {
    const FileBytes file = read_standard_input();
    return {parse_model(file.bytes), file.bytes.size()};
  } catch (const Error& error) {
    throw in_file(shown_name(file), error);
  }
}

void warn_of_newer_opset(const Model& model, const std::string& file) {
  std::int64_t opset = model.opset("");
  for (const Function& function : model.functions)
    for (const auto& [domain, version] : function.opset_imports)
      if (domain.empty()) opset = std::max(opset, version);
  if (opset > kNewestOpset)
    print_error(
        fmt::format("warning: {} is written in opset {} of ai.onnx; Octet knows the definitions up to opset {}, and "
                    "computes each operator as it is defined there",
                    shown_name(file), opset, kNewestOpset));
}

Model load_model_named(const std::string& file, const std::vector<std::string>& dims) {
  Model loaded = load_model_with_size(file).model;
  warn_of_newer_opset(loaded, file);
  return correct_shapes(bind_dimensions(std::move(loaded), parse_dimensions(dims)), [](const Error& error) {
    print_error(std::string("warning: ") + error.what() + "; what is computed counts");
  });
}

std::string shown_name(const std::string& file) { return file == "-" ? "standard input" : file; }

void save_model_named(const Model& model, const std::string& file) {
  if (file == "-")
    print_bytes(serialize_model(model));
  else
    save_model(model, file);
}

}  // namespace octet::cli
