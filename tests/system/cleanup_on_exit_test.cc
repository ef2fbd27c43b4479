#include "octet/system/cleanup_on_exit.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "octet/system/atomic_file.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// clean_up_now is for the last moments of a process: a child has them, and ends inside `function`.
template <typename Function>
int exit_code_of_child(const Function& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    function();
    ::_exit(100);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CleanupOnExit, IsRemovedInTheReverseOrderOfMaking) {
  EXPECT_EQ(exit_code_of_child([] {
              int order = 0;
              const CleanupOnExit first([&] { order = 1; }, [&] { order = order * 10 + 2; });
              const CleanupOnExit second([] {}, [&] { order = order * 10 + 3; });
              clean_up_now();
              ::_exit(order);
            }),
            132);
}

TEST(CleanupOnExit, IsForgottenWithItsObject) {
  EXPECT_EQ(exit_code_of_child([] {
              int removed = 0;
              {
                const CleanupOnExit gone([] {}, [&] { ++removed; });
              }
              clean_up_now();
              ::_exit(removed);
            }),
            0);
}

TEST(CleanupOnExit, ThatCannotBeMadeIsNotEntered) {
  EXPECT_EQ(exit_code_of_child([] {
              int removed = 0;
              try {
                const CleanupOnExit none([] { throw std::runtime_error("no"); }, [&] { ++removed; });
              } catch (const std::runtime_error&) {
                clean_up_now();
                ::_exit(removed);
              }
            }),
            0);
}

TEST(CleanupOnExit, OfAnAtomicFileIsItsTemporaryFile) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  EXPECT_EQ(exit_code_of_child([&] {
              AtomicFile file(folder / "a");
              file.write("new");
              const int before = static_cast<int>(folder.entries());
              clean_up_now();
              ::_exit(before * 10 + static_cast<int>(folder.entries()));
            }),
            21);
}

}  // namespace
}  // namespace octet
