// Directed vectors, held to the reference engine, and their promise: a constant that is wrong shows on a row.
#include "octet/export/directed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "octet/engine/reference_engine.h"
#include "octet/integer/one_step.h"
#include "octet/integer/requantizers.h"
#include "octet/onnx/model_file.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/requantize.h"
#include "tests/program/random_network.h"
#include "tests/support/lowered.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// A step of integers alone, with its directed vectors.
struct DirectedStep {
  std::size_t number;
  IntegerProgram alone;
  std::vector<DirectedSet> sets;

  const integer::Task& task() const { return alone.steps[0].task; }
};

std::vector<DirectedStep> directed_steps(const Program& program) {
  std::vector<DirectedStep> steps;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    try {
      DirectedStep step{s, integer_program(one_step(program, s)), {}};
      step.sets = directed_vectors(program.steps[s], step.alone, step.alone.steps[0]);
      steps.push_back(std::move(step));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    }
  }
  return steps;
}

Program network(const std::string& file) { return specialized(lowered(load_model(file), Policy::kExact), {{"N", 1}}); }

const work::Sum* sum_of(const Step& step) {
  if (const auto* convolution = std::get_if<work::Convolution>(&step.work)) return &convolution->sum;
  if (const auto* product = std::get_if<work::MatrixProduct>(&step.work)) return &product->sum;
  return nullptr;
}

const integer::Epilogue* epilogue_of(const integer::Task& task) {
  if (const auto* convolution = std::get_if<integer::Convolution>(&task)) return &convolution->epilogue;
  if (const auto* product = std::get_if<integer::MatrixProduct>(&task)) return &product->epilogue;
  if (const auto* average = std::get_if<integer::Average>(&task)) return &average->epilogue;
  return nullptr;
}

std::span<const std::int32_t> patch_of(const DirectedSet& set, const DirectedRow& row) {
  const auto size = static_cast<std::size_t>(element_count(set.patch_shape));
  return std::span(set.patches).subspan(*row.patch * size, size);
}

class OfResNet8 : public testing::TestWithParam<const char*> {
 protected:
  const Program program_ = network(GetParam());
  const std::vector<DirectedStep> steps_ = directed_steps(program_);
};

// The float32 rule itself, which the integers are made to equal.
TEST_P(OfResNet8, DirectedRowsAreWhatFloat32Gives) {
  std::size_t rows = 0;
  for (const DirectedStep& step : steps_)
    for (const DirectedSet& set : step.sets) {
      const Work& work = program_.steps[step.number].work;
      const work::Sum* sum = sum_of(program_.steps[step.number]);
      for (const DirectedRow& row : set.rows) {
        if (sum) {
          const auto& stage = std::get<work::Requantize>(std::holds_alternative<work::Convolution>(work)
                                                             ? std::get<work::Convolution>(work).epilogue[0]
                                                             : std::get<work::MatrixProduct>(work).epilogue[0]);
          const Requantizer rule({}, one_or(stage.multipliers, row.operands[0]),
                                 {stage.y.zero_point, integer_range(stage.type), ZeroPoint::kAfterRounding});
          EXPECT_EQ(rule(static_cast<std::int32_t>(row.operands[1])), row.q) << set.step << " " << row.operands[1];
          ++rows;
        } else if (const auto* pair = std::get_if<work::Pairwise>(&work)) {
          const QuantizedBinary rule =
              qlinear_add(pair->a_meaning, pair->b_meaning, pair->y_meaning, integer_range(set.q_type), {});
          EXPECT_EQ(rule(static_cast<std::int32_t>(row.operands[0]), static_cast<std::int32_t>(row.operands[1])),
                    row.q);
          ++rows;
        }
      }
    }
  EXPECT_GT(rows, 5000U);
}

// Both sides of the first and the last change of every channel, and of every exception.
TEST_P(OfResNet8, DirectedRowsHitEdgesAndExceptionsOfEveryChannel) {
  std::size_t channels = 0, exceptions = 0;
  for (const DirectedStep& step : steps_) {
    const work::Sum* sum = sum_of(program_.steps[step.number]);
    if (!sum) continue;
    const std::vector<Interval> reach = accumulator_reach(*sum);
    const auto& requantizers = std::get<integer::Requantize>(epilogue_of(step.task())->front()).channels;
    for (std::size_t channel = 0; channel < requantizers.size(); ++channel, ++channels) {
      std::set<std::int64_t> rows;
      for (const DirectedRow& row : step.sets[0].rows)
        if (row.operands[0] == static_cast<std::int64_t>(channel)) rows.insert(row.operands[1]);
      const Staircase stairs = monotone_steps(reach[channel], requantizers[channel]);
      std::vector<std::int64_t> wanted = {stairs.reach().least, stairs.greatest};
      if (stairs.steps.size() > 1)
        for (const std::int64_t first : {stairs.steps[1].first, stairs.steps.back().first})
          wanted.insert(wanted.end(), {first - 1, first});
      for (const RequantizerException& exception : requantizers[channel].exceptions) {
        ++exceptions;
        for (const std::int64_t acc : {exception.first - 1, exception.first, exception.last, exception.last + 1})
          if (acc >= stairs.reach().least && acc <= stairs.greatest) wanted.push_back(acc);
      }
      for (const std::int64_t acc : wanted) EXPECT_TRUE(rows.contains(acc)) << step.sets[0].step << " " << channel;
    }
  }
  EXPECT_EQ(channels, 346U);
  EXPECT_GE(exceptions, 35U);
}

// Of every channel, one constant at a time: whatever makes a difference somewhere makes one on a row.
TEST_P(OfResNet8, DirectedRowsCatchEveryMutatedRequantizer) {
  std::size_t mutants = 0, caught = 0, without_exceptions = 0;
  for (const DirectedStep& step : steps_) {
    const integer::Epilogue* epilogue = epilogue_of(step.task());
    if (!epilogue) continue;
    const DirectedSet& set = step.sets[0];
    const auto& requantizers = std::get<integer::Requantize>(epilogue->front()).channels;
    for (std::size_t channel = 0; channel < requantizers.size(); ++channel) {
      const IntegerRequantizer& right = requantizers[channel];
      std::vector<const DirectedRow*> rows;
      Interval reach{INT64_MAX, INT64_MIN};
      for (const DirectedRow& row : set.rows)
        if (requantizers.size() == 1 || row.operands[0] == static_cast<std::int64_t>(channel)) {
          rows.push_back(&row);
          reach.include({row.operands[1], row.operands[1]});
        }
      const Staircase stairs = monotone_steps(reach, right);
      const auto try_mutant = [&](const IntegerRequantizer& mutant) {
        bool wrong = false;
        for (std::size_t k = 0; k < stairs.steps.size() && !wrong; ++k)
          wrong =
              mutant(stairs.steps[k].first) != stairs.steps[k].value || mutant(stairs.last(k)) != stairs.steps[k].value;
        if (!wrong) return false;
        ++mutants;
        const bool seen =
            std::ranges::any_of(rows, [&](const DirectedRow* row) { return mutant(row->operands[1]) != row->q; });
        caught += seen ? 1 : 0;
        EXPECT_TRUE(seen) << set.step << " " << channel;
        return true;
      };
      const auto mutate = [&](auto change) {
        IntegerRequantizer mutant = right;
        change(mutant);
        return try_mutant(mutant);
      };
      for (const std::int64_t by : {-1, 1}) mutate([&](IntegerRequantizer& mutant) { mutant.m += by; });
      for (int bit = 0; bit <= right.shift; ++bit)
        for (const std::int64_t by : {-1, 1})
          mutate([&](IntegerRequantizer& mutant) { mutant.addend += by * (std::int64_t{1} << bit); });
      mutate([](IntegerRequantizer& mutant) { mutant.shift += 1; });
      if (right.shift > 0) mutate([](IntegerRequantizer& mutant) { mutant.shift -= 1; });
      mutate([](IntegerRequantizer& mutant) { mutant.range.max -= 1; });
      mutate([](IntegerRequantizer& mutant) { mutant.range.min += 1; });
      mutate([](IntegerRequantizer& mutant) { mutant.range = {-1000, 1000}; });
      if (!right.exceptions.empty())
        without_exceptions += mutate([](IntegerRequantizer& mutant) { mutant.exceptions.clear(); }) ? 1 : 0;
    }
  }
  EXPECT_EQ(caught, mutants);
  EXPECT_GT(mutants, 346U * 20);
  EXPECT_GE(without_exceptions, 20U);
}

TEST_P(OfResNet8, DirectedRowsCatchEveryMutatedAddition) {
  std::size_t mutants = 0;
  for (const DirectedStep& step : steps_) {
    const auto* task = std::get_if<integer::Pairwise>(&step.task());
    if (!task) continue;
    const auto& right = std::get<IntegerAddition>(task->pair);
    std::vector<IntegerAddition> others;
    const auto mutate = [&](auto change) {
      others.push_back(right);
      change(others.back());
    };
    for (const std::int64_t by : {-1, 1}) {
      mutate([&](IntegerAddition& mutant) { mutant.ma += by; });
      mutate([&](IntegerAddition& mutant) { mutant.mb += by; });
      for (int bit = 0; bit <= right.shift; ++bit)
        mutate([&](IntegerAddition& mutant) { mutant.addend += by * (std::int64_t{1} << bit); });
      mutate([&](IntegerAddition& mutant) { mutant.shift += static_cast<int>(by); });
    }
    mutate([](IntegerAddition& mutant) { mutant.range.max -= 1; });
    mutate([](IntegerAddition& mutant) { mutant.range.min += 1; });
    for (const IntegerAddition& mutant : others) {
      bool wrong = false;
      for (std::int32_t a = static_cast<std::int32_t>(right.range.min); a <= right.range.max && !wrong; ++a)
        for (std::int32_t b = static_cast<std::int32_t>(right.range.min); b <= right.range.max && !wrong; ++b)
          wrong = mutant(a, b) != right(a, b);
      if (!wrong) continue;
      ++mutants;
      EXPECT_TRUE(std::ranges::any_of(step.sets[0].rows, [&](const DirectedRow& row) {
        return mutant(static_cast<std::int32_t>(row.operands[0]), static_cast<std::int32_t>(row.operands[1])) != row.q;
      })) << step.sets[0].step;
    }
  }
  EXPECT_GT(mutants, 3U * 20);
}

// acc = start + Sum x * w: of a start, a weight or a byte that is off by one, some row tells.
TEST_P(OfResNet8, PatchesGiveTheirAccumulatorsAndCatchMutatedStartsAndWeights) {
  std::size_t rows = 0, patches = 0, weights = 0, unseen_weights = 0;
  for (const DirectedStep& step : steps_) {
    const work::Sum* sum = sum_of(program_.steps[step.number]);
    if (!sum) continue;
    const DirectedSet& set = step.sets[0];
    const auto& requantizers = std::get<integer::Requantize>(epilogue_of(step.task())->front()).channels;
    for (std::size_t channel = 0; channel < requantizers.size(); ++channel) {
      bool start_up = false, start_down = false;
      std::set<std::int32_t> values;
      std::vector<bool> seen(static_cast<std::size_t>(sum->products));
      for (const DirectedRow& row : set.rows) {
        if (row.operands[0] != static_cast<std::int64_t>(channel)) continue;
        ++rows;
        values.insert(row.q);
        if (!row.patch) continue;
        ++patches;
        const std::span<const std::int32_t> x = patch_of(set, row);
        std::int64_t acc = sum->starts[channel];
        for (std::size_t k = 0; k < x.size(); ++k)
          acc += x[k] * (sum->weights.int_at(static_cast<std::int64_t>(channel * x.size() + k)) -
                         one_or(sum->w_zero_points, static_cast<std::int64_t>(channel)));
        EXPECT_EQ(acc, row.operands[1]);
        start_up = start_up || requantizers[channel](acc + 1) != row.q;
        start_down = start_down || requantizers[channel](acc - 1) != row.q;
        for (std::size_t k = 0; k < x.size(); ++k)
          if (requantizers[channel](acc + x[k]) != row.q) seen[k] = true;
      }
      if (values.size() == 1) continue;  // a channel whose output is constant
      EXPECT_TRUE(start_up && start_down) << set.step << " " << channel;
      weights += seen.size();
      unseen_weights += static_cast<std::size_t>(std::ranges::count(seen, false));
    }
  }
  EXPECT_GT(patches * 100, rows * 99);
  EXPECT_GT(weights, 70000U);
  EXPECT_EQ(unseen_weights, 0U);
}

// Patches placed in the input of the layer, as many at a time as do not overlap: the reference engine gives each row's q.
TEST_P(OfResNet8, PatchesInTheLayersInputGiveTheirResults) {
  const ReferenceEngine engine(program_);
  std::size_t compared = 0;
  for (const DirectedStep& step : steps_) {
    const auto* task = std::get_if<integer::Convolution>(&step.task());
    if (!task) continue;
    const DirectedSet& set = step.sets[0];
    const IntegerTensor& x = step.alone.tensors[task->x];
    const IntegerTensor& y = step.alone.tensors[task->y];
    // Output places whose windows lie inside the image and apart from one another.
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    const integer::Axis &down = task->axes[0], &right = task->axes[1];
    const auto inside = [](const integer::Axis& axis, std::int64_t o) {
      const std::int64_t first = o * axis.stride - axis.pad;
      return first >= 0 && first + axis.kernel <= axis.input;
    };
    const auto apart = [](const integer::Axis& axis) { return (axis.kernel + axis.stride - 1) / axis.stride; };
    for (std::int64_t i = 1; i < down.output; i += apart(down))
      for (std::int64_t j = 1; j < right.output; j += apart(right))
        if (inside(down, i) && inside(right, j)) places.emplace_back(i, j);
    std::vector<const DirectedRow*> rows;
    for (const DirectedRow& row : set.rows)
      if (row.patch) rows.push_back(&row);
    const std::size_t runs = kSanitized ? 1 : (rows.size() + places.size() - 1) / places.size();
    for (std::size_t run = 0; run < runs; ++run) {
      Tensor image(x.type, x.shape);
      const auto at = [&](std::int64_t c, std::int64_t i, std::int64_t j) {
        return static_cast<std::size_t>((c * down.input + i) * right.input + j);
      };
      const std::size_t first = run * places.size(), count = std::min(places.size(), rows.size() - first);
      for (std::size_t p = 0; p < count; ++p) {
        const auto [i, j] = places[p];
        std::size_t k = 0;
        for (std::int64_t c = 0; c < task->group_inputs; ++c)
          for (std::int64_t u = 0; u < down.kernel; ++u)
            for (std::int64_t v = 0; v < right.kernel; ++v)
              image.mutable_bytes()[at(c, i * down.stride - down.pad + u, j * right.stride - right.pad + v)] =
                  static_cast<std::byte>(patch_of(set, *rows[first + p])[k++]);
      }
      const Tensor result = engine.run_step(step.number, {{x.name, image}}).at(y.name);
      for (std::size_t p = 0; p < count; ++p) {
        const auto [i, j] = places[p];
        const DirectedRow& row = *rows[first + p];
        EXPECT_EQ(result.int_at((row.operands[0] * down.output + i) * right.output + j), row.q) << set.step;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, kSanitized ? 300U : 4000U);
}

INSTANTIATE_TEST_SUITE_P(Models, OfResNet8, testing::Values("models/resnet8_int8.onnx", "models/resnet8_uint8.onnx"));

// Every kind of step: what a row says is what interpret's step gives, and a table's every byte is a row.
TEST(DirectedOfRandomNetworks, HasWholeTablesAndWindows) {
  std::map<std::string, std::size_t> kinds;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 24 : 40); ++seed) {
    const RandomNetwork random = random_network(seed);
    const Program program = specialized(lowered(random.model, Policy::kExact), {{"N", 1}});
    for (const DirectedStep& step : directed_steps(program))
      for (const DirectedSet& set : step.sets) {
        ++kinds[set.kind];
        EXPECT_FALSE(set.rows.empty());
        EXPECT_EQ(set.patches.size(), static_cast<std::size_t>(std::ranges::count_if(
                                          set.rows, [](const DirectedRow& row) { return row.patch.has_value(); })) *
                                          static_cast<std::size_t>(element_count(set.patch_shape)) *
                                          (set.patch_type == DType::kUndefined ? 0 : 1));
        if (const auto* table = std::get_if<integer::Table>(&step.task())) {
          ASSERT_EQ(set.rows.size(), 256U);
          for (const DirectedRow& row : set.rows)
            EXPECT_EQ(row.q, table->table[static_cast<std::size_t>(row.operands[1] & 255)]);
        }
      }
  }
  for (const char* kind : {"requantize", "pair", "table", "maximum"}) EXPECT_GT(kinds[kind], 0U) << kind;
}

}  // namespace
}  // namespace octet
