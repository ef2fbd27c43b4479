#include "tests/conformance/case.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "octet/base/error.h"
#include "octet/engine/reference_engine.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

std::string type_of(const Tensor& tensor) { return std::string(name(tensor.dtype())) + to_string(tensor.shape()); }

// Floats within the tolerance, NaN where NaN is wanted; everything else equal.
bool close(double got, double want, double relative, double absolute) {
  if (std::isnan(want) || std::isinf(want)) return std::isnan(want) ? std::isnan(got) : got == want;
  return std::fabs(got - want) <= absolute + relative * std::fabs(want);
}

std::string difference(const Tensor& got, const Tensor& want, const Case& test) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape())
    return fmt::format("is {}, expected {}", type_of(got), type_of(want));
  if (!is_float(want.dtype()) && !is_minifloat(want.dtype())) {
    if (got.identical(want)) return "";
    for (std::int64_t i = 0; i < want.size(); ++i)
      if (got.int_at(i) != want.int_at(i))
        return fmt::format("has {} at {}, expected {}", got.int_at(i), i, want.int_at(i));
    return "differs";
  }
  // ONNX's own runner allows two steps of bfloat16. The steps of float8 and float4 are wide: there numbers are equal.
  const bool exact = is_minifloat(want.dtype());
  const double relative = want.dtype() == DType::kBFloat16 ? std::max(test.relative, 1.0 / 64) : test.relative;
  for (std::int64_t i = 0; i < want.size(); ++i)
    if (!close(got.number_at(i), want.number_at(i), exact ? 0 : relative, exact ? 0 : test.absolute))
      return fmt::format("has {} at {}, expected {}", got.number_at(i), i, want.number_at(i));
  return "";
}

// What the operators' rules alone say of the outputs must fit the tensors expected there.
std::string inferred_difference(const Facts& facts, const Value& output, const Tensor& want) {
  const auto found = facts.find(output.name);
  if (found == facts.end()) return "has no inferred type";
  const Fact& fact = found->second;
  bool fits = fact.dtype == want.dtype() && (!fact.shape || fact.shape->size() == want.shape().size());
  for (std::size_t i = 0; fits && fact.shape && i < fact.shape->size(); ++i)
    fits = !surely_different((*fact.shape)[i], want.shape()[i]);
  if (fits && !fact.constant.empty()) fits = fact.constant.shape() == want.shape();
  return fits ? ""
              : fmt::format("is inferred as {}{}, expected {}", name(fact.dtype),
                            fact.shape ? to_string(*fact.shape) : "", type_of(want));
}

std::vector<Tensor> load_tensors(const std::filesystem::path& folder, const char* kind) {
  std::vector<Tensor> tensors;
  for (;;) {
    const std::filesystem::path file = folder / fmt::format("{}_{}.pb", kind, tensors.size());
    if (!std::filesystem::exists(file)) return tensors;
    tensors.push_back(load_tensor(file));
  }
}

}  // namespace

std::vector<std::filesystem::path> case_folders(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(root))
    if (std::filesystem::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

Case load_case(const std::filesystem::path& folder) {
  Case test;
  test.folder = folder;
  test.model = load_model(folder / "model.onnx");
  const std::vector<Node>& nodes = test.model.graph.nodes;
  test.op = nodes.size() == 1 ? nodes[0].op_type : "(several)";
  if (std::ifstream file(folder / "tolerance.txt"); file) file >> test.relative >> test.absolute;
  return test;
}

std::string unknown_operator(const Case& test) {
  const Model expanded = expand_functions(test.model);
  for (const Node& node : expanded.graph.nodes)
    if (!find_operator(expanded, node)) return node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
  return "";
}

std::string run_case(const Case& test, const Arithmetic& arithmetic) {
  infer(test.model);  // must not find a contradiction
  Model undeclared = test.model;
  undeclared.graph.value_info.clear();
  for (Value& output : undeclared.graph.outputs) output.type = ValueType();
  const Facts facts = infer(undeclared);

  const Program program = lowered(test.model, Policy::kAsWritten);
  const ReferenceEngine engine(program, {.arithmetic = arithmetic, .threads = 1});
  const EngineOptions options{.arithmetic = arithmetic, .threads = 3};
  std::vector<std::unique_ptr<const Engine>> others;
  for (const NamedEngine& other : engines())
    if (can_run(other, options)) others.push_back(make_engine(other, program, options));
  const auto& inputs = test.model.graph.inputs;
  const auto& outputs = test.model.graph.outputs;
  for (int set = 0;; ++set) {
    const std::filesystem::path folder = test.folder / fmt::format("test_data_set_{}", set);
    if (!std::filesystem::exists(folder)) return set == 0 ? "has no data" : "";
    const std::vector<Tensor> given = load_tensors(folder, "input"), expected = load_tensors(folder, "output");
    if (given.size() > inputs.size() || expected.size() != outputs.size()) return "has other inputs or outputs";

    NamedTensors named;
    for (std::size_t i = 0; i < given.size(); ++i) named[inputs[i].name] = given[i];
    const NamedTensors results = engine.run(named);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Tensor& got = results.at(outputs[i].name);
      std::string wrong = difference(got, expected[i], test);
      if (wrong.empty()) wrong = inferred_difference(facts, outputs[i], expected[i]);
      if (!wrong.empty()) return fmt::format("output {} {}", outputs[i].name, wrong);
    }
    for (const auto& other : others)
      for (const auto& [output, got] : other->run(named))
        if (!got.identical(results.at(output)))
          return fmt::format("output {} is another one with the engine {} and 3 threads", output, other->name());
  }
}

}  // namespace octet
