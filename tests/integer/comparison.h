// comparison.h: integer programs beside the reference engine: every tensor they compute must be its, to the last bit.
#pragma once

#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
#include "octet/integer/interpret.h"
#include "octet/integer/one_step.h"
#include "octet/program/resolve.h"
#include "tests/support/models.h"

namespace octet {

// Of one run of the reference engine, which has made `values`. Returns how many elements were compared.
inline std::int64_t expect_equal(const IntegerProgram& program, const NamedTensors& values) {
  NamedTensors inputs;
  for (const TensorId input : program.inputs) {
    const std::string& name = program.tensors[input].name;
    inputs[name] = values.at(name);
  }
  std::int64_t elements = 0;
  const NamedTensors results = interpret(program, inputs, true);
  for (const TensorId output : program.outputs) EXPECT_TRUE(results.contains(program.tensors[output].name));
  for (const auto& [name, result] : results) {
    const auto wanted = values.find(name);
    if (inputs.contains(name)) continue;
    if (wanted == values.end()) {
      ADD_FAILURE() << name << " is nothing that the reference engine computes";
      continue;
    }
    EXPECT_TRUE(result.identical(wanted->second)) << name;
    for (std::int64_t k = 0; k < result.size() && !result.identical(wanted->second); ++k)
      if (result.int_at(k) != wanted->second.int_at(k)) {
        ADD_FAILURE() << name << ": element " << k << " is " << result.int_at(k) << ", wanted "
                      << wanted->second.int_at(k);
        break;
      }
    elements += result.size();
  }
  return elements;
}

inline NamedTensors reference_values(const Program& program, const NamedTensors& inputs) {
  NamedTensors values = ReferenceEngine(program).run(inputs, {.keep_all = true});
  values.insert(inputs.begin(), inputs.end());
  return values;
}

// The whole program, the host's steps aside.
inline std::int64_t expect_equal(const Program& program, const NamedTensors& inputs) {
  require_consistent(program);
  return expect_equal(integer_program(program, {.host_border = true}), reference_values(program, inputs));
}

// Every step of integers, each alone, whatever is around it. Returns the programs of them.
inline std::vector<IntegerProgram> expect_equal_steps(const Program& program, const NamedTensors& inputs) {
  require_consistent(program);
  const NamedTensors values = reference_values(program, inputs);
  std::vector<IntegerProgram> compared;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    std::optional<IntegerProgram> one;
    const auto refused = error_of([&] { one = integer_program(one_step(program, s)); });
    if (refused) {
      EXPECT_EQ(refused, ErrorCode::kUnsupported) << program.steps[s].name;
      continue;
    }
    expect_equal(*one, values);
    compared.push_back(std::move(*one));
  }
  return compared;
}

}  // namespace octet
