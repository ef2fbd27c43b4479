// Judges that misbehave: each is an error that says so, never an answer.
#include "octet/verify/judge.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

Judge shell(const std::string& script, int limit = 20) {
  return {"sh", {"/bin/sh", "-c", script, "judge"}, "model.onnx", std::chrono::seconds(limit)};
}

const NamedTensors kInputs = {{"x", Tensor::from<std::int8_t>({2}, {1, 2})}};

TEST(Judge, IsGivenModelInputsAndOutputs) {
  const JudgeAnswer answer = ask(shell("test $1 = model.onnx && cp $2 $3"), kInputs);
  EXPECT_TRUE(answer.tensors.at("x").identical(kInputs.at("x")));
  EXPECT_EQ(answer.runtime, "");
}

TEST(Judge, KeepsItsTemporaryFilesBesideItsAnswer) {
  EXPECT_NO_THROW(ask(shell("test $TMPDIR = $(dirname $3) && cp $2 $3"), kInputs));
}

TEST(Judge, MaySayHowItWorked) {
  const JudgeAnswer answer = ask(
      shell(
          R"(cp $2 $3; echo '{"runtime": "mine 1.0", "made_by": {"x": "QLinearConv"}, "operators": {"Conv": 2}}' >$3.json)"),
      kInputs);
  EXPECT_EQ(answer.runtime, "mine 1.0");
  EXPECT_EQ(answer.made_by.at("x"), "QLinearConv");
  EXPECT_EQ(answer.operators.at("Conv"), 2);
}

Error failure(const std::string& script, int limit = 20) {
  return failure_of([&] { ask(shell(script, limit), kInputs); });
}

TEST(Judge, ThatFailsIsQuoted) {
  const Error error = failure("echo out of luck >&2; exit 3");
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.message(), "the judge sh ended with code 3; it said: out of luck");
}

TEST(Judge, ThatCrashesIsNamed) {
  EXPECT_NE(failure("cp $2 $3; kill -SEGV $$").message().find("was ended by signal 11"), std::string::npos);
}

TEST(Judge, ThatHangsIsKilled) {
  EXPECT_EQ(failure("cp $2 $3; sleep 1000", 1).message(), "the judge sh was not done after 1 seconds; it said nothing");
}

TEST(Judge, ThatLeavesAChildBehindIsNotWaitedFor) { ask(shell("sleep 1000 & cp $2 $3"), kInputs); }

TEST(Judge, ThatWritesNothingIsRefused) {
  EXPECT_EQ(failure("true").message(), "the judge sh wrote no outputs.npz; it said nothing");
}

TEST(Judge, ThatWritesSomethingOtherThanAFileIsRefused) {
  for (const char* name : {"$3", "$3.json"})
    for (const std::string make : {"mkfifo ", "ln -s /dev/zero ", "mkdir ", "ln -s $2 "}) {
      const Error error = failure("test " + std::string(name) + " = $3 || cp $2 $3; " + make + name);
      EXPECT_EQ(error.code(), ErrorCode::kFormat) << make << name;
      EXPECT_NE(error.message().find(" is not a regular file"), std::string::npos) << error.message();
    }
}

TEST(Judge, ThatWritesTooMuchIsRefused) {
  Judge judge = shell("cp $2 $3; head -c 2000 /dev/zero >>$3");
  judge.most_bytes = 2000;
  EXPECT_EQ(failure_of([&] { ask(judge, kInputs); }).code(), ErrorCode::kLimit);
  judge = shell("cp $2 $3");
  judge.most_bytes = 2000;
  EXPECT_NO_THROW(ask(judge, kInputs));
}

// Forks twice, into a session of its own, and tells the process number of what is left.
std::string runaway(const fs::path& note) {
  return "setsid sh -c 'sleep 1000 & echo $! >" + note.string() + ".part; mv " + note.string() + ".part " +
         note.string() + "' & while ! test -e " + note.string() + "; do sleep 0.01; done; ";
}

bool is_running(const fs::path& note) {
  int process = 0;
  std::ifstream(note) >> process;
  EXPECT_GT(process, 1);
  return ::kill(process, 0) == 0;
}

TEST(Judge, LeavesNothingRunningThatItStarted) {
  const TemporaryFolder folder;
  ask(shell(runaway(folder / "ended") + "cp $2 $3"), kInputs);
  EXPECT_FALSE(is_running(folder / "ended"));
  failure(runaway(folder / "hanging") + "sleep 1000", 1);
  EXPECT_FALSE(is_running(folder / "hanging"));
}

TEST(Judge, ThatWritesRubbishIsRefused) {
  EXPECT_EQ(failure("echo rubbish >$3").code(), ErrorCode::kFormat);
  EXPECT_EQ(failure("cp $2 $3; echo '{\"runtime\": 3}' >$3.json").code(), ErrorCode::kFormat);
  EXPECT_EQ(failure("cp $2 $3; echo rubbish >$3.json").code(), ErrorCode::kFormat);
}

TEST(Judge, ThatIsNotThereIsNamed) {
  const Judge judge{"none", {"./no_such_judge"}, "model.onnx", std::chrono::seconds(5)};
  EXPECT_EQ(failure_of([&] { ask(judge, kInputs); }).message(),
            "./no_such_judge can't be run: No such file or directory");
}

}  // namespace
}  // namespace octet
