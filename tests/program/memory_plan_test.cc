#include "octet/program/memory_plan.h"

#include <gtest/gtest.h>

#include <set>

#include "octet/spec/registry.h"
#include "tests/program/memory_plan_check.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

const MemoryOptions kNothingShared = {.aliases = false, .in_place = false};

// A network of float [2,16], 128 bytes, from the input x.
Program written(std::string_view text, SymbolicShape shape = {2, 16}, const Constants& constants = {}) {
  return lowered(network(text, {value("x", DType::kFloat, std::move(shape))}, constants), Policy::kAsWritten);
}

// The plan, which the independent check has found to be right.
MemoryPlan right_plan(const Program& program, const MemoryOptions& options = {}) {
  MemoryPlan plan = plan_memory(program, options);
  EXPECT_EQ(wrong_with_plan(program, plan, options), "");
  return plan;
}

ValueId id_of(const Program& program, std::string_view name) {
  return static_cast<ValueId>(find_value(program, name) - program.values.data());
}

std::int64_t offset_of(const Program& program, const MemoryPlan& plan, std::string_view name) {
  return plan.values[id_of(program, name)].place->offset;
}

// "a" where b is an alias of a, and so on; "" where it is none.
std::string alias_of(const Program& program, const MemoryPlan& plan, std::string_view name) {
  const ValueId value = plan.values[id_of(program, name)].alias_of;
  return value == kNoValue ? "" : program.values[value].name;
}
std::string overwritten_by(const Program& program, const MemoryPlan& plan, std::string_view name) {
  const ValueId value = plan.values[id_of(program, name)].overwrites;
  return value == kNoValue ? "" : program.values[value].name;
}

TEST(MemoryPlan, KeepsValuesApartThatAreAliveTogether) {
  const Program program = written("main (x) => (y) { a = Relu (x)\n b = Neg (x)\n y = Add (a, b) }");
  const MemoryPlan plan = right_plan(program, kNothingShared);
  // x, a and b are alive together; y takes x's place.
  EXPECT_EQ(plan.bytes, 384);
  std::set<std::int64_t> offsets;
  for (const std::string name : {"x", "a", "b"}) offsets.insert(offset_of(program, plan, name));
  EXPECT_EQ(offsets, (std::set<std::int64_t>{0, 128, 256}));
  EXPECT_EQ(offset_of(program, plan, "y"), offset_of(program, plan, "x"));
}

TEST(MemoryPlan, AlignsEveryValue) {
  const Program program = written("main (x) => (y) { a = Relu (x)\n b = Neg (x)\n y = Add (a, b) }", {5});  // 20 bytes
  for (const std::int64_t alignment : {1, 4, 64, 4096}) {
    const std::int64_t step = std::max<std::int64_t>(alignment, 20);
    MemoryOptions options = kNothingShared;
    options.alignment = alignment;
    const MemoryPlan plan = right_plan(program, options);
    EXPECT_EQ(plan.alignment, alignment);
    EXPECT_EQ(plan.bytes, 3 * step);
    EXPECT_EQ(offset_of(program, plan, "a") + offset_of(program, plan, "b") + offset_of(program, plan, "x"), 3 * step);
    EXPECT_EQ(plan.values[id_of(program, "a")].place->bytes, 20);
  }
}

TEST(MemoryPlan, KeepsOutputsToTheEnd) {
  const Program program =
      written("main (x) => (a, y) { a = Relu (x)\n b = Softmax (a)\n c = Softmax (b)\n y = Softmax (c) }");
  const MemoryPlan plan = right_plan(program, kNothingShared);
  EXPECT_EQ(plan.bytes, 384);  // a, and two of b, c and y
  for (const std::string name : {"b", "c", "y"})
    EXPECT_NE(offset_of(program, plan, name), offset_of(program, plan, "a")) << name;
}

TEST(MemoryPlan, HoldsInputsFromTheBeginning) {
  const Program program = lowered(
      network("main (x, late) => (y) { a = Softmax (x)\n b = Softmax (a)\n y = Add (b, late) }",
              {value("x", DType::kFloat, SymbolicShape{32}), value("late", DType::kFloat, SymbolicShape{32})}, {}),
      Policy::kAsWritten);
  const MemoryPlan plan = right_plan(program, kNothingShared);
  EXPECT_EQ(plan.bytes, 384);
  for (const std::string name : {"x", "a", "b"})
    EXPECT_NE(offset_of(program, plan, name), offset_of(program, plan, "late")) << name;
}

TEST(MemoryPlan, TakesAReshapeForNoCopy) {
  const Program program = written(
      "main (x) => (y) { a = Softmax (x)\n b = Reshape (a, s)\n c = Flatten (b)\n d = Identity (c)\n e = Softmax (d)\n"
      " y = Add (e, c) }",
      {2, 16}, {{"s", Tensor::from<std::int64_t>({2}, {4, 8})}});
  const MemoryPlan plan = right_plan(program, {.in_place = false});
  for (const std::string name : {"b", "c", "d"}) {
    EXPECT_EQ(alias_of(program, plan, name), "a") << name;
    EXPECT_EQ(offset_of(program, plan, name), offset_of(program, plan, "a")) << name;
  }
  EXPECT_EQ(alias_of(program, plan, "e"), "");
  EXPECT_EQ(plan.bytes, 384);
  EXPECT_EQ(right_plan(program, kNothingShared).bytes, 384);
}

TEST(MemoryPlan, TakesTheMaskOfADropoutForNoAlias) {
  const Program program = lowered(network("main (x) => (y) { a = Softmax (x)\n d, m = Dropout (a)\n y = Mul (d, m) }",
                                          {value("x", DType::kFloat, SymbolicShape{2, 8})}, {}, 7),
                                  Policy::kAsWritten);
  const MemoryPlan plan = right_plan(program);
  EXPECT_EQ(alias_of(program, plan, "d"), "a");
  EXPECT_EQ(alias_of(program, plan, "m"), "");
}

TEST(MemoryPlan, RenamesInputsButDoesNotWriteOverThem) {
  const Program program = written("main (x) => (y) { a = Flatten (x)\n b = Relu (a)\n y = Relu (b) }");
  const MemoryPlan plan = right_plan(program);
  EXPECT_EQ(alias_of(program, plan, "a"), "x");
  EXPECT_EQ(overwritten_by(program, plan, "b"), "");
  EXPECT_EQ(overwritten_by(program, plan, "y"), "b");
}

TEST(MemoryPlan, GivesEveryInputAndOutputBytesOfItsOwn) {
  const Program program =
      written("main (x) => (y, z, u) { y = Flatten (x)\n a = Softmax (x)\n z = Flatten (a)\n u = Identity (a) }");
  const MemoryPlan plan = right_plan(program);
  EXPECT_EQ(alias_of(program, plan, "y"), "");
  EXPECT_EQ(alias_of(program, plan, "z"), "a");
  EXPECT_EQ(alias_of(program, plan, "u"), "");
  EXPECT_EQ(plan.bytes, 3 * 128);  // y is a copy of x; u, one of a, takes x's place
}

TEST(MemoryPlan, GivesTheCopyOfAConstantAPlace) {
  const Program program = written("main (x) => (y) { a = Identity (c)\n y = Add (a, x) }", {2, 16},
                                  {{"c", Tensor(DType::kFloat, {2, 16})}});
  const MemoryPlan plan = right_plan(program);
  EXPECT_FALSE(plan.values[id_of(program, "c")].place);
  EXPECT_EQ(alias_of(program, plan, "a"), "");
  EXPECT_EQ(overwritten_by(program, plan, "y"), "a");
}

TEST(MemoryPlan, WritesInPlaceWhereNobodyNeedsTheOther) {
  const Program program = written(
      "main (x) => (y) { a = Softmax (x)\n b = Relu (a)\n c = Softmax (b)\n d = Add (b, c)\n e = Mul (d, b)\n y = Neg "
      "(e) }");
  const MemoryPlan plan = right_plan(program);
  EXPECT_EQ(overwritten_by(program, plan, "b"), "a");
  EXPECT_EQ(overwritten_by(program, plan, "c"), "");   // each of its elements depends on a row of b
  EXPECT_EQ(overwritten_by(program, plan, "d"), "c");  // and not over b, which e needs
  EXPECT_EQ(overwritten_by(program, plan, "e"), "d");
  EXPECT_EQ(overwritten_by(program, plan, "y"), "e");
  EXPECT_EQ(plan.bytes, 256);
}

TEST(MemoryPlan, DoesNotWriteOverWhatIsReadUnderAnotherName) {
  const Program program =
      written("main (x) => (y) { a = Softmax (x)\n r = Flatten (a)\n b = Relu (a)\n y = Add (b, r) }");
  const MemoryPlan plan = right_plan(program);
  EXPECT_EQ(alias_of(program, plan, "r"), "a");
  EXPECT_EQ(overwritten_by(program, plan, "b"), "");
}

TEST(MemoryPlan, DoesNotWriteOverABroadcastOperand) {
  const Program program = lowered(
      network("main (x, v) => (y) { a = Softmax (x)\n b = Softmax (v)\n y = Add (b, a) }",
              {value("x", DType::kFloat, SymbolicShape{16, 1}), value("v", DType::kFloat, SymbolicShape{16, 16})}, {}),
      Policy::kAsWritten);
  EXPECT_EQ(overwritten_by(program, right_plan(program), "y"), "b");
  // Of as many bytes, and of another shape.
  const Program other =
      lowered(network("main (x) => (y) { a = Softmax (x)\n y = Add (a, c) }",
                      {value("x", DType::kFloat, SymbolicShape{16})}, {{"c", Tensor(DType::kFloat, {1, 16})}}),
              Policy::kAsWritten);
  EXPECT_EQ(overwritten_by(other, right_plan(other), "y"), "");
}

// Four floats have the bytes of sixteen truth values.
TEST(MemoryPlan, DoesNotWriteOverFewerElementsOfAsManyBytes) {
  const Program program =
      written("main (x) => (y) { a = Softmax (x)\n y = Equal (a, c) }", {4}, {{"c", Tensor(DType::kFloat, {4, 4})}});
  EXPECT_EQ(overwritten_by(program, right_plan(program), "y"), "");
}

TEST(MemoryPlan, DoesNotWriteOverTheTable) {
  const Program program =
      written("main (x) => (y) { a = Softmax (x)\n y = Gather (a, i) }", {16}, {{"i", Tensor(DType::kInt64, {16})}});
  EXPECT_EQ(overwritten_by(program, right_plan(program), "y"), "");
}

// A shape that is computed can be declared with a symbol of its own.
TEST(MemoryPlan, WantsAliasesToHaveAsManyBytes) {
  Model model =
      network("main (x, s) => (y) { a = Softmax (x)\n b = Reshape (a, s)\n y = Relu (b) }",
              {value("x", DType::kFloat, SymbolicShape{N(), 16}), value("s", DType::kInt64, SymbolicShape{2})}, {});
  model.graph.value_info.push_back(value("b", DType::kFloat, SymbolicShape{Dim::symbol("M"), 8}));
  const Program program = lowered(model, Policy::kAsWritten);
  EXPECT_EQ(alias_of(program, right_plan(program, {.symbols = {{"N", 2}, {"M", 4}}}), "b"), "a");
  EXPECT_EQ(alias_of(program, right_plan(program, {.symbols = {{"N", 2}}}), "b"), "");
}

TEST(MemoryPlan, DoesNotWriteOverElementsOfAnotherSize) {
  const Program program =
      written("main (x) => (y) { a = Softmax (x)\n b = Cast <to: int = 3> (a)\n y = Cast <to: int = 1> (b) }");
  const MemoryPlan plan = right_plan(program);
  EXPECT_EQ(overwritten_by(program, plan, "b"), "");
  EXPECT_EQ(overwritten_by(program, plan, "y"), "");
}

// A clamp behind a convolution works on what the convolution has written; the input stays whole until both are done.
TEST(MemoryPlan, LooksInsideSteps) {
  const Program program = lowered(convolution({"r", " r = Relu (t)\n", 0.125F, 7}), Policy::kExact);
  ASSERT_EQ(operators_of(program), (Names{"QLinearConv", "Clip"}));
  const MemoryPlan plan = right_plan(program, {.alignment = 1});
  EXPECT_EQ(plan.bytes, 8);  // four bytes of x, four of the sum and the clamped sum
  EXPECT_EQ(offset_of(program, plan, "y"),
            offset_of(program, plan, program.values[program.steps[0].operations[0].outputs[0]].name));
  EXPECT_EQ(right_plan(program, {.alignment = 1, .in_place = false}).bytes, 12);
}

// Whoever computes a step at once may have written the first elements of the result before the last operand is read.
TEST(MemoryPlan, LooksAtAllThatAStepReads) {
  for (const std::string text :
       {"main (x) => (y) { a = Softmax (x)\n t = Transpose (a)\n y = Add (a, t) }",
        "main (x) => (y) { a = Softmax (x)\n r = Identity (a)\n t = Transpose (r)\n y = Add (a, t) }"}) {
    Program program = written(text, {8, 8});
    EXPECT_EQ(overwritten_by(program, right_plan(program), "y"), "a");
    program.steps[program.steps.size() - 2].operations.push_back(program.steps.back().operations[0]);
    program.steps.pop_back();
    EXPECT_EQ(overwritten_by(program, right_plan(program), "y"), "t");
  }
}

// The indices between Cast and Gather are wider than the bytes at both ends.
TEST(MemoryPlan, WritesATableOverItsBytes) {
  const Program program =
      lowered(network("main (x) => (y) { q = QuantizeLinear (x, s, z)\n a = DequantizeLinear (q, s, z)\n t = Tanh (a)\n"
                      " y = QuantizeLinear (t, s, z) }",
                      {value("x", DType::kFloat, SymbolicShape{256})}, {{"s", f(0.5F)}, {"z", s8(0)}}),
              Policy::kExact);
  ASSERT_EQ(operators_of(program), (Names{"QuantizeLinear", "Cast", "Gather"}));
  const MemoryPlan plan = right_plan(program);
  EXPECT_EQ(overwritten_by(program, plan, "y"), "q");
  EXPECT_EQ(plan.bytes, 1024 + 256);
}

TEST(MemoryPlan, CountsSymbolsAsItIsTold) {
  const Program program = written("main (x) => (y) { y = Softmax (x) }", {N(), 16});
  EXPECT_EQ(right_plan(program).bytes, 128);
  EXPECT_EQ(right_plan(program, {.symbols = {{"N", 3}}}).bytes, 384);
  EXPECT_EQ(right_plan(program, {.symbols = {{"M", 3}}}).bytes, 128);
  EXPECT_EQ(right_plan(program, {.symbols = {{"N", 0}}}).bytes, 0);
}

TEST(MemoryPlan, SaysWhichShapeIsNotKnown) {
  const Program program = written("main (x) => (y) { a = Relu (x)\n y = NonZero (a) }");
  const MemoryPlan plan = plan_memory(program);
  EXPECT_FALSE(plan.bytes);
  EXPECT_EQ(plan.obstacle, "the shape of y, [2,?], is not known before the run");
  ASSERT_EQ(plan.values.size(), program.values.size());
  for (const PlannedValue& planned : plan.values) EXPECT_FALSE(planned.place);
}

TEST(MemoryPlan, RefusesWhatNoMemoryHolds) {
  const std::int64_t side = std::int64_t{1} << 30;
  EXPECT_EQ(plan_memory(written("main (x) => (y) { y = Relu (x) }", {side, side})).obstacle,
            "x, [1073741824,1073741824], is too large for any memory");
  EXPECT_EQ(plan_memory(written("main (x) => (y) { a = Relu (x)\n y = Relu (a) }", {side, side / 4})).obstacle,
            "all values together are too large for any memory");
  EXPECT_NE(plan_memory(written("main (x) => (y) { y = Relu (x) }", {side, side, side})).obstacle, "");
}

TEST(MemoryPlan, RefusesOptionsWithoutSense) {
  const Program program = written("main (x) => (y) { y = Relu (x) }");
  for (const std::int64_t alignment : {0, -64, 48, 1 << 21})
    EXPECT_EQ(failure_of([&] { plan_memory(program, {.alignment = alignment}); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(failure_of([&] {
              plan_memory(program, {.symbols = {{"N", -1}}});
            }).message(),
            "symbol N stands for -1, wanted no negative number");
}

// ---- many steps

// Values of float [size], named by their numbers; each step applies one operator.
class LongProgram {
 public:
  ValueId value(std::int64_t size) {
    program.values.push_back({.name = std::to_string(program.values.size()), .dtype = DType::kFloat});
    program.values.back().shape = SymbolicShape{size};
    return program.values.size() - 1;
  }
  ValueId input(std::int64_t size) {
    program.inputs.push_back({value(size), {}, {}});
    return program.values.size() - 1;
  }
  ValueId apply(std::string_view op, std::vector<ValueId> inputs, std::int64_t size) {
    const ValueId result = value(size);
    program.steps.emplace_back();
    program.steps.back().operations.push_back({find_operator("", op), 21, {}, std::move(inputs), {result}});
    return result;
  }

  Program program;
};

TEST(MemoryPlan, PlansAHundredThousandSteps) {
  LongProgram chain;
  ValueId last = chain.input(16);
  for (int k = 0; k < 100'000; ++k) last = chain.apply(k % 3 == 0 ? "Softmax" : "Relu", {last}, 17 + k % 7);
  chain.program.outputs = {last};
  EXPECT_EQ(plan_memory(chain.program, kNothingShared).bytes, 2 * 128);
  EXPECT_EQ(plan_memory(chain.program).bytes, 2 * 128);
}

TEST(MemoryPlan, HasValuesWithoutElements) {
  LongProgram chain;
  ValueId before = chain.input(16), last = chain.input(0);
  for (int k = 0; k < 200; ++k) {
    const ValueId next = chain.apply("MatMul", {before, last}, 16 * (k * 7 % 11 % 3));
    before = k % 5 == 0 ? before : last;
    last = next;
  }
  chain.program.outputs = {last};
  EXPECT_EQ(right_plan(chain.program).bytes, 128 + 128 + 64);
}

TEST(MemoryPlan, PlansThousandsOfValuesAliveTogether) {
  LongProgram wide;
  const ValueId x = wide.input(16);
  std::vector<ValueId> results;
  const int values = kSanitized ? 1000 : 3000;
  for (int k = 0; k < values; ++k)
    results.push_back(wide.apply("Softmax", {wide.apply("Softmax", {x}, 16)}, 16 * (1 + k % 5)));
  wide.program.outputs = {wide.apply("Sum", results, 80)};
  const MemoryPlan plan = right_plan(wide.program);
  std::int64_t sum = 64;  // x goes when the last value has been made of it
  for (int k = 0; k < values; ++k) sum += 64 * (1 + k % 5);
  EXPECT_GE(*plan.bytes, sum);
  EXPECT_LE(*plan.bytes, sum + sum / 20);
}

// ---- the check itself: it must see what is wrong

struct Damage {
  const char* what;
  void (*make)(const Program&, MemoryPlan&);
};

PlannedValue& planned(const Program& program, MemoryPlan& plan, std::string_view name) {
  return plan.values[id_of(program, name)];
}

TEST(MemoryPlanCheck, SeesEveryDamage) {
  const Program program = written(
      "main (x) => (y, o) { a = Softmax (x)\n r = Flatten (a)\n b = Relu (a)\n c = Add (b, r)\n d = Softmax (c)\n"
      " o = Neg (d)\n e = Softmax (d)\n y = Softmax (e) }");
  const MemoryPlan plan = right_plan(program);
  ASSERT_EQ(overwritten_by(program, plan, "c"), "b");
  const std::vector<Damage> damages = {
      {"another end", [](const Program&, MemoryPlan& p) { *p.bytes += 64; }},
      {"an unaligned value", [](const Program& g, MemoryPlan& p) { planned(g, p, "e").place->offset += 4; }},
      {"another size", [](const Program& g, MemoryPlan& p) { planned(g, p, "e").place->bytes -= 4; }},
      {"no place", [](const Program& g, MemoryPlan& p) { planned(g, p, "e").place.reset(); }},
      {"an output overwritten",
       [](const Program& g, MemoryPlan& p) { planned(g, p, "y").place = planned(g, p, "o").place; }},
      {"an input overwritten",
       [](const Program& g, MemoryPlan& p) {
         for (const char* name : {"a", "r"}) planned(g, p, name).place = planned(g, p, "x").place;
       }},
      {"an alias elsewhere",
       [](const Program& g, MemoryPlan& p) { planned(g, p, "r").place = planned(g, p, "b").place; }},
      {"an alias of another", [](const Program& g, MemoryPlan& p) { planned(g, p, "r").alias_of = id_of(g, "x"); }},
      {"an alias where nothing is renamed",
       [](const Program& g, MemoryPlan& p) {
         planned(g, p, "b").place = planned(g, p, "a").place;
         planned(g, p, "b").alias_of = id_of(g, "a");
       }},
      {"in place over what is needed",
       [](const Program& g, MemoryPlan& p) {
         for (const char* name : {"b", "c"}) planned(g, p, name).place = planned(g, p, "a").place;
         planned(g, p, "b").overwrites = id_of(g, "a");
       }},
      {"in place, and nobody knows", [](const Program& g, MemoryPlan& p) { planned(g, p, "c").overwrites = kNoValue; }},
      {"a result over its operand",
       [](const Program& g, MemoryPlan& p) { planned(g, p, "y").place = planned(g, p, "e").place; }},
  };
  for (const Damage& damage : damages) {
    MemoryPlan damaged = plan;
    damage.make(program, damaged);
    EXPECT_NE(wrong_with_plan(program, damaged, {}), "") << damage.what;
  }
  EXPECT_NE(wrong_with_plan(program, plan, {.aliases = false}), "");
  EXPECT_NE(wrong_with_plan(program, plan, {.in_place = false}), "");
}

}  // namespace
}  // namespace octet
