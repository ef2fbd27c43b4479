#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "octet/base/atomic_file.h"
#include "octet/base/read_file.h"
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

TEST(AtomicFile, WritesToADeviceAndDoesNotReplaceIt) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
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
  EXPECT_EQ(failure("/dev/zero", 100000).code(), ErrorCode::kLimit);
  EXPECT_NO_THROW(read_file(folder / "a", 5));
}

}  // namespace
}  // namespace octet
