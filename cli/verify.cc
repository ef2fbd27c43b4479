// verify.cc: octet verify
#include "octet/verify/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/run_inputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/witness.h"
#include "octet/analyze/explain.h"
#include "octet/base/fail.h"
#include "octet/graph/infer.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/report/json.h"
#include "octet/report/numbers.h"
#include "octet/verify/difference.h"
#include "octet/verify/support/scratch_folder.h"
#include "octet/verify/support/verification_text.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct Options {
  std::string model, against, input, json, policy = "exact", python, save_graph, run = "both";
  std::vector<std::string> dims;
  SamplesOptions samples;
  std::uint64_t seed = 1;
  int limit = 600;
  bool all = false;
};

// One way of running the network on the other side.
struct Section {
  std::string title;
  Judge judge;
  Verifier verifier;
};

std::string python_of(const Options& options) {
  if (!options.python.empty()) return options.python;
  const char* variable = std::getenv("OCTET_PYTHON");
  return variable && *variable ? variable : "python3";
}

// The precision option leaves operators on int8 activations without a kernel: files with such need it off.
bool wants_precision(const Model& model) {
  const Facts facts = infer(model, [](const Error&) {});
  return std::none_of(model.graph.nodes.begin(), model.graph.nodes.end(), [&](const Node& node) {
    if (!node.op_type.starts_with("QLinear") && node.op_type != "QGemm" && node.op_type != "MatMulIntegerToFloat")
      return false;
    const auto x = node.inputs.empty() ? facts.end() : facts.find(node.inputs[0]);
    return x != facts.end() && x->second.dtype == DType::kInt8;
  });
}

// Symbols that nobody bound become 1 for made-up inputs.
Model with_symbols_as_one(const Model& model) {
  std::map<std::string, std::int64_t> ones;
  for (const Value* input : required_inputs(model.graph))
    if (input->type.shape)
      for (const Dim& dim : *input->type.shape)
        if (dim.is_symbol()) ones[dim.symbol()] = 1;
  return bind_dimensions(model, ones);
}

// Hands each batch of inputs to `use`.
void for_each_batch(const Model& model, const Options& options,
                    const std::function<void(const NamedTensors&, std::int64_t samples)>& use) {
  if (options.samples.given()) {
    const auto stream = options.samples.open(model);
    while (const std::optional<Batch> batch = stream->next(options.samples.batch)) use(batch->inputs, batch->samples);
    return;
  }
  NamedTensors inputs;
  std::vector<std::string> ignored;
  if (!options.input.empty())
    inputs = read_inputs(model, options.input, ignored);
  else
    add_random_inputs(with_symbols_as_one(model), options.seed, inputs);
  require_all_inputs(model, inputs);
  use(inputs, 1);
}

std::vector<std::string> words(const std::string& command) { return {"/bin/sh", "-c", command + " \"$@\"", command}; }

// ONNX Runtime on the file, every value of the program among its outputs. Its own plan is its own: with everything
// exposed it could not be followed.
Judge judge_of_file(const Model& model, const Program& program, Policy policy, const std::filesystem::path& folder,
                    const OnnxRuntimeOptions& options) {
  const std::filesystem::path path = folder / "file.onnx";
  save_model(policy == Policy::kOnnxRuntime ? model : with_values_exposed(model, program), path);
  return onnxruntime_judge(path, folder, options);
}

// ONNX Runtime on the program in operator form, its weights such that no kernel saturates.
Judge judge_of_program(const Program& program, const std::filesystem::path& folder, OnnxRuntimeOptions options) {
  const std::filesystem::path path = folder / "program.onnx";
  save_model(with_values_exposed(to_model(program, {.unsigned_weights = true}), program), path);
  options.fuse = options.precision = false;
  options.save_graph.clear();
  return onnxruntime_judge(path, folder, options);
}

bool multiplies_uint8_by_int8(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
    const auto* sum = std::get_if<Accumulation>(&step.constants);
    return sum && sum->weights.dtype() == DType::kInt8 &&
           program.values[step.operations.front().inputs[0]].dtype == DType::kUint8;
  });
}

// What ONNX Runtime makes of the same inputs when it is not told to be exact, if that is something else on this machine.
std::string saturation_text(const ReferenceEngine& engine, Judge judge, const NamedTensors& inputs) {
  std::erase(judge.command, "--precision");
  Verifier verifier(engine);
  verifier.add(inputs, ask(judge, inputs));
  const Verification& found = verifier.result();
  if (found.witnesses.empty()) return "";
  std::int64_t differing = 0, elements = 0;
  for (const TensorVerdict& verdict : found.steps) {
    differing += verdict.differing;
    elements += verdict.is_float ? 0 : verdict.elements;
  }
  const Witness& first = found.witnesses.front();
  std::string text = fmt::format(
      "On this machine ONNX Runtime saturates without session.x64quantprecision: {} of {} differ in the first batch.\n"
      "{}: exactly {}, saturated {}",
      grouped(differing), counted(elements, "integer"), element_name(first.tensor, first.index),
      element_text(first.ours, 0), element_text(first.theirs, 0));
  const Explanation explanation =
      explain_element(engine.program(), first.step, first.tensor, first.index, first.inputs);
  for (const ExplainedOperation& operation : explanation.operations)
    for (const Alternative& alternative : operation.alternatives)
      if (alternative.rule.starts_with("AVX2")) text += "; " + alternative.note;
  return text + "\n";
}

std::vector<Section> sections_of(const Model& model, const ReferenceEngine& engine, const Options& options,
                                 const std::filesystem::path& folder) {
  const std::chrono::seconds limit(options.limit);
  std::vector<Section> sections;
  if (!options.against.empty()) {
    sections.push_back(
        {options.against, {options.against, words(options.against), options.model, limit}, Verifier(engine)});
    return sections;
  }
  const OnnxRuntimeOptions runtime{.python = python_of(options),
                                   .precision = wants_precision(model),
                                   .save_graph = options.save_graph,
                                   .limit = limit};
  if (options.run != "program")
    sections.push_back({"the file, as ONNX Runtime runs it",
                        judge_of_file(model, engine.program(), policy_named(options.policy), folder, runtime),
                        Verifier(engine)});
  if (options.run != "file")
    sections.push_back({"the program, in ONNX Runtime's integer kernels",
                        judge_of_program(engine.program(), folder, runtime), Verifier(engine)});
  return sections;
}

int run(const Options& options) {
  const Policy policy = policy_named(options.policy);
  if (options.run != "both" && options.run != "file" && options.run != "program")
    fail(ErrorCode::kUsage, "--run wants file, program or both, and not {}", options.run);
  if (options.limit < 1) fail(ErrorCode::kUsage, "--time-limit wants a number of seconds, and not {}", options.limit);
  const Model model = bind_dimensions(load_model(options.model), parse_dimensions(options.dims));
  const ReferenceEngine engine(lower(model, policy));
  const ScratchFolder folder;
  std::vector<Section> sections = sections_of(model, engine, options, folder.path());
  const bool may_saturate = options.against.empty() && options.run != "program" && policy != Policy::kOnnxRuntime &&
                            wants_precision(model) && multiplies_uint8_by_int8(engine.program());

  const Progress progress = progress_line("samples");
  std::size_t done = 0;
  std::string saturation;
  for_each_batch(model, options, [&](const NamedTensors& inputs, std::int64_t samples) {
    for (Section& section : sections) section.verifier.add(inputs, ask(section.judge, inputs));
    if (done == 0 && may_saturate) saturation = saturation_text(engine, sections.front().judge, inputs);
    done += static_cast<std::size_t>(samples);
    if (progress) progress(done, std::max(done, static_cast<std::size_t>(options.samples.samples)));
  });

  Json results = Json::array();
  bool agrees = true;
  for (const Section& section : sections) {
    const Verification& found = section.verifier.result();
    agrees = agrees && found.agrees();
    Json json = verification_json(found, engine.program());
    json["run"] = section.title;
    results.push_back(std::move(json));
    if (options.json.empty())
      print(fmt::format("{}{}\n\n{}{}", &section == &sections.front() ? "" : "\n", section.title,
                        verification_text(found, engine.program(), options.all, terminal_width()),
                        explanation_of(found, engine)));
  }
  if (options.json.empty() && !saturation.empty()) print("\n" + saturation);
  if (!options.json.empty())
    write_json(json_text({{"schema", "octet.verify/1"},
                          {"octet", kVersion},
                          {"model", options.model},
                          {"policy", name(policy)},
                          {"samples", done},
                          {"agrees", agrees},
                          {"saturation", saturation.empty() ? Json() : Json(saturation)},
                          {"runs", results}}),
               options.json);
  return agrees ? kFine : kDiffers;
}

}  // namespace

Command verify_command(Parser& parser) {
  CommandLine line =
      parser.command("verify", "Compare every tensor with ONNX Runtime, or with your own implementation, bit for bit");
  auto options = std::make_shared<Options>();
  line.option("model", options->model, "The .onnx file").required();
  line.option("--against", options->against,
              "Your own judge: a command that is given the model, inputs.npz and outputs.npz", "COMMAND");
  line.option("--input", options->input, "Inputs by name (.npz), or the only input (.npy)", "FILE");
  line.option("--random", options->seed, "Make up the inputs, if none are given; seed 1 if not said", "SEED");
  add_samples_options(line, options->samples);
  add_dim_option(line, options->dims);
  line.option("--run", options->run,
              "What ONNX Runtime is given: the file itself, the program as an operator file, or both (else)", "WHAT");
  add_policy_option(line, options->policy);
  line.option("--python", options->python, "A Python with onnx and onnxruntime; else $OCTET_PYTHON, else python3",
              "FILE");
  line.option("--save-graph", options->save_graph, "Write the graph that ONNX Runtime executed", "FILE");
  line.option("--time-limit", options->limit, "Seconds that the judge may take for a batch; 600 if not said",
              "SECONDS");
  line.flag("--all", options->all, "List every tensor, not only those that differ");
  add_json_option(line, options->json);
  line.example(
      "  octet verify resnet8_int8.onnx --data test_batch.bin\n"
      "  octet verify resnet8_int8.onnx --against ./my_simulator.sh");
  return {line, [options] { return run(*options); }};
}

}  // namespace octet::cli
