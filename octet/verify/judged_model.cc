#include "octet/verify/judged_model.h"

#include <algorithm>

#include "octet/graph/lower_opset.h"
#include "octet/onnx/model_file.h"
#include "octet/verify/model_part.h"
#include "octet/verify/with_zero_points.h"

namespace octet {

JudgedModel JudgedModel::of_file(const Model& model, const Program& program, const std::filesystem::path& folder,
                                 const OnnxRuntimeOptions& options) {
  JudgedModel judged(program, onnxruntime_judge(folder / "file.onnx", folder, options));
  judged.model_ = options.precision ? with_zero_points(model) : model;
  if (program.policy != Policy::kOnnxRuntime) judged.exposable_ = exposable_values(model, program);
  return judged;
}

JudgedModel JudgedModel::of_program(const Program& program, const std::filesystem::path& folder,
                                    OnnxRuntimeOptions options) {
  options.fuse = options.precision = false;
  options.save_graph.clear();
  JudgedModel judged(program, onnxruntime_judge(folder / "program.onnx", folder, options));
  judged.model_ = to_model(program, {.unsigned_weights = true});
  judged.exposable_ = exposable_values(*judged.model_, program);
  return judged;
}

JudgedModel JudgedModel::of_command(const Program& program, Judge judge) { return {program, std::move(judge)}; }

JudgedModel JudgedModel::of_engine(const std::string& name, std::shared_ptr<const Engine> engine) {
  JudgedModel judged(engine->program(), {.name = name});
  judged.engine_ = std::move(engine);
  return judged;
}

std::vector<StepGroup> JudgedModel::groups(const std::map<std::string, std::int64_t>& sizes,
                                           std::int64_t budget) const {
  if (!model_) return {{.first = 0, .end = program_->steps.size()}};
  return group_steps(*program_, exposable_, sizes, budget);
}

// The graph of the whole network is wanted: no part of it will do.
bool JudgedModel::saves_graph() const {
  return std::ranges::find(judge_.command, "--save-graph") != judge_.command.end();
}

// Only what the group computes, beginning with what the runs before gave.
JudgeAnswer JudgedModel::ask_for_part(const NamedTensors& inputs, const StepGroup& group) {
  const Model exposed = with_values_exposed(*model_, *program_, group.tensors);
  std::set<std::string> wanted = group.tensors;
  if (group.end == program_->steps.size())
    for (const Value& output : model_->graph.outputs) wanted.insert(output.name);
  const Model part = model_part(exposed, kept_, wanted);
  save_model(lower_opset(part), judge_.model);
  written_.reset();
  NamedTensors given = inputs;
  for (const Value& input : part.graph.inputs)
    if (const auto value = kept_.find(input.name); value != kept_.end()) given.insert(*value);
  JudgeAnswer answer = part.graph.nodes.empty() ? JudgeAnswer() : octet::ask(judge_, given);
  answer.tensors.insert(kept_.begin(), kept_.end());
  return answer;
}

void JudgedModel::keep(const StepGroup& group, const JudgeAnswer& answer) {
  kept_.clear();
  for (const std::string& name : group.kept)
    if (const auto tensor = answer.tensors.find(name); tensor != answer.tensors.end()) kept_.insert(*tensor);
}

JudgeAnswer JudgedModel::ask(const NamedTensors& inputs, const StepGroup& group) {
  if (engine_) return {.tensors = engine_->run(inputs, {.keep_all = true}), .runtime = judge_.name};
  if (!model_ || saves_graph() || (group.first == 0 && group.end == program_->steps.size())) {
    if (model_ && written_ != group.tensors) {
      save_model(lower_opset(with_values_exposed(*model_, *program_, group.tensors)), judge_.model);
      written_ = group.tensors;
    }
    JudgeAnswer answer = octet::ask(judge_, inputs);
    if (group.end != program_->steps.size()) answer.operators.clear();  // each run has all of them
    return answer;
  }
  if (group.first == 0) kept_.clear();
  JudgeAnswer answer = ask_for_part(inputs, group);
  keep(group, answer);
  return answer;
}

JudgedModel JudgedModel::without_precision() const {
  JudgedModel other = *this;
  std::erase(other.judge_.command, "--precision");
  return other;
}

JudgedModel JudgedModel::without(std::span<const RuntimeRewrite> rewrites) const {
  JudgedModel other = *this;
  for (const RuntimeRewrite& rewrite : rewrites)
    for (const std::string_view optimizer : {rewrite.optimizer, rewrite.again})
      if (!optimizer.empty())
        other.judge_.command.insert(other.judge_.command.end(), {"--without", std::string(optimizer)});
  return other;
}

JudgedModel JudgedModel::dry_run() const {
  JudgedModel other = *this;
  std::vector<std::string>& command = other.judge_.command;
  if (const auto option = std::find(command.begin(), command.end(), "--save-graph"); option != command.end())
    command.erase(option, option + 2);
  return other;
}

}  // namespace octet
