#include "octet/export/dump_comparison.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

class DumpComparer {
 public:
  DumpComparer(const Engine& engine, std::size_t input, const InputDumps& dumps, const NamedTensors& golden,
               DumpComparison& result)
      : engine_(engine), input_(input), dumps_(dumps), golden_(golden), result_(result) {}

  void compare() {
    const Program& program = engine_.program();
    for (std::size_t step = 0; step < program.steps.size(); ++step)
      for (const ValueId value : outputs_of(program, program.steps[step])) add(step, program.values[value].name);
  }

 private:
  void add(std::size_t step, const std::string& tensor) {
    ++result_.tensors;
    const auto dumped = dumps_.tensors.find(tensor);
    if (dumped == dumps_.tensors.end()) {
      if (std::ranges::find(result_.missing, tensor) == result_.missing.end()) result_.missing.push_back(tensor);
      return;
    }
    DumpVerdict verdict{
        .tensor = tensor, .file = dumps_.files.at(tensor), .input = input_, .step = step, .found = dumped->second};
    if (const auto golden = golden_.find(tensor); golden != golden_.end()) {
      verdict.end_to_end = difference(golden->second, dumped->second);
      verdict.wanted = golden->second;
      verdict.inputs = golden_;
    }
    if (const std::optional<NamedTensors> own = dumped_inputs(step)) {
      verdict.wanted = engine_.run_step(step, *own).at(tensor);
      verdict.alone = difference(verdict.wanted, dumped->second);
      verdict.inputs = *own;
    }
    if (verdict.equal()) verdict.inputs.clear(), verdict.wanted = {};  // not explained
    result_.compared += verdict.compared() ? 1 : 0;
    result_.equal = result_.equal && verdict.equal();
    result_.verdicts.push_back(std::move(verdict));
  }

  // What the step reads, if all of it was dumped or belongs to the network's inputs.
  std::optional<NamedTensors> dumped_inputs(std::size_t step) const {
    const Program& program = engine_.program();
    NamedTensors inputs;
    for (const ValueId value : inputs_of(program, program.steps[step])) {
      const std::string& name = program.values[value].name;
      const bool given = std::ranges::any_of(program.inputs, [&](const ProgramInput& in) { return in.value == value; });
      const NamedTensors& from = given && !dumps_.tensors.contains(name) ? golden_ : dumps_.tensors;
      const auto found = from.find(name);
      if (found == from.end()) return std::nullopt;
      inputs.insert(*found);
    }
    return inputs;
  }

  const Engine& engine_;
  const std::size_t input_;
  const InputDumps& dumps_;
  const NamedTensors& golden_;
  DumpComparison& result_;
};

// Each input that was dumped, and no other, has its --input.
void require_inputs_of(const Dumps& dumps, const std::vector<VectorInput>& inputs) {
  if (inputs.empty()) return;
  const std::size_t wanted = dumps.inputs.rbegin()->first + 1;
  if (inputs.size() != wanted)
    fail(ErrorCode::kUsage, "{} given, and the dumps are of {}: give --input for each, in the order of their numbers",
         counted(static_cast<std::int64_t>(inputs.size()), "input"), wanted);
  for (std::size_t number = 0; number < inputs.size(); ++number)
    if (!dumps.inputs.contains(number))
      fail(ErrorCode::kUsage, "nothing was dumped of input {}, {}", number, inputs[number].source);
}

}  // namespace

const DumpVerdict* DumpComparison::first_wrong() const {
  const DumpVerdict* first = nullptr;
  for (const DumpVerdict& verdict : verdicts) {
    if (!verdict.compared() || verdict.equal()) continue;
    if (!verdict.follows()) return &verdict;
    if (!first) first = &verdict;
  }
  return first;
}

DumpComparison compare_dumps(const Engine& engine, const Dumps& dumps, const std::vector<VectorInput>& inputs,
                             const Progress& progress) {
  require_inputs_of(dumps, inputs);
  DumpComparison found;
  for (const auto& [number, dumped] : dumps.inputs) {
    NamedTensors golden;
    if (!inputs.empty()) {
      golden = inputs[number].tensors;
      NamedTensors values = engine.run(golden, {.keep_all = true, .progress = progress});
      golden.merge(values);
    }
    DumpComparer(engine, number, dumped, golden, found).compare();
  }
  if (found.compared == 0)
    fail(ErrorCode::kUsage,
         "nothing can be compared: give the network's inputs with --input or --random, or dump what "
         "a step reads beside what it makes");
  return found;
}

}  // namespace octet
