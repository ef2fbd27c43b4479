// judged_model.h: what a judge is given to run, and the tensors that it is asked for.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "octet/program/lower.h"
#include "octet/verify/verify.h"

namespace octet {

class JudgedModel {
 public:
  // ONNX Runtime on the file. Under its own policy no tensor but the outputs is asked for: its plan is its own, and with
  // everything exposed it could not be followed.
  static JudgedModel of_file(const Model& model, const Program& program, const std::filesystem::path& folder,
                             const OnnxRuntimeOptions& options);
  // ONNX Runtime on the program in operator form, its weights such that no kernel saturates.
  static JudgedModel of_program(const Program& program, const std::filesystem::path& folder,
                                OnnxRuntimeOptions options);
  // A command that is given the file as it is and answers with what it likes.
  static JudgedModel of_command(const Program& program, Judge judge);
  // Another engine with the same program: it answers with every tensor that it has, from one run. `name` is for messages.
  static JudgedModel of_engine(const std::string& name, std::shared_ptr<const Engine> engine);

  // Runs of the judge that cover all steps, with answers of at most `budget` bytes; one run for a command. To be asked one
  // after the other from the first on: each computes its own steps alone, from the judge's own tensors that the runs before
  // it gave.
  std::vector<StepGroup> groups(const std::map<std::string, std::int64_t>& sizes, std::int64_t budget) const;
  JudgeAnswer ask(const NamedTensors& inputs, const StepGroup& group);
  // The same without the option that makes ONNX Runtime exact.
  JudgedModel without_precision() const;
  // The same with some of ONNX Runtime's optimizers left out.
  JudgedModel without(std::span<const RuntimeRewrite> rewrites) const;
  // The same for a run that no verdict counts: the graph it executes is not saved.
  JudgedModel dry_run() const;

 private:
  JudgedModel(const Program& program, Judge judge) : program_(&program), judge_(std::move(judge)) {}
  bool saves_graph() const;
  JudgeAnswer ask_for_part(const NamedTensors& inputs, const StepGroup& group);
  void keep(const StepGroup& group, const JudgeAnswer& answer);

  const Program* program_;
  Judge judge_;
  std::shared_ptr<const Engine> engine_;  // in place of a judge in a process of its own
  std::optional<Model> model_;       // to be written to judge_.model, with the tensors of a group among its outputs
  std::set<std::string> exposable_;  // of its values
  std::optional<std::set<std::string>> written_;  // the tensors that are exposed in the file at judge_.model
  NamedTensors kept_;                             // of the runs so far: what those to come begin with
};

}  // namespace octet
