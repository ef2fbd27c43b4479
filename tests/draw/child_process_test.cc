#include "octet/draw/support/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>

#include "octet/base/fail.h"
#include "tests/support/failure.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

using namespace std::chrono_literals;

constexpr ChildLimits kRoomy{60s, std::uint64_t{1} << 30};

// A number that this process and its children see alike.
class SharedNumber {
 public:
  SharedNumber()
      : number_(new (mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Number) {
  }
  ~SharedNumber() { munmap(number_, sizeof(Number)); }
  SharedNumber(const SharedNumber&) = delete;
  SharedNumber& operator=(const SharedNumber&) = delete;

  std::atomic<int>& operator*() const { return *number_; }

 private:
  using Number = std::atomic<int>;
  Number* number_;
};

// Volatile, so that no compiler takes the loop for one that ends.
std::string work_forever() {
  for (volatile bool on = true; on;) continue;
  return "";
}

bool runs(pid_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

// Whether it becomes true in a few seconds.
bool soon(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(10ms))
    if (condition()) return true;
  return false;
}

TEST(ChildProcess, ReturnsWhatTheWorkReturns) {
  EXPECT_EQ(run_in_child([] { return std::string(); }, kRoomy).answer, "");
  const std::string large(10'000'000, 'x');  // more than a pipe holds
  EXPECT_EQ(run_in_child([&] { return large; }, kRoomy).answer, large);
}

TEST(ChildProcess, ThrowsWhatTheWorkThrows) {
  const Error error = failure_of(
      [] { run_in_child([]() -> std::string { fail(ErrorCode::kUnsupported, "not {}", "today"); }, kRoomy); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_EQ(error.message(), "not today");
}

TEST(ChildProcess, SurvivesEveryEnd) {
  const auto trouble = [](const std::function<void()>& work) {
    const ChildResult result = run_in_child([&] { return work(), std::string("never"); }, kRoomy);
    EXPECT_FALSE(result.answer);
    return result.trouble;
  };
  EXPECT_EQ(trouble([] { raise(SIGSEGV); }), "it crashed (SIGSEGV)");
  EXPECT_EQ(trouble([] { std::abort(); }), "it crashed (SIGABRT)");
  EXPECT_EQ(trouble([] { raise(SIGTERM); }), "it crashed (SIGTERM)");
  EXPECT_EQ(trouble([] { _exit(0); }), "it crashed (exit code 0)");
  EXPECT_EQ(trouble([] { _exit(3); }), "it crashed (exit code 3)");
}

TEST(ChildProcess, EndsAtItsTime) {
  const SharedNumber process;
  const auto start = std::chrono::steady_clock::now();
  const ChildResult result = run_in_child([&] { return *process = getpid(), work_forever(); }, {1500ms, kRoomy.memory});
  EXPECT_FALSE(result.answer);
  EXPECT_EQ(result.trouble, "it took longer than 1.5 s");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1500ms);
  EXPECT_GT(*process, 0);
  EXPECT_FALSE(runs(*process));
}

TEST(ChildProcess, HasItsShareOfMemoryAndNoMore) {
  const auto take = [](std::size_t megabytes) {
    return [megabytes] {
      std::vector<std::string> taken;
      for (std::size_t i = 0; i < megabytes; ++i) taken.emplace_back(1 << 20, 'x');
      return std::to_string(taken.size());
    };
  };
  EXPECT_EQ(run_in_child(take(100), {60s, std::uint64_t{400} << 20}).answer, "100");
  const ChildResult result = run_in_child(take(400), {60s, std::uint64_t{100} << 20});
  EXPECT_FALSE(result.answer);
  EXPECT_NE(result.trouble, "");
}

// What this process holds does not count.
TEST(ChildProcess, CountsMemoryFromItsStart) {
  const std::string held(std::size_t{300} << 20, 'x');
  EXPECT_EQ(run_in_child([&] { return std::string(1 << 20, held[5]); }, {60s, std::uint64_t{100} << 20}).answer,
            std::string(1 << 20, 'x'));
}

TEST(ChildProcess, HasARoomyStack) {
  // 40 MB, in frames of 4 kB: beyond the stack of any thread of ours.
  const std::function<int(int)> deep = [&](int depth) {
    volatile char frame[4096] = {};
    return depth == 0 ? frame[0] : deep(depth - 1) + frame[17];
  };
  EXPECT_EQ(run_in_child([&] { return std::to_string(deep(10'000)); }, kRoomy).answer, "0");
}

TEST(ChildProcess, RunsNoHandlerOfOurs) {
  static const SharedNumber calls;
  *calls = 0;
  const auto before = std::signal(SIGUSR1, [](int) { ++*calls; });
  EXPECT_EQ(run_in_child([] { return raise(SIGUSR1), std::string(); }, kRoomy).trouble, "it crashed (SIGUSR1)");
  EXPECT_EQ(*calls, 0);
  raise(SIGUSR1);
  EXPECT_EQ(*calls, 1);
  std::signal(SIGUSR1, before);
}

TEST(ChildProcess, IsSilentAndSeesNoFileOfOurs) {
  std::array<int, 2> pipe;
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const int before = dup(STDERR_FILENO);
  dup2(pipe[1], STDERR_FILENO);
  const ChildResult result = run_in_child(
      [&] {
        const bool spoken = write(STDERR_FILENO, "noise", 5) == 5;
        return std::string(spoken && write(pipe[1], "noise", 5) == 5 ? "open" : "closed");
      },
      kRoomy);
  dup2(before, STDERR_FILENO);
  close(before);
  close(pipe[1]);
  char heard = 0;
  EXPECT_EQ(read(pipe[0], &heard, 1), 0);
  close(pipe[0]);
  EXPECT_EQ(result.answer, "closed");
}

// The pipe then has the numbers of standard streams, and the number that the child uses for it is free.
TEST(ChildProcess, AnswersWhereStandardStreamsAreClosed) {
  std::map<int, int> kept;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, 3}) {
    kept[descriptor] = fcntl(descriptor, F_DUPFD_CLOEXEC, 100);
    close(descriptor);
  }
  const ChildResult result = run_in_child([] { return std::to_string(write(STDOUT_FILENO, "noise", 5)); }, kRoomy);
  for (const auto& [descriptor, copy] : kept)
    if (copy >= 0) {
      dup2(copy, descriptor);
      close(copy);
    }
  EXPECT_EQ(result.answer, "5");
}

TEST(ChildProcess, LeavesNothingToReap) {
  run_in_child([] { return std::string("done"); }, kRoomy);
  run_in_child([] { return raise(SIGKILL), std::string(); }, kRoomy);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, DiesWithItsParent) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // who loses its parent becomes ours
  const SharedNumber grandchild;
  *grandchild = 0;
  const pid_t parent = fork();
  if (parent == 0) {
    run_in_child([&] { return *grandchild = getpid(), work_forever(); }, kRoomy);
    _exit(0);
  }
  EXPECT_TRUE(soon([&] { return *grandchild != 0; }));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  int status = 0;
  EXPECT_TRUE(soon([&] { return waitpid(*grandchild, &status, WNOHANG) == *grandchild; }))
      << (kill(*grandchild, SIGKILL), "");
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(ChildProcess, MayBeOneOfMany) {
  std::vector<std::thread> threads;
  std::array<std::string, 4> answers;
  for (std::size_t t = 0; t < answers.size(); ++t) {
    threads.emplace_back([&answers, t] {
      answers[t] =
          run_in_child([t] { return std::string(1'000'000, static_cast<char>('a' + t)); }, kRoomy).answer.value_or("");
    });
    // glibc's allocator survives a fork while another thread holds its lock; the sanitizer's does not.
    if (kSanitized) threads.back().join();
  }
  for (std::thread& thread : threads)
    if (thread.joinable()) thread.join();
  for (std::size_t t = 0; t < answers.size(); ++t)
    EXPECT_TRUE(answers[t] == std::string(1'000'000, static_cast<char>('a' + t))) << "child " << t;
}

}  // namespace
}  // namespace octet
