// engines.h: what a test runs on every engine.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "octet/engine/engine.h"
#include "octet/program/lower.h"
#include "tests/support/lowered.h"

namespace octet {

// Of every engine that can run it, the reference engine first.
inline std::vector<std::unique_ptr<const Engine>> every_engine(const Program& program,
                                                               const EngineOptions& options = {}) {
  std::vector<std::unique_ptr<const Engine>> made;
  for (const NamedEngine& engine : engines())
    if (can_run(engine, options)) made.push_back(make_engine(engine, program, options));
  return made;
}

// The same names, and under each the same bits.
inline testing::AssertionResult identical(const NamedTensors& found, const NamedTensors& wanted) {
  for (const auto& [name, tensor] : wanted)
    if (const auto value = found.find(name); value == found.end() || !value->second.identical(tensor))
      return testing::AssertionFailure() << name << (value == found.end() ? " is missing" : " has other bits");
  if (found.size() != wanted.size()) return testing::AssertionFailure() << "there are more values";
  return testing::AssertionSuccess();
}

// What the reference engine computes; every other engine must compute the same bits.
inline NamedTensors run_every_engine(const Program& program, const NamedTensors& inputs, const RunOptions& how = {},
                                     const EngineOptions& options = {}) {
  NamedTensors expected;
  for (const std::unique_ptr<const Engine>& engine : every_engine(program, options)) {
    const NamedTensors results = engine->run(inputs, how);
    if (engine->name() == engines().front().name) expected = results;
    EXPECT_TRUE(identical(results, expected)) << engine->name();
  }
  return expected;
}

inline NamedTensors run_as_written(const Model& model, const NamedTensors& inputs, const RunOptions& how = {}) {
  return run_every_engine(lowered(model, Policy::kAsWritten), inputs, how);
}

// A suite of TEST_P that each engine has to pass: class Name : public EveryEngine {}.
class EveryEngine : public testing::TestWithParam<NamedEngine> {
 protected:
  std::unique_ptr<const Engine> engine(const Model& model, const EngineOptions& options = {}) const {
    return make_engine(GetParam(), lowered(model, Policy::kAsWritten), options);
  }
};

inline void PrintTo(const NamedEngine& engine, std::ostream* out) { *out << engine.name; }

inline std::string name_of_engine(const testing::TestParamInfo<NamedEngine>& info) {
  return std::string(info.param.name);
}

}  // namespace octet
