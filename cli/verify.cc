// verify.cc: octet verify
#include "octet/verify/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/compiled_model.h"
#include "cli/counted_heap.h"
#include "cli/dimensions.h"
#include "cli/judged_model.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/python_option.h"
#include "cli/run_inputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "cli/witness.h"
#include "octet/base/error.h"
#include "octet/base/fail.h"
#include "octet/base/memory_budget.h"
#include "octet/graph/infer.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/verify/difference.h"
#include "octet/verify/scratch_folder.h"
#include "octet/verify/verification_json.h"
#include "octet/verify/verification_text.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct VerifyArguments {
  std::string model, against, input, json, policy = "exact", engine = kDefaultEngine, python, save_graph, memory,
                                           run = "both";
  std::vector<std::string> dims;
  SamplesOptions samples;
  std::uint64_t seed = 1;
  int limit = 600;
  int threads = 0;
  bool all = false;
};

// One way of running the network on the other side.
struct Section {
  std::string title;
  JudgedModel judged;
  std::unique_ptr<Verifier> verifier;
  bool optimized = false;              // by ONNX Runtime, which may rewrite it
  std::vector<StepGroup> groups = {};  // runs of the judge for inputs of the present shapes
};

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

// Hands each batch of inputs to `use`, with the number of its samples and of all samples, as far as that is known.
void for_each_batch(const Model& model, const VerifyArguments& options,
                    const std::function<void(const NamedTensors&, std::int64_t samples, std::int64_t total)>& use) {
  if (options.samples.given()) {
    const auto stream = options.samples.open(model);
    while (const std::optional<Batch> batch = stream->next(options.samples.batch))
      use(batch->inputs, batch->samples, stream->total().value_or(0));
    return;
  }
  NamedTensors inputs;
  std::vector<std::string> ignored;
  if (!options.input.empty())
    inputs = read_inputs(model, options.input, ignored);
  else
    add_random_inputs(with_symbols_as_one(model), options.seed, inputs);
  require_all_inputs(model, inputs, options.input);
  use(inputs, 1, 1);
}

std::vector<std::string> words(const std::string& command) { return {"/bin/sh", "-c", command + " \"$@\"", command}; }

bool multiplies_uint8_by_int8(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
    const work::Sum* sum = sum_of(step.work);
    return sum && sum->weights.dtype() == DType::kInt8 && sum->x_type == DType::kUint8;
  });
}

// The tensors of one run of the judge take this share of the memory at most: the judge holds them and writes them, and
// here they are read and held.
constexpr std::uint64_t kShare = 4;

std::map<std::string, Shape> shapes_of(const NamedTensors& tensors) {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, tensor] : tensors) shapes[name] = tensor.shape();
  return shapes;
}

// What ONNX Runtime makes of the same inputs when it is not told to be exact, if that is something else on this machine.
std::string saturation_text(const Engine& engine, const Section& section, const NamedTensors& inputs) {
  JudgedModel judged = section.judged.without_precision().on_trial();
  Verifier verifier(engine, Floats::kWithinTolerance, describe_witnesses(engine));
  verifier.add(inputs, section.groups, [&](const StepGroup& group) { return judged.ask(inputs, group); });
  const Verification& found = verifier.result();
  const auto first = std::find_if(found.witnesses.begin(), found.witnesses.end(),
                                  [](const Witness& witness) { return witness.saturated; });
  if (first == found.witnesses.end()) return "";
  std::int64_t saturated = 0, elements = 0;
  for (const TensorVerdict& verdict : found.steps) {
    saturated += verdict.saturated;
    elements += verdict.is_float ? 0 : verdict.elements;
  }
  return fmt::format(
      "On this machine ONNX Runtime saturates without session.x64quantprecision: {} of {} differ in the first batch.\n"
      "{}: exactly {}, saturated {}; {}\n",
      grouped(saturated), counted(elements, "integer"), element_name(first->tensor, first->index),
      element_text(first->ours, 0), element_text(first->theirs, 0), first->note);
}

Json left_out_json(const Verification& verification) {
  Json list = Json::array();
  for (const auto& [rewrite, differing] : verification.left_out)
    list.push_back({{"optimizer", rewrite.optimizer}, {"what", rewrite.what}, {"differing", differing}});
  return list;
}

std::int64_t differing_steps(const Verification& found) {
  std::int64_t differing = 0;
  for (const TensorVerdict& verdict : found.steps) differing += verdict.differing;
  return differing;
}

// Of ONNX Runtime's rewrites that change numbers, those that may have been made and are not left out yet.
std::vector<RuntimeRewrite> candidates_to_leave_out(const Verification& with) {
  std::vector<RuntimeRewrite> candidates;
  for (const RuntimeRewrite& rewrite : runtime_rewrites()) {
    const bool made = rewrite.makes.empty() || with.operators.contains(std::string(rewrite.makes));
    const bool there = std::none_of(with.left_out.begin(), with.left_out.end(), [&](const LeftOut& left_out) {
      return left_out.rewrite.optimizer == rewrite.optimizer;
    });
    if (made && there) candidates.push_back(rewrite);
  }
  return candidates;
}

// Where a batch differs, and does not when the runtime leaves out rewrites that change numbers: `section` goes on
// without them, as if that had been so from this batch on. `before` is what was found in the batches before.
void leave_out_rewrites(const Engine& engine, Section& section, const Verifier& before, const NamedTensors& inputs) {
  const Verification& with = section.verifier->result();
  if (!section.optimized || with.agrees() || with.differs_by_saturation()) return;
  if (!before.result().agrees() && !before.result().differs_by_saturation()) return;  // no batch can mend that
  const std::int64_t differing = differing_steps(with) - differing_steps(before.result());
  if (differing == 0) return;
  const auto retry = [&](std::span<const RuntimeRewrite> rewrites) -> std::optional<Retrial> {
    JudgedModel judged = section.judged.without(rewrites).on_trial();
    Verifier verifier(engine);
    try {
      verifier.add(inputs, section.groups, [&](const StepGroup& group) { return judged.ask(inputs, group); });
    } catch (const Error& error) {  // the runtime can't do without it: what was found with it stands
      if (error.code() == ErrorCode::kCancelled) throw;
      return std::nullopt;
    }
    return Retrial{verifier.result().agrees(), differing_steps(verifier.result())};
  };
  const std::vector<LeftOut> left_out = rewrites_to_leave_out(candidates_to_leave_out(with), differing, retry);
  if (left_out.empty()) return;
  section.verifier = std::make_unique<Verifier>(before);
  std::vector<RuntimeRewrite> rewrites;
  for (const LeftOut& one : left_out) {
    section.verifier->leave_out(one);
    rewrites.push_back(one.rewrite);
  }
  section.judged = section.judged.without(rewrites);
  section.verifier->add(inputs, section.groups,
                        [&](const StepGroup& group) { return section.judged.ask(inputs, group); });
}

std::vector<Section> sections_of(const Model& model, const Engine& engine, const VerifyArguments& options,
                                 std::uint64_t memory, const std::filesystem::path& folder) {
  const std::chrono::seconds limit(options.limit);
  const Program& program = engine.program();
  std::vector<Section> sections;
  const auto add = [&](const std::string& title, JudgedModel judged, Floats floats = Floats::kWithinTolerance) {
    sections.push_back(
        {title, std::move(judged), std::make_unique<Verifier>(engine, floats, describe_witnesses(engine))});
  };
  if (is_compiled(options.model))
    add("the library, beside Octet's engine, to the last bit",
        JudgedModel::of_library(options.model, library_engine(options.model, program)), Floats::kToTheBit);
  if (!options.against.empty()) {
    std::string path = options.model;
    if (path == "-" || is_compiled(path)) {
      path = folder / "model.onnx";
      save_model(model, path);
    }
    add(options.against,
        JudgedModel::of_command(program, {options.against, words(options.against), path, limit, memory / 2}));
    return sections;
  }
  const OnnxRuntimeOptions runtime{.python = python_or_default(options.python),
                                   .precision = wants_precision(model),
                                   .save_graph = options.save_graph,
                                   .limit = limit,
                                   .most_bytes = memory};
  if (options.run != "program") {
    add("the file, as ONNX Runtime runs it", JudgedModel::of_file(model, program, folder, runtime));
    sections.back().optimized = program.policy != Policy::kOnnxRuntime;  // that one follows the rewrites
  }
  if (options.run != "file")
    add("the program, in ONNX Runtime's integer kernels", JudgedModel::of_program(program, folder, runtime));
  return sections;
}

int run_verify(const VerifyArguments& options) {
  check_outputs({{"model", options.model}, {"--input", options.input}, {"--data", options.samples.data}},
                {{"--save-graph", options.save_graph}, {"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const NamedEngine& named = engine_named(options.engine);
  if (options.run != "both" && options.run != "file" && options.run != "program")
    fail(ErrorCode::kUsage, "--run wants file, program or both, and not {}", options.run);
  if (options.limit < 1) fail(ErrorCode::kUsage, "--time-limit wants a number of seconds, and not {}", options.limit);
  give_freed_memory_back();
  const std::uint64_t memory = memory_limit(options.memory, 4);
  set_memory_limit(static_cast<std::int64_t>(std::min<std::uint64_t>(memory, INT64_MAX)));
  const Model model = load_model_named(options.model, options.dims);
  const auto made = make_engine(named, lower(model, policy), {.threads = options.threads});
  const Engine& engine = *made;
  const ScratchFolder folder;
  std::vector<Section> sections = sections_of(model, engine, options, memory, folder.path());
  const bool may_saturate = options.against.empty() && options.run != "program" && policy != Policy::kOnnxRuntime &&
                            wants_precision(model) && multiplies_uint8_by_int8(engine.program());

  const Progress progress = progress_line("steps");
  const std::size_t steps = engine.program().steps.size() * sections.size();
  std::size_t done = 0, samples_done = 0;
  std::string saturation;
  std::optional<std::map<std::string, Shape>> shapes;
  for_each_batch(model, options, [&](const NamedTensors& inputs, std::int64_t samples, std::int64_t total) {
    if (shapes != shapes_of(inputs)) {
      const auto sizes = options.against.empty() ? value_sizes(engine, inputs) : std::map<std::string, std::int64_t>();
      for (Section& section : sections)
        section.groups = section.judged.groups(sizes, static_cast<std::int64_t>(memory / kShare));
      shapes = shapes_of(inputs);
    }
    const std::size_t batches = static_cast<std::size_t>((total + samples - 1) / samples);
    for (Section& section : sections) {
      const Verifier before = *section.verifier;
      const auto show = [&](std::size_t step, std::size_t) {
        if (progress) progress(done + step, std::max(done + steps, batches * steps));
      };
      const auto ask = [&](const StepGroup& group) {
        show(group.first, steps);
        return section.judged.ask(inputs, group);
      };
      section.verifier->add(inputs, section.groups, ask, show);
      leave_out_rewrites(engine, section, before, inputs);
      done += engine.program().steps.size();
    }
    if (samples_done == 0 && may_saturate)
      saturation = saturation_text(engine, *std::ranges::find_if(sections, &Section::optimized), inputs);
    samples_done += static_cast<std::size_t>(samples);
  });
  if (progress) progress(done, done);

  Json results = Json::array();
  bool agrees = true;
  for (const Section& section : sections) {
    const Verification& found = section.verifier->result();
    agrees = agrees && found.agrees();
    Json json = verification_json(found, engine.program());
    json["run"] = section.title;
    json["left_out"] = left_out_json(found);
    results.push_back(std::move(json));
    if (options.json.empty())
      print(fmt::format("{}{}\n\n{}", &section == &sections.front() ? "" : "\n", section.title,
                        verification_text(found, engine.program(), options.all, terminal_width())));
  }
  if (options.json.empty() && !saturation.empty()) print("\n" + saturation);
  if (!options.json.empty())
    write_json(json_text({{"schema", "octet.verify/1"},
                          {"octet", kVersion},
                          {"model", options.model},
                          {"policy", name(policy)},
                          {"engine", engine.name()},
                          {"samples", samples_done},
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
  auto options = std::make_shared<VerifyArguments>();
  add_runnable_operand(line, options->model);
  line.option("--against", options->against,
              "Your own judge: a command that is given the model, inputs.npz and outputs.npz", "COMMAND");
  line.option("--input", options->input, "Inputs by name (.npz), or the only input (.npy)", "FILE");
  line.option("--random", options->seed, "Make up the inputs, if none are given; seed 1 if not said", "SEED");
  add_samples_options(line, options->samples);
  add_dim_option(line, options->dims);
  line.option("--run", options->run,
              "What ONNX Runtime is given: the file itself, the program as an operator file, or both (else)", "WHAT");
  add_policy_option(line, options->policy);
  add_python_option(line, options->python, "onnx and onnxruntime");
  line.option("--save-graph", options->save_graph, "Write the graph that ONNX Runtime executed", "FILE");
  line.option("--time-limit", options->limit, "Seconds that the judge may take for a batch; 600 if not said",
              "SECONDS");
  add_memory_option(line, options->memory,
                    "What the tensors of the judge may take; many are compared in several runs. Else a quarter of the "
                    "machine's memory");
  line.flag("--all", options->all, "List every tensor, not only those that differ");
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  add_json_option(line, options->json);
  line.example(
      "  octet verify resnet8_int8.onnx --data test_batch.bin\n"
      "  octet verify resnet8_int8.onnx --against ./my_simulator.sh");
  return {line, [options, line] {
            refuse_unused(
                line, {{options->samples.given(), {"--input", "--random"}, "--data gives the inputs"},
                       {!options->input.empty(), {"--random"}, "--input gives the inputs"},
                       {!options->against.empty(), {"--run", "--python", "--save-graph"}, "--against names the judge"},
                       {options->run == "program", {"--save-graph"}, "it is the graph of the file; say --run file"},
                       {!options->json.empty(), {"--all"}, "--json has it all"}});
            return run_verify(*options);
          }};
}

}  // namespace octet::cli
