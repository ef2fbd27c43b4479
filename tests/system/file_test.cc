#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  const FileBytes file = read_file(path);
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

TEST(AtomicFile, KeepsTheOldContentUntilCommit) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a";
  write_file(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(content(path), "old");
    file.commit();
  }
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("half");
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(AtomicFile, FollowsALinkAndKeepsPermissions) {
  const TemporaryFolder folder;
  write_file(folder / "real", "old");
  ::chmod((folder / "real").c_str(), 0600);
  fs::create_symlink("real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content(folder / "real"), "new");
  EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, FollowsALinkToNothing) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "below");
  fs::create_symlink("below/second", folder / "first");
  fs::create_symlink("new", folder / "below" / "second");
  write_file(folder / "first", "text");
  EXPECT_TRUE(fs::is_symlink(folder / "first"));
  EXPECT_TRUE(fs::is_symlink(folder / "below" / "second"));
  EXPECT_EQ(content(folder / "below" / "new"), "text");
}

TEST(AtomicFile, RefusesLinksInACircle) {
  const TemporaryFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_EQ(failure_of([&] { write_file(folder / "a", "x"); }).message(),
            "can't be written: Too many levels of symbolic links");
}

TEST(AtomicFile, WritesToAPipeThatSomebodyReads) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(failure_of([&] { write_file(pipe, "x"); }).message(),
            "can't be written: it is a pipe or a socket that nobody reads");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(pipe, "text");
  char text[5] = {};
  EXPECT_EQ(::read(reader, text, 4), 4);
  EXPECT_STREQ(text, "text");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(AtomicFile, WaitsForASlowReaderOfAPipe) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(::fcntl(reader, F_SETFL, O_RDONLY), 0);
  const std::string text(std::size_t{1} << 20, 'x');  // more than a pipe holds
  std::size_t got = 0;
  AtomicFile file(pipe);  // before anybody reads: a pipe without a writer is at its end
  std::thread other([&] {
    std::string bytes(65536, 0);
    for (ssize_t count = 0; (count = ::read(reader, bytes.data(), bytes.size())) > 0;)
      got += static_cast<std::size_t>(count);
  });
  file.write(text);
  file.commit();
  other.join();
  ::close(reader);
  EXPECT_EQ(got, text.size());
}

TEST(AtomicFile, WritesToADeviceAndDoesNotReplaceIt) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, AppendsToWhatIsOpenAlready) {
  const TemporaryFolder folder;
  write_file(folder / "log", "kept ");
  const int open = ::open((folder / "log").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(open, 0);
  write_file("/dev/fd/" + std::to_string(open), "added");
  ::close(open);
  EXPECT_EQ(content(folder / "log"), "kept added");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, SaysWhyAFileCannotBeWritten) {
  const TemporaryFolder folder;
  const auto message = [](const fs::path& path) {
    const Error error = failure_of([&] { write_file(path, "x"); });
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    return std::string(error.what());
  };
  EXPECT_EQ(message(folder.path()), folder.path().string() + ": can't be written: Is a directory");
  EXPECT_EQ(message(folder / "no" / "a"),
            (folder / "no" / "a").string() + ": can't be written: No such file or directory");
  EXPECT_EQ(message("/dev/full"), "/dev/full: can't be written: No space left on device");
  EXPECT_EQ(folder.entries(), 0);
}

TEST(ReadFile, ReadsFilesOfAnySize) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 200000U}) {
    const std::string text(size, 'x');
    write_file(folder / "a", text);
    EXPECT_EQ(content(folder / "a"), text);
  }
}

TEST(ReadFile, ReadsAPipeUntilItEnds) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  EXPECT_EQ(content("/dev/fd/" + std::to_string(ends[0])), "piped");
  ::close(ends[0]);
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  const auto failure = [](const fs::path& path, std::uint64_t limit) {
    return failure_of([&] { read_file(path, limit); });
  };
  write_file(folder / "a", "12345");
  EXPECT_STREQ(failure(folder / "b", 10).what(),
               ((folder / "b").string() + ": can't be read: No such file or directory").c_str());
  EXPECT_STREQ(failure(folder.path(), 10).what(), (folder.path().string() + ": can't be read: Is a directory").c_str());
  EXPECT_EQ(failure(folder / "a", 4).code(), ErrorCode::kLimit);
  EXPECT_NO_THROW(read_file(folder / "a", 5));
}

TEST(ReadFile, RefusesDevices) {
  for (const char* device : {"/dev/zero", "/dev/null", "/dev/urandom"})
    EXPECT_EQ(failure_of([&] { read_file(device); }).message(), "this is a device; a file or a pipe is wanted");
}

TEST(ReadFile, StopsAnEndlessPipeAtTheLimit) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    sigset_t broken;  // the reader leaves while it writes: an error code, and no signal
    ::sigemptyset(&broken);
    ::sigaddset(&broken, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken, nullptr);
    const std::string zeros(1 << 16, '\0');
    while (::write(ends[1], zeros.data(), zeros.size()) > 0) {
    }
  });
  EXPECT_EQ(failure_of([&] { read_file("/dev/fd/" + std::to_string(ends[0]), 1000000); }).code(), ErrorCode::kLimit);
  ::close(ends[0]);
  writer.join();
  ::close(ends[1]);
}

TEST(ReadFile, WaitsForTheWriterOfAPipeAndNotForever) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int held = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // else a writer that comes too late waits for ever
  ASSERT_GE(held, 0);
  struct sigaction heard = {}, before = {};  // without SA_RESTART
  heard.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &heard, &before), 0);
  std::thread writer([&, reader = ::pthread_self()] {
    const auto pause = std::chrono::milliseconds(200);
    std::this_thread::sleep_for(pause);
    ::pthread_kill(reader, SIGUSR1);
    std::this_thread::sleep_for(pause);
    const int end = ::open(pipe.c_str(), O_WRONLY);
    std::this_thread::sleep_for(pause);
    EXPECT_EQ(::write(end, "late", 4), 4);
    ::close(end);
  });
  EXPECT_EQ(content(pipe), "late");
  writer.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  ::close(held);
  EXPECT_EQ(failure_of([&] { read_file(pipe); }).message(), "this is a pipe that nobody writes to");
}

}  // namespace
}  // namespace octet
