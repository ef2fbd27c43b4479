// draft.h: a program under construction. Values are still identified by name. Every node of the file starts as a step of its
// own; fusion replaces steps. Dead steps are removed at the end.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "octet/graph/infer.h"
#include "octet/graph/model.h"
#include "octet/graph/new_names.h"
#include "octet/program/program.h"

namespace octet {

struct DraftStep {
  StepKind kind = StepKind::kOther;
  std::string name;
  std::vector<Node> nodes;        // the operations
  std::set<std::size_t> sources;  // indices into the file's nodes
  std::string reason;
  std::vector<std::string> warnings;
};

class Draft {
 public:
  // A model that has been validated, its functions expanded, what is not used removed. Throws what infer throws: nodes
  // have the inputs that their operators want.
  explicit Draft(Model model);

  const Model& model() const { return model_; }
  int opset(const Node& node) const { return model_.opset(node); }
  // Of ai.onnx, for what passes write: a node of the file may have another, which its function brought.
  int opset_of_new_nodes() const { return model_.opset(""); }

  std::size_t size() const { return steps_.size(); }
  const DraftStep& step(std::size_t index) const { return steps_[index]; }
  // Requires a single-node step.
  const Node& node(std::size_t index) const { return steps_[index].nodes.front(); }
  bool is(std::size_t index, const Operator& op) const;

  std::optional<std::size_t> producer(std::string_view value) const;
  // In no particular order; a step that reads the value twice is there once.
  const std::set<std::size_t>& readers(std::string_view value) const;
  bool is_output(std::string_view value) const { return outputs_.contains(value); }
  // The only step that reads the value; nothing if several do, or if it is an output.
  std::optional<std::size_t> only_reader(std::string_view value) const;

  // Null unless the value is known before the program runs.
  const Tensor* constant(std::string_view value) const;
  DType dtype(std::string_view value) const;
  const Facts& facts() const { return facts_; }
  // Facts inferred from the inputs alone, ignoring what the file declares for inner values. Use them where sizes become
  // constants.
  const Facts& proven() const;

  // A name like `wish` that no value has yet.
  std::string new_name(const std::string& wish) { return names_.make(wish); }
  // The name of a new constant.
  std::string add_constant(const std::string& wish, Tensor tensor);

  // Puts `step` in the place of step `index`; what it reads must be made before.
  void replace(std::size_t index, DraftStep step);
  // Adds a step that comes right after step `index`, and before anything else that does.
  void insert_after(std::size_t index, DraftStep step);
  // Why step `index` stays what it is.
  void decline(std::size_t index, std::string reason);
  void set_dtype(const std::string& value, DType dtype);
  // What the integers of a value mean, where no operator that is left says it.
  void set_meaning(const std::string& value, const Quantization& meaning) { meanings_[value] = meaning; }
  const std::map<std::string, Quantization>& meanings() const { return meanings_; }
  // The nodes of the file that step `index` stands for so far.
  const std::set<std::size_t>& sources(std::size_t index) const { return steps_[index].sources; }

  // In execution order, those that an output depends on.
  std::vector<DraftStep> take_steps();
  Model take_model() { return std::move(model_); }

 private:
  void connect(std::size_t index);
  void disconnect(std::size_t index);

  Model model_;
  Facts facts_;
  mutable std::optional<Facts> proven_;  // computed on first use
  std::vector<DraftStep> steps_;
  std::vector<std::vector<std::size_t>> after_;  // inserted steps, by the step they follow
  std::map<std::string, Tensor, std::less<>> constants_;
  std::map<std::string, Quantization> meanings_;
  std::map<std::string, std::size_t, std::less<>> producers_;
  std::map<std::string, std::set<std::size_t>, std::less<>> readers_;
  std::set<std::string, std::less<>> outputs_;
  NewNames names_;
};

}  // namespace octet
