#include "octet/export/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "octet/base/error.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

class WriteFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read(const fs::path& path) const {
    std::ifstream file(folder_ / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "octet_write_files";
};

TEST_F(WriteFiles, MakesFoldersAndKeepsOtherFiles) {
  std::ofstream(folder_ / "mine.txt") << "mine";
  write_files(folder_, {{"a.c", "one"}, {"deep/er/b.hex", std::string("t\0wo", 4)}});
  EXPECT_EQ(read("a.c"), "one");
  EXPECT_EQ(read("deep/er/b.hex"), std::string("t\0wo", 4));
  EXPECT_EQ(read("mine.txt"), "mine");
}

TEST_F(WriteFiles, WritesAllOrNothing) {
  fs::create_directory(folder_ / "taken");
  std::ofstream(folder_ / "old.txt") << "old";
  EXPECT_THROW(write_files(folder_, {{"old.txt", "new"}, {"sub/b", "b"}, {"taken", "a folder is there"}}), Error);
  EXPECT_EQ(read("old.txt"), "old");
  EXPECT_FALSE(fs::exists(folder_ / "sub"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(WriteFiles, SaysWhichFolderCannotBeMade) {
  std::ofstream(folder_ / "file") << "x";
  try {
    write_files(folder_ / "file" / "sub", {{"a", "b"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("octet_write_files/file"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace octet
