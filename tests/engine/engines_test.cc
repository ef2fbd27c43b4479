// The list of engines.
#include "tests/support/engines.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/program/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

TEST(Engines, TellTheNamesByWhichTheyAreMade) {
  std::set<std::string_view> names;
  for (const NamedEngine& engine : engines()) {
    EXPECT_TRUE(names.insert(engine.name).second) << engine.name;
    EXPECT_FALSE(engine.meaning.empty()) << engine.name;
    EXPECT_EQ(make_engine(engine.name, lowered(convolution(), Policy::kExact))->name(), engine.name);
  }
  EXPECT_EQ(engines().front().name, "reference");
  EXPECT_TRUE(engines().front().any_arithmetic);
  EXPECT_TRUE(names.contains(kDefaultEngine));
}

TEST(Engines, SuggestTheNameThatWasMeant) {
  std::string known;
  for (const NamedEngine& engine : engines()) known += (known.empty() ? "" : ", ") + std::string(engine.name);
  const auto refusal = [](std::string_view name) {
    const Error error = failure_of([&] { make_engine(name, lowered(convolution(), Policy::kExact)); });
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.message();
  };
  EXPECT_EQ(refusal("refrence"), "there is no engine refrence; did you mean reference? known are " + known);
  EXPECT_EQ(refusal("gpu"), "there is no engine gpu; known are " + known);
}

TEST(Engines, RefuseAnArithmeticThatTheyDoNotHave) {
  NamedEngine plain = engines().front();
  plain.name = "plain";
  plain.any_arithmetic = false;
  const EngineOptions truncating{.arithmetic = {.rounding = Rounding::kTowardZero}};
  EXPECT_TRUE(can_run(plain, {.threads = 1}));
  EXPECT_FALSE(can_run(plain, truncating));
  EXPECT_TRUE(can_run(engines().front(), truncating));
  const Program program = lowered(convolution(), Policy::kExact);
  EXPECT_EQ(failure_of([&] { make_engine(plain, program, truncating); }).message(),
            "the engine plain has ONNX Runtime's arithmetic alone; for another one, take reference");
  EXPECT_NE(make_engine(plain, program), nullptr);
}

TEST(Engines, GiveWayToTheReferenceWhereNobodyAskedForOne) {
  const EngineOptions truncating{.arithmetic = {.rounding = Rounding::kTowardZero}};
  EXPECT_EQ(engine_for("", {}).name, kDefaultEngine);
  EXPECT_EQ(engine_for("", truncating).name, "reference");
  EXPECT_EQ(engine_for("fast", truncating).name, "fast");
  EXPECT_EQ(engine_for("reference", {}).name, "reference");
}

TEST(Engines, RunWithTheThreadsTheyAreGiven) {
  for (const int threads : {1, 3})
    for (const auto& engine : every_engine(lowered(convolution(), Policy::kExact), {.threads = threads}))
      EXPECT_EQ(engine->parallel().threads(), threads) << engine->name();
}

}  // namespace
}  // namespace octet
