#include "octet/draw/layout_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "octet/system/scratch_folder.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

using namespace std::chrono_literals;

constexpr LayoutLimits kRoomyLayout{60s, std::uint64_t{1} << 30};
const LayoutJob kArrow{"digraph { a -> b }", "dot", "svg"};

// A chain of nodes, which Graphviz walks by recursion.
std::string chain_dot(int nodes) {
  std::string dot = "digraph {";
  for (int i = 0; i + 1 < nodes; ++i) dot += "n" + std::to_string(i) + "->n" + std::to_string(i + 1) + ";";
  return dot + "}";
}

// A stand-in for octet-layout that ends in a way that Graphviz can't be made to on purpose.
class ShellProgram {
 public:
  explicit ShellProgram(const std::string& command) : path_(folder_.path() / "program") {
    std::ofstream(path_) << "#!/bin/sh\n" << command << "\n";
    chmod(path_.c_str(), 0755);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::filesystem::path path_;
};

std::string trouble_of(const std::string& command) {
  const LayoutResult result = run_layout(ShellProgram(command).path(), kArrow, kRoomyLayout);
  EXPECT_FALSE(result.image);
  return result.trouble;
}

// Sets an environment variable for the life of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

TEST(LayoutProgram, DrawsInBothFormats) {
  const LayoutResult svg = run_layout(find_layout_program(), kArrow, kRoomyLayout);
  ASSERT_TRUE(svg.image) << svg.trouble;
  EXPECT_EQ(svg.image->find("<?xml"), 0U);
  EXPECT_NE(svg.image->find("<title>a</title>"), std::string::npos);
  const LayoutResult png = run_layout(find_layout_program(), {kArrow.dot, "dot", "png"}, kRoomyLayout);
  ASSERT_TRUE(png.image) << png.trouble;
  EXPECT_EQ(png.image->find("\x89PNG"), 0U);
}

TEST(LayoutProgram, SaysWhatGraphvizCouldNotRead) {
  const LayoutResult result = run_layout(find_layout_program(), {"digraph { a -> }", "dot", "svg"}, kRoomyLayout);
  EXPECT_FALSE(result.image);
  EXPECT_EQ(result.trouble.find("it can't read its own language: "), 0U) << result.trouble;
}

TEST(LayoutProgram, SurvivesEveryEnd) {
  EXPECT_EQ(trouble_of("kill -SEGV $$"), "it crashed (SIGSEGV)");
  EXPECT_EQ(trouble_of("kill -TERM $$"), "it crashed (SIGTERM)");
  EXPECT_EQ(trouble_of("exit 9"), "it crashed (exit code 9)");
  EXPECT_EQ(trouble_of("exit 5"), "it ran out of memory");
  EXPECT_EQ(trouble_of("printf 'it is tired'; exit 3"), "it is tired");
  EXPECT_EQ(failure_of([] { trouble_of("printf 'no such file'; exit 2"); }).code(), ErrorCode::kIo);
  EXPECT_EQ(failure_of([] { trouble_of("printf 'too wide'; exit 4"); }).message(), "too wide");
}

TEST(LayoutProgram, EndsAtItsTime) {
  const auto start = std::chrono::steady_clock::now();
  const LayoutResult result = run_layout(ShellProgram("sleep 100").path(), kArrow, {1500ms, kRoomyLayout.memory});
  EXPECT_FALSE(result.image);
  EXPECT_EQ(result.trouble, "it took longer than 1.5 s");
  const auto taken = std::chrono::steady_clock::now() - start;
  EXPECT_GE(taken, 1500ms);
  EXPECT_LT(taken, 60s);
}

TEST(LayoutProgram, HasItsShareOfMemoryAndNoMore) {
  const LayoutJob job{chain_dot(1000), "dot", "svg"};
  EXPECT_TRUE(run_layout(find_layout_program(), job, kRoomyLayout).image);
  const LayoutResult result = run_layout(find_layout_program(), job, {60s, std::uint64_t{1} << 16});
  EXPECT_FALSE(result.image);
  EXPECT_NE(result.trouble, "");
}

TEST(LayoutProgram, IsFoundOrNamed) {
  {
    const Variable none("OCTET_LAYOUT", "/nowhere/octet-layout");
    const Error error = failure_of([] { find_layout_program(); });
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_EQ(error.message(),
              "OCTET_LAYOUT is /nowhere/octet-layout, which is no file; wanted the path of octet-layout");
  }
  const ShellProgram other("exit 5");
  const Variable given("OCTET_LAYOUT", other.path().c_str());
  EXPECT_EQ(find_layout_program(), other.path());
}

// Other threads allocate and start programs while it runs.
TEST(LayoutProgram, RunsOnManyThreadsAtOnce) {
  std::atomic<int> drawn = 0;
  std::atomic<bool> done = false;
  std::thread busy([&] {
    while (!done) std::vector<std::string>(100, std::string(1000, 'x'));
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) drawn += run_layout(find_layout_program(), kArrow, kRoomyLayout).image ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  done = true;
  busy.join();
  EXPECT_EQ(drawn, 12);
}

}  // namespace
}  // namespace octet
