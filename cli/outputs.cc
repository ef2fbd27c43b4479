#include "cli/outputs.h"

#include <filesystem>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"

namespace octet::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) { return !path.empty() && path != "-"; }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

bool are_one_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const fs::file_status first = fs::status(a, error), second = fs::status(b, error);
  if (fs::exists(first) != fs::exists(second)) return false;
  if (fs::exists(first)) return fs::is_regular_file(first) && fs::equivalent(a, b, error);
  const fs::path one = end_of_links(a), other = end_of_links(b);
  return one.filename() == other.filename() && (one.lexically_normal() == other.lexically_normal() ||
                                                fs::equivalent(folder_of(one), folder_of(other), error));
}

bool is_inside(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  return fs::is_directory(folder, error) && fs::is_regular_file(file, error) &&
         fs::equivalent(folder, folder_of(end_of_links(file)), error);
}

// What this call of the command reads and writes, as far as it is known.
struct NamedFiles {
  std::vector<NamedFile> inputs, outputs;
};
NamedFiles& named_files() {
  static NamedFiles files;
  return files;
}

void check_pairs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (const NamedFile& output : outputs) {
    for (const NamedFile& input : inputs) {
      if (is_same_file(output.path, input.path))
        fail(ErrorCode::kUsage, "{} would overwrite {}, which is the {}; name another file", output.option, output.path,
             input.option);
      if (is_file(input.path) && is_file(output.path) && is_inside(input.path, output.path))
        fail(ErrorCode::kUsage, "{} would overwrite {}, a file of the {}; name another file", output.option,
             output.path, input.option);
    }
  }
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  return is_file(a) && is_file(b) && are_one_file(fs::path(a), fs::path(b));
}

void check_outputs_differ(const std::vector<NamedFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t k = i + 1; k < outputs.size(); ++k) {
      if (outputs[i].path == "-" && outputs[k].path == "-")
        fail(ErrorCode::kUsage, "{} - and {} - both mean standard output: name a file for one of them",
             outputs[i].option, outputs[k].option);
      if (is_same_file(outputs[i].path, outputs[k].path))
        fail(ErrorCode::kUsage, "{} and {} both write {}; name two files", outputs[i].option, outputs[k].option,
             outputs[k].path);
    }
}

void require_folders(const std::vector<NamedFile>& outputs) {
  for (const NamedFile& output : outputs) {
    if (!is_file(output.path)) continue;
    const fs::path folder = folder_of(end_of_links(output.path));
    std::error_code error;
    if (!fs::is_directory(folder, error))
      fail(ErrorCode::kUsage, "{} {}: there is no folder {}", output.option, output.path, folder.string());
  }
}

void add_inputs(const std::vector<NamedFile>& inputs) {
  check_pairs(inputs, named_files().outputs);
  for (const NamedFile& input : inputs) named_files().inputs.push_back(input);
}

void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  add_inputs(inputs);
  check_pairs(named_files().inputs, outputs);
  check_outputs_differ(outputs);
  for (const NamedFile& output : outputs) named_files().outputs.push_back(output);
}

}  // namespace octet::cli
