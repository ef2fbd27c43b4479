#include "octet/verify/verify_model.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "octet/base/fail.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/onnx/model_file.h"
#include "octet/system/scratch_folder.h"
#include "octet/verify/describe_witnesses.h"
#include "octet/verify/judged_model.h"

namespace octet {
namespace {

// The tensors of one run of the judge take this share of the memory at most: the judge holds them and writes them, and
// here they are read and held.
constexpr std::uint64_t kShare = 4;

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
    const Operator* op = operator_of(node);
    const bool has_no_x_scale =
        is(op, ops::kConvInteger) || is(op, ops::kMatMulInteger) || is(op, ops::kDynamicQuantizeMatMul);
    if (!op || !op->float_form || has_no_x_scale) return false;
    const auto x = node.inputs.empty() ? facts.end() : facts.find(node.inputs[0]);
    return x != facts.end() && x->second.dtype == DType::kInt8;
  });
}

bool multiplies_uint8_by_int8(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
    const work::Sum* sum = sum_of(step.work);
    return sum && sum->weights.dtype() == DType::kInt8 && sum->x_type == DType::kUint8;
  });
}

std::map<std::string, Shape> shapes_of(const NamedTensors& tensors) {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, tensor] : tensors) shapes[name] = tensor.shape();
  return shapes;
}

std::vector<std::string> shell_command(const std::string& command) {
  return {"/bin/sh", "-c", command + " \"$@\"", command};
}

std::int64_t differing_steps(const Verification& found) {
  std::int64_t differing = 0;
  for (const TensorVerdict& verdict : found.steps) differing += verdict.differing;
  return differing;
}

// ONNX Runtime's number-changing rewrites that may have been applied and are not disabled yet.
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

class ModelVerification {
 public:
  ModelVerification(const Model& model, const Engine& engine, const VerifyOptions& options)
      : model_(model), engine_(engine), options_(options), precise_(wants_precision(model)) {
    add_sections();
  }

  void add(const VerifyBatch& batch) {
    const std::size_t steps = engine_.program().steps.size();
    group_steps_for(batch.inputs);
    const std::size_t batches = static_cast<std::size_t>((batch.total + batch.samples - 1) / batch.samples);
    const std::size_t most = steps * sections_.size();
    for (Section& section : sections_) {
      const Verifier before = *section.verifier;
      const auto show = [&](std::size_t step, std::size_t) {
        if (options_.progress) options_.progress(done_ + step, std::max(done_ + most, batches * most));
      };
      const auto ask = [&](const StepGroup& group) {
        show(group.first, most);
        return section.judged.ask(batch.inputs, group);
      };
      section.verifier->add(batch.inputs, section.groups, ask, show);
      leave_out_rewrites(section, before, batch.inputs);
      done_ += steps;
    }
    if (result_.samples == 0 && may_saturate())
      try_saturation(*std::ranges::find_if(sections_, &Section::optimized), batch.inputs);
    result_.samples += static_cast<std::size_t>(batch.samples);
  }

  VerifyResult result() {
    if (options_.progress) options_.progress(done_, done_);
    for (const Section& section : sections_) result_.runs.push_back({section.title, section.verifier->result()});
    return std::move(result_);
  }

 private:
  void add_section(const std::string& title, JudgedModel judged, Floats floats = Floats::kWithinTolerance) {
    sections_.push_back({title, std::move(judged),
                         std::make_unique<Verifier>(engine_, floats, describe_witnesses(engine_, options_.width))});
  }

  void add_sections() {
    if (options_.rival)
      add_section(options_.rival->title, JudgedModel::of_engine(options_.rival->name, options_.rival->engine),
                  Floats::kToTheBit);
    if (options_.against)
      add_command(*options_.against);
    else
      add_onnxruntime();
  }

  void add_command(const JudgeCommand& against) {
    std::filesystem::path file = against.file;
    if (file.empty()) {
      file = folder_.path() / "model.onnx";
      save_model(model_, file);
    }
    add_section(against.command,
                JudgedModel::of_command(engine_.program(), {against.command, shell_command(against.command), file,
                                                            options_.limit, options_.memory / 2}));
  }

  void add_onnxruntime() {
    const Program& program = engine_.program();
    const OnnxRuntimeOptions runtime{.python = options_.python,
                                     .precision = precise_,
                                     .save_graph = options_.save_graph,
                                     .limit = options_.limit,
                                     .most_bytes = options_.memory};
    if (options_.form != JudgedForm::kProgram) {
      add_section("the file, as ONNX Runtime runs it", JudgedModel::of_file(model_, program, folder_.path(), runtime));
      sections_.back().optimized = program.policy != Policy::kOnnxRuntime;  // that one follows the rewrites
    }
    if (options_.form != JudgedForm::kFile)
      add_section("the program, in ONNX Runtime's integer kernels",
                  JudgedModel::of_program(program, folder_.path(), runtime));
  }

  void group_steps_for(const NamedTensors& inputs) {
    if (shapes_ == shapes_of(inputs)) return;
    const auto sizes = options_.against ? std::map<std::string, std::int64_t>() : value_sizes(engine_, inputs);
    for (Section& section : sections_)
      section.groups = section.judged.groups(sizes, static_cast<std::int64_t>(options_.memory / kShare));
    shapes_ = shapes_of(inputs);
  }

  bool may_saturate() const {
    return !options_.against && options_.form != JudgedForm::kProgram &&
           engine_.program().policy != Policy::kOnnxRuntime && precise_ && multiplies_uint8_by_int8(engine_.program());
  }

  // Runs ONNX Runtime on the same inputs without telling it to be exact.
  void try_saturation(const Section& section, const NamedTensors& inputs) {
    JudgedModel judged = section.judged.without_precision().dry_run();
    Verifier verifier(engine_, Floats::kWithinTolerance, describe_witnesses(engine_, options_.width));
    verifier.add(inputs, section.groups, [&](const StepGroup& group) { return judged.ask(inputs, group); });
    const Verification& found = verifier.result();
    const auto first = std::find_if(found.witnesses.begin(), found.witnesses.end(),
                                    [](const Witness& witness) { return witness.saturated; });
    if (first == found.witnesses.end()) return;
    SaturationTrial trial{.first = *first};
    for (const TensorVerdict& verdict : found.steps) {
      trial.saturated += verdict.saturated;
      trial.integers += verdict.is_float ? 0 : verdict.elements;
    }
    result_.saturation = std::move(trial);
  }

  // The batch judged once more without some rewrites; nothing where the runtime can't do without them.
  std::optional<Retrial> retry(const Section& section, const NamedTensors& inputs,
                               std::span<const RuntimeRewrite> rewrites) const {
    JudgedModel judged = section.judged.without(rewrites).dry_run();
    Verifier verifier(engine_);
    try {
      verifier.add(inputs, section.groups, [&](const StepGroup& group) { return judged.ask(inputs, group); });
    } catch (const Error& error) {  // the runtime can't do without it: what was found with it stands
      if (error.code() == ErrorCode::kCancelled) throw;
      return std::nullopt;
    }
    return Retrial{verifier.result().agrees(), differing_steps(verifier.result())};
  }

  // Where a batch differs, and does not when the runtime leaves out rewrites that change numbers: `section` goes on
  // without them, as if that had been so from this batch on. `before` is what was found in the batches before.
  void leave_out_rewrites(Section& section, const Verifier& before, const NamedTensors& inputs) const {
    const Verification& with = section.verifier->result();
    if (!section.optimized || with.agrees() || with.differs_by_saturation()) return;
    if (!before.result().agrees() && !before.result().differs_by_saturation()) return;  // no batch can mend that
    const std::int64_t differing = differing_steps(with) - differing_steps(before.result());
    if (differing == 0) return;
    const std::vector<LeftOut> left_out = rewrites_to_leave_out(
        candidates_to_leave_out(with), differing,
        [&](std::span<const RuntimeRewrite> rewrites) { return retry(section, inputs, rewrites); });
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

  const Model& model_;
  const Engine& engine_;
  const VerifyOptions& options_;
  const bool precise_;
  const ScratchFolder folder_;
  std::vector<Section> sections_;
  std::optional<std::map<std::string, Shape>> shapes_;  // of the inputs that the steps are grouped for
  std::size_t done_ = 0;                                // steps, of all sections
  VerifyResult result_;
};

}  // namespace

JudgedForm judged_form_named(std::string_view name) {
  if (name == "file") return JudgedForm::kFile;
  if (name == "program") return JudgedForm::kProgram;
  if (name == "both") return JudgedForm::kBoth;
  fail(ErrorCode::kUsage, "--run wants file, program or both, and not {}", name);
}

bool VerifyResult::agrees() const {
  return std::ranges::all_of(runs, [](const VerifiedRun& run) { return run.found.agrees(); });
}

VerifyResult verify_model(const Model& model, const Engine& engine, const VerifyBatches& batches,
                          const VerifyOptions& options) {
  ModelVerification verification(model, engine, options);
  while (const std::optional<VerifyBatch> batch = batches()) verification.add(*batch);
  VerifyResult result = verification.result();
  if (result.samples == 0) fail(ErrorCode::kUsage, "there are no inputs to verify the network with");
  return result;
}

}  // namespace octet
