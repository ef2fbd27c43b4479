#include "octet/system/npz.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "octet/base/memory_budget.h"
#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// numpy.savez_compressed(f, **{"conv1/x:0": numpy.arange(100, dtype="u1") // 10, "größe": numpy.float32(2.5)})
constexpr std::string_view kDeflated =
    "504b03042d000000080000002100eb7b5addffffffffffffffff0d001400636f6e76312f783a302e6e707901001000e4000000000000005f"
    "000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e536aa8aea3a09e965f54529498179f5f94920a12774bcc294e058a"
    "17672416a402f91a8606063a9a3a0ab50a64032e06386084032638608603163860850336386087030e38e0840300504b03042d0000080800"
    "00002100648c22c3ffffffffffffffff0b0014006772c3b6c39f652e6e707901001000840000000000000046000000000000009bec17ea1b"
    "10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a9a3a0ab5"
    "0a14012e0606050700504b01022d032d000000080000002100eb7b5add5f000000e40000000d000000000000000000000080010000000063"
    "6f6e76312f783a302e6e7079504b01022d032d000008080000002100648c22c346000000840000000b000000000000000000000080019e00"
    "00006772c3b6c39f652e6e7079504b0506000000000200020074000000210100000000";

std::string deflated() {
  std::string bytes;
  for (std::size_t i = 0; i < kDeflated.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(kDeflated.substr(i, 2)), nullptr, 16));
  return bytes;
}

// The archive with the 32-bit field at `offset` of its first directory entry replaced.
constexpr std::size_t kMethod = 10, kStoredSize = 20, kSize = 24;
std::string with_field(std::size_t offset, std::uint32_t value) {
  std::string bytes = deflated();
  const std::size_t entry = bytes.find("PK\1\2");
  for (std::size_t i = 0; i < 4; ++i) bytes[entry + offset + i] = static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

class Npz : public testing::Test {
 protected:
  Error failure(const std::string& bytes, std::uint64_t limit = 1 << 20) {
    write_file(file_, bytes);
    return failure_of([&] {
      const NpzReader reader(file_, limit);
      for (const std::string& name : reader.names()) reader.read(name);
    });
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "x.npz";
};

TEST_F(Npz, ReadsWhatNumPyCompressed) {
  write_file(file_, deflated());
  const NpzReader reader(file_);
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"conv1/x:0", "größe"}));
  EXPECT_TRUE(reader.read("größe").identical(Tensor::scalar(2.5F)));
  const Tensor x = reader.read("conv1/x:0");
  ASSERT_EQ(x.shape(), Shape{100});
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(x.int_at(i), i / 10);
}

TEST_F(Npz, TellsTypesAndShapesWithoutTheElements) {
  write_file(file_, deflated());
  const NpzReader reader(file_);
  const MemoryBudget budget(100);  // less than the elements take
  EXPECT_EQ(reader.header("conv1/x:0").dtype, DType::kUint8);
  EXPECT_EQ(reader.header("conv1/x:0").shape, Shape{100});
  EXPECT_EQ(reader.header("größe").dtype, DType::kFloat);
  EXPECT_EQ(reader.header("größe").shape, Shape{});
  EXPECT_EQ(budget.peak(), 0);
  EXPECT_EQ(failure_of([&] { reader.read("conv1/x:0"); }).code(), ErrorCode::kLimit);
  EXPECT_EQ(failure_of([&] { reader.header("z"); }).code(), ErrorCode::kUsage);
}

TEST_F(Npz, NamesOfAnyKindRoundTrip) {
  std::map<std::string, Tensor> tensors;
  for (const char* name : {"", "a", "a.npy", "a/b:0", "/a", "../a", "a/", "größe", "with space"})
    tensors.emplace(name, Tensor::from_strings({1}, {name}));
  save_npz(tensors, file_);
  const std::map<std::string, Tensor> read = load_npz(file_);
  ASSERT_EQ(read.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) EXPECT_TRUE(read.at(name).identical(tensor)) << name;
}

TEST_F(Npz, ManyMembersAndEmptyArraysRoundTrip) {
  std::map<std::string, Tensor> tensors;
  for (int i = 0; i < 2000; ++i) tensors.emplace(std::to_string(i), Tensor(DType::kInt32, {i % 7}));
  save_npz(tensors, file_);
  const std::map<std::string, Tensor> read = load_npz(file_);
  ASSERT_EQ(read.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) EXPECT_TRUE(read.at(name).identical(tensor)) << name;
}

TEST_F(Npz, AnArchiveOfNothingIsAnArchive) {
  save_npz({}, file_);
  EXPECT_TRUE(load_npz(file_).empty());
}

TEST_F(Npz, TheSameTensorsGiveTheSameBytes) {
  const auto bytes = [&] {
    save_npz({{"a", Tensor::scalar(1.0F)}}, file_);
    const FileBytes file = read_file(file_);
    return std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  };
  const std::string first = bytes();
  EXPECT_EQ(first, bytes());
  EXPECT_NE(first.find(std::string("\0\0\x21\0", 4)), std::string::npos);  // 1980-01-01 00:00
}

TEST_F(Npz, LeavesNothingWhenANameCannotBeStored) {
  EXPECT_EQ(failure_of([&] {
              save_npz({{std::string("a\0b", 3), Tensor::scalar(1.0F)}}, file_);
            }).code(),
            ErrorCode::kUnsupported);
  EXPECT_EQ(failure_of([&] { save_npz({{"\xff", Tensor::scalar(1.0F)}}, file_); }).code(), ErrorCode::kUnsupported);
  EXPECT_EQ(failure_of([&] {
              save_npz({{std::string(65532, 'n'), Tensor::scalar(1.0F)}}, file_);
            }).code(),
            ErrorCode::kUnsupported);
  EXPECT_EQ(folder_.entries(), 0);
}

TEST_F(Npz, StoresTheLongestNameThatTheFormatHolds) {
  const std::string longest(65531, 'n');
  save_npz({{longest, Tensor::scalar(1.0F)}}, file_);
  EXPECT_EQ(NpzReader(file_).names(), std::vector<std::string>{longest});
}

TEST_F(Npz, NamesTheArrayThatIsNotThere) {
  write_file(file_, deflated());
  EXPECT_STREQ(failure_of([&] { NpzReader(file_).read("y"); }).what(),
               (file_.string() + " has no array named y").c_str());
}

TEST_F(Npz, RefusesWhatIsNoArchive) {
  EXPECT_EQ(failure("").code(), ErrorCode::kFormat);
  EXPECT_EQ(failure("\x93NUMPY").code(), ErrorCode::kFormat);
  EXPECT_EQ(failure(deflated().substr(0, 300)).code(), ErrorCode::kFormat);
  EXPECT_EQ(failure_of([&] { load_npz(folder_ / "missing.npz"); }).code(), ErrorCode::kIo);
  EXPECT_EQ(failure_of([&] { load_npz(folder_.path()); }).code(), ErrorCode::kIo);
}

TEST_F(Npz, RefusesSizesThatTheArchiveCannotHold) {
  EXPECT_EQ(failure(with_field(kSize, 0x7fffffff)).code(), ErrorCode::kFormat);        // no compression does that
  EXPECT_EQ(failure(with_field(kStoredSize, 0x7fffffff)).code(), ErrorCode::kFormat);  // beyond the archive
  EXPECT_EQ(failure(with_field(kStoredSize, 400)).code(), ErrorCode::kFormat);         // overlaps the other member
  EXPECT_EQ(failure(with_field(kSize, 227)).message(), "there are more than the 227 bytes it claims");
  EXPECT_EQ(failure(with_field(kSize, 229)).code(), ErrorCode::kFormat);  // one more
}

TEST_F(Npz, RefusesMoreThanTheLimit) {
  EXPECT_EQ(failure(deflated(), 359).code(), ErrorCode::kLimit);  // the two members have 228 and 132 bytes
  write_file(file_, deflated());
  EXPECT_NO_THROW(NpzReader(file_, 360));
}

TEST_F(Npz, RefusesABrokenChecksumAndUnknownCompression) {
  std::string bytes = deflated();
  bytes[bytes.find("PK\1\2") + 16] ^= 1;
  EXPECT_EQ(failure(bytes).code(), ErrorCode::kFormat);
  EXPECT_EQ(failure(with_field(kMethod, 12)).code(), ErrorCode::kUnsupported);
}

TEST_F(Npz, EveryCutIsAnErrorAndEveryFlippedBitAnErrorOrAnAnswer) {
  const std::string whole = deflated();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << i % 8));
    write_file(file_, bytes);
    try {
      load_npz(file_);
    } catch (const Error&) {
    }
    write_file(file_, whole.substr(0, i));
    EXPECT_THROW(load_npz(file_), Error) << i;
  }
}

}  // namespace
}  // namespace octet
