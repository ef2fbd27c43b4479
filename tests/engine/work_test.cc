// Every step recomputed from its work alone: equal to what its operations give, byte for byte, as it was lowered and with
// its epilogues grouped; of random networks, of the networks in the box and, where they are at hand, of others.
#include "octet/program/work.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "octet/engine/reference_engine.h"
#include "octet/onnx/model_file.h"
#include "octet/program/group_epilogues.h"
#include "octet/spec/random.h"
#include "tests/program/networks.h"
#include "tests/program/random_network.h"
#include "tests/program/work_evaluator.h"
#include "tests/support/lowered.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

constexpr Policy kPolicies[] = {Policy::kExact, Policy::kOnnxRuntime, Policy::kAsWritten};

class WorkComparison {
 public:
  // Runs the program, and each step whose work says all of it once more from that.
  NamedTensors run(const Program& program, const NamedTensors& inputs, const std::string& where) {
    NamedTensors made = ReferenceEngine(program, {.threads = 1}).run(inputs, {.keep_all = true});
    NamedTensors all = inputs;
    all.insert(made.begin(), made.end());
    for (const Step& step : program.steps) {
      ++steps_[std::string(name(step.kind))];
      if (step.opaque.empty())
        compare(program, step, all, where);
      else
        ++opaque_[fmt::format("{}: {}", name(step.kind), step.opaque)];
    }
    return made;
  }

  // With all symbols meaning 1, then 2; as it is, and with its epilogues grouped.
  template <typename InputsOf>
  void run_specialized(const Program& program, InputsOf&& inputs_of_batch, const std::string& where) {
    const std::set<std::string> symbols = symbols_of(program);
    for (const std::int64_t batch : {1, 2}) {
      if (symbols.empty() && batch == 2) continue;
      const NamedTensors inputs = inputs_of_batch(batch);
      std::map<std::string, std::int64_t> meanings;
      for (const std::string& symbol : symbols) meanings[symbol] = batch;
      const Program special = consistent(specialized(program, meanings));
      const NamedTensors plain = run(special, inputs, fmt::format("{}, of {}", where, batch));
      for (const Step& step : special.steps)
        if (!step.opaque.empty()) specialized_opaque_.insert(fmt::format("{}: {}", name(step.kind), step.opaque));
      const Program grouped = consistent(group_epilogues(special));
      if (grouped.steps.size() == special.steps.size()) continue;
      grouped_away_ += static_cast<int>(special.steps.size() - grouped.steps.size());
      EXPECT_EQ(run(grouped, inputs, fmt::format("{}, of {}, grouped", where, batch)), plain) << where;
    }
  }

  // Kinds and reasons where every dimension is known.
  const std::set<std::string>& opaque_for_known_shapes() const { return specialized_opaque_; }

  void print(const std::string& title) const {
    fmt::print("{}: {} steps recomputed from their work, {} taken up by others\n", title, compared_, grouped_away_);
    for (const auto& [kind, count] : steps_) fmt::print("{:>8} {}\n", count, kind);
    for (const auto& [reason, count] : opaque_) fmt::print("{:>8} opaque, {}\n", count, reason);
  }

 private:
  static std::set<std::string> symbols_of(const Program& program) {
    std::set<std::string> symbols;
    for (const ProgramInput& input : program.inputs)
      for (const Dim& dim : *input.type.shape)
        if (dim.is_symbol()) symbols.insert(dim.symbol());
    return symbols;
  }

  void compare(const Program& program, const Step& step, const NamedTensors& all, const std::string& where) {
    TensorsById given;
    for (const Operation& operation : step.operations)
      for (const ValueId input : operation.inputs)
        if (input != kNoValue)
          given[input] = program.values[input].constant.empty() ? Tensor() : program.values[input].constant;
    for (const ValueId input : inputs_of(program, step)) given[input] = all.at(program.values[input].name);
    const TensorsById found = evaluate_work(step.work, program.values, given);
    for (const ValueId output : outputs_of(program, step)) {
      const std::string& output_name = program.values[output].name;
      ASSERT_TRUE(found.contains(output)) << where << ": the work of " << step.name << " does not make " << output_name;
      EXPECT_TRUE(found.at(output) == all.at(output_name))
          << where << ": " << step.name << " (" << name(step.kind) << ", " << step.operations.size()
          << " operations) makes another " << output_name << " than its work says";
    }
    ++compared_;
  }

  std::map<std::string, int> steps_, opaque_;
  std::set<std::string> specialized_opaque_;
  int compared_ = 0, grouped_away_ = 0;
};

// make judge sets OCTET_NETWORKS.
std::uint64_t network_count() {
  if (const char* count = std::getenv("OCTET_NETWORKS")) return std::strtoull(count, nullptr, 10);
  return kSanitized ? 30 : 300;
}

TEST(Work, SaysWhatEveryStepOfRandomNetworksComputes) {
  WorkComparison comparison;
  for (std::uint64_t seed = 1; seed <= network_count() && !testing::Test::HasFailure(); ++seed) {
    const RandomNetwork network = random_network(seed);
    for (const Policy policy : kPolicies) {
      const std::string where = fmt::format("seed {}, {}", seed, name(policy));
      SCOPED_TRACE(where);
      const Program program = lowered(network.model, policy);
      comparison.run_specialized(
          program, [&](std::int64_t batch) { return network.inputs(batch, seed); }, where);
      if (network.has_symbol) comparison.run(program, network.inputs(3, seed), where + ", not specialized");
      consistent(lowered(to_model(program), Policy::kAsWritten));
    }
  }
  comparison.print("random networks");
  const std::set<std::string> reasons = {
      "float: it computes in float", "float: its weights are computed, not constants",
      "float: its windows are summed column by column",
      "matrix product: the bias is computed at run time, or differs from row to row"};
  for (const std::string& reason : comparison.opaque_for_known_shapes())
    EXPECT_TRUE(reasons.contains(reason)) << reason;
}

// All pairs of bytes, the first operand down and the second across, and the other way round: ONNX Runtime exchanges the
// two where the first stands still along a row. The order shows in few results, and only with some scales.
TEST(Work, SaysWhichOperandIsAddedFirst) {
  Tensor down(DType::kInt8, {256, 1});
  for (std::size_t k = 0; k < 256; ++k) down.mutable_bytes()[k] = static_cast<std::byte>(k);
  int order_matters = 0;
  std::uint64_t state = 7;
  const auto scale = [&] { return f(static_cast<float>(0.01 + 0.05 * uniform(state = mix(state)))); };
  for (int tries = 0; tries < 20; ++tries)
    for (const bool first_stands : {true, false}) {
      const Tensor a = first_stands ? down : down.reshaped({1, 256}), b = first_stands ? down.reshaped({1, 256}) : down;
      Model model = octet::network(
          "main (a, b) => (y) { y = QLinearAdd (a, as, az, b, bs, bz, ys, yz) }",
          {value("a", DType::kInt8, symbolic(a.shape())), value("b", DType::kInt8, symbolic(b.shape()))},
          {{"as", scale()}, {"az", s8(-7)}, {"bs", scale()}, {"bz", s8(12)}, {"ys", scale()}, {"yz", s8(3)}});
      model.graph.nodes[0].domain = "com.microsoft";
      const Program program = lowered(std::move(model), Policy::kExact);
      auto work = std::get<work::Pairwise>(program.steps[0].work);
      const TensorsById given = {{work.a, a}, {work.b, b}};
      const Tensor y = ReferenceEngine(program).run({{"a", a}, {"b", b}}).at("y");
      EXPECT_EQ(work.swapped, first_stands);
      EXPECT_TRUE(evaluate_work(work, program.values, given).at(work.y) == y);
      work.swapped = !work.swapped;
      order_matters += !(evaluate_work(work, program.values, given).at(work.y) == y);
    }
  EXPECT_GT(order_matters, 0);
}

std::map<std::string, Tensor> random_inputs(const Program& program, std::int64_t batch) {
  NamedTensors inputs;
  std::uint64_t state = 1;
  for (const ProgramInput& input : program.inputs) {
    Shape shape;
    for (const Dim& dim : *input.type.shape) shape.push_back(dim.known() ? dim.value() : batch);
    Tensor floats(DType::kFloat, shape);
    for (float& real : floats.mutable_as<float>()) real = static_cast<float>(uniform(state = mix(state)));
    inputs[program.values[input.value].name] = convert(floats, input.type.dtype);
  }
  return inputs;
}

void compare_model(WorkComparison& comparison, const fs::path& path) {
  for (const Policy policy : kPolicies) {
    const Program program = lowered(load_model(path.string()), policy);
    comparison.run_specialized(
        program, [&](std::int64_t batch) { return random_inputs(program, batch); },
        fmt::format("{}, {}", path.filename().string(), name(policy)));
  }
}

TEST(Work, SaysWhatEveryStepOfTheModelsComputes) {
  WorkComparison comparison;
  std::vector<const char*> models = {"resnet8_int8.onnx"};
  if (!kSanitized)  // ten times as long
    models.insert(models.end(), {"resnet8.onnx", "resnet8_uint8.onnx", "resnet8_int8_qoperator.onnx"});
  for (const char* model : models) compare_model(comparison, fs::path("models") / model);
  comparison.print("models");
  EXPECT_EQ(comparison.opaque_for_known_shapes(),
            std::set<std::string>{"float: its weights are computed, not constants"});
}

TEST(Work, SaysWhatEveryStepOfOthersModelsComputes) {
  const char* shared = std::getenv("OCTET_SHARED");
  const fs::path root = shared ? shared : "../shared";
  std::set<fs::path> models;
  for (const char* folder : {"models", "mobilenet"})
    if (fs::is_directory(root / folder))
      for (const auto& entry : fs::directory_iterator(root / folder))
        if (entry.path().extension() == ".onnx") models.insert(entry.path());
  if (models.empty())
    GTEST_SKIP() << "no networks in " << root / "models"
                 << ": OCTET_SHARED says where they are";
  if (kSanitized) return;  // ten times as long: the release build compares them
  WorkComparison comparison;
  for (const fs::path& model : models) compare_model(comparison, model);
  comparison.print("models of others");
}

}  // namespace
}  // namespace octet
