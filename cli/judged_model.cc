#include "cli/judged_model.h"

#include <algorithm>

#include "octet/graph/lower_opset.h"
#include "octet/onnx/model_file.h"
#include "octet/verify/with_zero_points.h"

namespace octet::cli {

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

JudgedModel JudgedModel::of_library(const std::string& file, std::shared_ptr<const Engine> library) {
  JudgedModel judged(library->program(), {.name = file});
  judged.library_ = std::move(library);
  return judged;
}

std::vector<StepGroup> JudgedModel::groups(const std::map<std::string, std::int64_t>& sizes,
                                           std::int64_t budget) const {
  if (!model_) return {{.first = 0, .end = program_->steps.size()}};
  return group_steps(*program_, exposable_, sizes, budget);
}

JudgeAnswer JudgedModel::ask(const NamedTensors& inputs, const StepGroup& group) {
  if (library_) return {.tensors = library_->run(inputs, {.keep_all = true}), .runtime = judge_.name};
  if (model_ && written_ != group.tensors) {
    save_model(lower_opset(with_values_exposed(*model_, *program_, group.tensors)), judge_.model);
    written_ = group.tensors;
  }
  return octet::ask(judge_, inputs);
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

JudgedModel JudgedModel::on_trial() const {
  JudgedModel other = *this;
  std::vector<std::string>& command = other.judge_.command;
  if (const auto option = std::find(command.begin(), command.end(), "--save-graph"); option != command.end())
    command.erase(option, option + 2);
  return other;
}

}  // namespace octet::cli
