// sum_case.h: a sum as a network of its own, run by every target and held to the reference engine.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "octet/spec/registry.h"
#include "tests/program/networks.h"
#include "tests/support/engines.h"

namespace octet {

// A sum, perhaps behind a pool, and what it is run on.
struct SumCase {
  Model model;
  std::vector<NamedTensors> inputs;
};

// The bytes of the least and of the greatest number.
inline std::byte least(DType type) { return static_cast<std::byte>(type == DType::kInt8 ? 0x80 : 0); }
inline std::byte greatest(DType type) { return static_cast<std::byte>(type == DType::kInt8 ? 0x7F : 0xFF); }

// Of bytes: all the least, all the greatest, and the two in turn.
inline std::vector<Tensor> extremes(DType type, const Shape& shape) {
  std::vector<Tensor> made(3, Tensor(type, shape));
  std::ranges::fill(made[0].mutable_bytes(), least(type));
  std::ranges::fill(made[1].mutable_bytes(), greatest(type));
  for (std::size_t k = 0; k < made[2].bytes().size(); ++k)
    made[2].mutable_bytes()[k] = k % 2 == 0 ? greatest(type) : least(type);
  return made;
}

inline SumCase sum_case(const std::string& text, const std::vector<Value>& inputs, const Constants& constants) {
  SumCase made{network(text, inputs, constants), {}};
  for (Node& node : made.model.graph.nodes)
    if (!find_operator("", node.op_type)) node.domain = "com.microsoft";
  return made;
}

// The kernels that ran, by the name of the target.
using Kernels = std::map<std::string_view, std::set<std::string>>;

inline void expect_the_reference(const SumCase& sums, Kernels& kernels) {
  const Program program = lowered(sums.model, Policy::kExact);
  const ReferenceEngine reference(program, {.threads = 1});
  std::vector<NamedTensors> outputs, all;
  for (const NamedTensors& inputs : sums.inputs) {
    outputs.push_back(reference.run(inputs));
    all.push_back(reference.run(inputs, {.keep_all = true}));
  }
  for (const fast::Simd& target : fast::simd_targets())
    for (const int threads : {1, 3, 8}) {
      const FastEngine engine(program, {.threads = threads}, target);
      for (std::size_t k = 0; k < sums.inputs.size(); ++k) {
        const std::string where = fmt::format("{}, {} threads, inputs {}", target.name, threads, k);
        ASSERT_TRUE(identical(engine.run(sums.inputs[k]), outputs[k])) << where;
        ASSERT_TRUE(identical(engine.run(sums.inputs[k], {.keep_all = true}), all[k])) << where << ", all values";
      }
      if (threads == 1) kernels[target.name].insert(engine.kernels().back().kernel);
    }
}

}  // namespace octet
