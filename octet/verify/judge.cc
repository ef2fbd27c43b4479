#include "octet/verify/judge.h"

#include <csignal>
#include <cstring>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/system/npz.h"
#include "octet/system/process.h"
#include "octet/system/read_file.h"
#include "octet/system/scratch_folder.h"
#include "octet/text/json.h"
#include "octet/verify/onnxruntime_judge.h"

namespace octet {
namespace {

// Whether it is there. Throws unless it is a file of its own: a link may lead anywhere, and a pipe may never end.
bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::symlink_status(path, error).type();
  if (type == std::filesystem::file_type::not_found) return false;
  if (type != std::filesystem::file_type::regular)
    fail(ErrorCode::kFormat, "{} is not a regular file", path.filename().string());
  return true;
}

void read_facts(const std::filesystem::path& path, JudgeAnswer& answer) {
  if (!is_file(path)) return;
  const FileBytes file = read_file(path, std::uint64_t{64} << 20);
  const std::string name = path.filename().string();
  try {
    const Json json = parse_json({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
    if (!json.is_object()) fail(ErrorCode::kFormat, "not a JSON object");
    if (json.contains("runtime")) answer.runtime = json.at("runtime").get<std::string>();
    if (json.contains("made_by")) answer.made_by = json.at("made_by").get<std::map<std::string, std::string>>();
    if (json.contains("operators")) answer.operators = json.at("operators").get<std::map<std::string, std::int64_t>>();
  } catch (const Json::exception& error) {
    fail(ErrorCode::kFormat, "{} is not what docs/judge.md describes: {}", name, error.what());
  } catch (const Error& error) {
    fail(ErrorCode::kFormat, "{} is not what docs/judge.md describes: {}", name, error.message());
  }
}

}  // namespace

JudgeAnswer ask(const Judge& judge, const NamedTensors& inputs) {
  const ScratchFolder folder;
  const std::filesystem::path given = folder.path() / "inputs.npz", wanted = folder.path() / "outputs.npz";
  save_npz(inputs, given);
  std::vector<std::string> arguments = judge.command;
  for (const std::filesystem::path& path : {judge.model, given, wanted}) arguments.push_back(path.string());
  const ProcessResult result = run_process(arguments, folder.path(), judge.limit);
  if (result.timed_out)
    fail(ErrorCode::kIo, "the judge {} was not done after {} seconds; {}", judge.name, judge.limit.count(),
         result.said);
  if (result.signal != 0)
    fail(ErrorCode::kIo, "the judge {} was ended by signal {} ({}); {}", judge.name, result.signal,
         strsignal(result.signal), result.said);
  if (result.exit_code != 0)
    fail(ErrorCode::kIo, "the judge {} ended with code {}; {}", judge.name, result.exit_code, result.said);
  try {
    if (is_file(wanted)) return read_answer(wanted, judge.most_bytes);
  } catch (const Error& error) {
    fail(error.code(), "what the judge {} wrote can't be read: {}", judge.name, error.message());
  }
  fail(ErrorCode::kIo, "the judge {} wrote no {}; {}", judge.name, wanted.filename().string(), result.said);
}

JudgeAnswer read_answer(const std::filesystem::path& outputs, std::uint64_t most_bytes) {
  if (!is_file(outputs)) fail(ErrorCode::kIo, "there is no {}", outputs.string());
  std::error_code error;
  if (const std::uintmax_t size = std::filesystem::file_size(outputs, error); !error && size > most_bytes)
    fail(ErrorCode::kLimit, "{} has {} bytes, at most {} are read", outputs.filename().string(), size, most_bytes);
  JudgeAnswer answer;
  const NpzReader archive(outputs, most_bytes);
  for (const std::string& name : archive.names()) answer.tensors.emplace(name, archive.read(name));
  read_facts(outputs.string() + ".json", answer);
  return answer;
}

Judge onnxruntime_judge(std::filesystem::path model, const std::filesystem::path& folder,
                        const OnnxRuntimeOptions& options) {
  const std::filesystem::path adapter = folder / "onnxruntime_judge.py";
  write_file(adapter, kOnnxRuntimeJudge);
  Judge judge{"ONNX Runtime",
              {options.python, adapter.string(), "--level", options.fuse ? "extended" : "off"},
              std::move(model),
              options.limit,
              options.most_bytes};
  if (options.precision) judge.command.emplace_back("--precision");
  if (!options.save_graph.empty())
    judge.command.insert(judge.command.end(), {"--save-graph", options.save_graph.string()});
  return judge;
}

}  // namespace octet
