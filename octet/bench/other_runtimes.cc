#include "octet/bench/other_runtimes.h"

#include <array>

#include "octet/base/fail.h"
#include "octet/bench/contenders.h"
#include "octet/system/atomic_file.h"
#include "octet/system/conversation.h"
#include "octet/system/npz.h"
#include "octet/text/json.h"

namespace octet {
namespace {

constexpr std::chrono::seconds kLimit{600};                                                      // for one answer
constexpr std::array<const char*, 3> kKinds = {"onnxruntime", "onnxruntime-exact", "openvino"};  // by Runtime

Json ask_json(Conversation& conversation, const Json& question) {
  const std::string answer = conversation.ask(question.dump(), kLimit);
  try {
    if (Json json = parse_json(answer); json.is_object()) return json;
  } catch (const Error&) {  // said below
  }
  fail(ErrorCode::kIo, "Python answered {}, and not with a JSON object: does --python or $OCTET_PYTHON name a Python?",
       json_excerpt(answer));
}

class OtherRuntime : public Contender {
 public:
  OtherRuntime(Conversation& conversation, int number, Facts facts, NamedTensors outputs)
      : conversation_(conversation), number_(number) {
    facts_ = std::move(facts);
    outputs_ = std::move(outputs);
  }

  std::vector<double> run(int times) override {
    const Json answer = ask_json(conversation_, {{"run", number_}, {"times", times}});
    if (answer.contains("error"))
      fail(ErrorCode::kIo, "{} failed: {}", facts_.name, answer.at("error").get<std::string>());
    return answer.at("nanoseconds").get<std::vector<double>>();
  }

 private:
  Conversation& conversation_;
  const int number_;
};

}  // namespace

OtherRuntimes::OtherRuntimes(const std::string& python, const std::filesystem::path& folder) : folder_(folder) {
  const std::filesystem::path script = folder / "contenders.py";
  write_file(script, kContenders);
  conversation_ = std::make_unique<Conversation>(std::vector<std::string>{python, script.string()}, folder);
}

OtherRuntimes::~OtherRuntimes() = default;

OtherRuntimes::Opened OtherRuntimes::open(Runtime runtime, const std::string& name, const std::filesystem::path& model,
                                          int threads, const NamedTensors& inputs) {
  const std::filesystem::path given = folder_ / "inputs.npz", made = folder_ / "outputs.npz";
  save_npz(inputs, given);
  const Json answer = ask_json(*conversation_, {{"open", kKinds[static_cast<std::size_t>(runtime)]},
                                                {"model", model.string()},
                                                {"inputs", given.string()},
                                                {"outputs", made.string()},
                                                {"threads", threads}});
  if (answer.contains("missing"))
    fail(ErrorCode::kUsage,
         "{}. Install the package there, or name a Python that has it with --python or $OCTET_PYTHON (in the project's "
         "folder, make python installs ONNX Runtime for .venv/bin/python, and tools/setup.sh bench OpenVINO too)",
         answer.at("error").get<std::string>());
  if (answer.contains("error")) return {nullptr, answer.at("error").get<std::string>()};
  NamedTensors outputs;
  const NpzReader archive(made);
  for (const std::string& output : archive.names()) outputs.emplace(output, archive.read(output));
  Contender::Facts facts{name, answer.at("runtime").get<std::string>(), answer.at("settings").get<std::string>(),
                         answer.at("load").get<double>(), answer.at("first_run").get<double>()};
  return {std::make_unique<OtherRuntime>(*conversation_, opened_++, std::move(facts), std::move(outputs)), ""};
}

}  // namespace octet
