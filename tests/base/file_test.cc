#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "octet/base/atomic_file.h"
#include "octet/base/error.h"
#include "octet/base/read_file.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-files-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string content(const fs::path& path) {
    const FileBytes file = read_file(path);
    return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
  }

  fs::path folder_;
};

using AtomicFileTest = Files;
using ReadFileTest = Files;

TEST_F(AtomicFileTest, KeepsTheOldContentUntilCommit) {
  const fs::path path = folder_ / "a";
  write_file(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(content(path), "old");
    file.commit();
  }
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  {
    AtomicFile file(folder_ / "a");
    file.write("half");
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(AtomicFileTest, FollowsALinkAndKeepsPermissions) {
  write_file(folder_ / "real", "old");
  ::chmod((folder_ / "real").c_str(), 0600);
  fs::create_symlink("real", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "real"), "new");
  EXPECT_EQ(fs::status(folder_ / "real").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, WritesToADeviceAndDoesNotReplaceIt) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, SaysWhyAFileCannotBeWritten) {
  const auto message = [](const fs::path& path) {
    try {
      write_file(path, "x");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kIo);
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(folder_), folder_.string() + " can't be written: Is a directory");
  EXPECT_EQ(message(folder_ / "no" / "a"),
            (folder_ / "no" / "a").string() + " can't be written: No such file or directory");
  EXPECT_EQ(message("/dev/full"), "/dev/full can't be written: No space left on device");
  EXPECT_EQ(entries(), 0U);
}

TEST_F(ReadFileTest, ReadsFilesOfAnySize) {
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 200000U}) {
    const std::string text(size, 'x');
    write_file(folder_ / "a", text);
    EXPECT_EQ(content(folder_ / "a"), text);
  }
}

TEST_F(ReadFileTest, ReadsAPipeUntilItEnds) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  EXPECT_EQ(content("/dev/fd/" + std::to_string(ends[0])), "piped");
  ::close(ends[0]);
}

TEST_F(ReadFileTest, SaysWhyAFileCannotBeRead) {
  const auto failure = [](const fs::path& path, std::uint64_t limit) -> Error {
    try {
      read_file(path, limit);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::kUsage, "no error");
  };
  write_file(folder_ / "a", "12345");
  EXPECT_STREQ(failure(folder_ / "b", 10).what(),
               ((folder_ / "b").string() + " can't be read: No such file or directory").c_str());
  EXPECT_STREQ(failure(folder_, 10).what(), (folder_.string() + " can't be read: Is a directory").c_str());
  EXPECT_EQ(failure(folder_ / "a", 4).code(), ErrorCode::kLimit);
  EXPECT_EQ(failure("/dev/zero", 100000).code(), ErrorCode::kLimit);
  EXPECT_NO_THROW(read_file(folder_ / "a", 5));
}

}  // namespace
}  // namespace octet
