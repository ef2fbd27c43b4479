// Reading a file takes memory in proportion to its size, whatever the file says. Every allocation is counted.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "octet/system/atomic_file.h"
#include "tests/onnx/messages.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace {

std::atomic<std::int64_t> live_bytes = 0;
std::atomic<std::int64_t> peak_bytes = 0;

void* counted(void* memory) {
  if (!memory) throw std::bad_alloc();
  const std::int64_t live = live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t peak = peak_bytes;
  while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

void discount(void* memory) {
  if (memory) live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto multiple = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(multiple, (size + multiple - 1) / multiple * multiple));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept try {
  return ::operator new(size, alignment);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* memory) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t) noexcept { discount(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { discount(memory); }

namespace octet {
namespace {

using namespace std::string_literals;

template <typename F>
std::int64_t peak_of(F&& f) {
  const std::int64_t before = live_bytes;
  peak_bytes = before;
  f();
  return peak_bytes - before;
}

std::string varint(std::size_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

std::string field(int number, const std::string& content) {
  return varint(static_cast<std::size_t>(number) << 3 | 2) + varint(content.size()) + content;
}

struct Pattern {
  std::string name;
  std::string repeated;     // the smallest message or number of its kind
  std::vector<int> path;    // the fields around it, from the inside out; they end in the model
  std::string before = "";  // what stands before the repetitions
};

std::string file_of(const Pattern& pattern, std::size_t size) {
  std::string bytes = pattern.before;
  while (bytes.size() < size) bytes += pattern.repeated;
  for (const int number : pattern.path) bytes = field(number, bytes);
  return bytes;
}

class HostileMemory : public testing::TestWithParam<Pattern> {};

TEST_P(HostileMemory, IsBoundedByTheSizeOfTheFile) {
  for (std::size_t size = 1 << 15; size <= 2 << 20; size *= 8) {
    const std::string bytes = file_of(GetParam(), size);
    const std::int64_t peak = peak_of([&] {
      try {
        parse(bytes, {.validate = false});
      } catch (const Error&) {
      }
    });
    EXPECT_LE(peak, static_cast<std::int64_t>((64 << 20) + 32 * bytes.size())) << bytes.size() << " bytes";
  }
}

constexpr int kGraph = 7;

INSTANTIATE_TEST_SUITE_P(
    Repeated, HostileMemory,
    testing::Values(
        Pattern{"nodes", field(1, ""), {kGraph}}, Pattern{"node_inputs", field(1, ""), {1, kGraph}},
        Pattern{"initializers", field(5, field(8, "w") + "\x10\x01\x08\x00"s), {kGraph}},
        Pattern{"inputs", field(11, ""), {kGraph}}, Pattern{"value_info", field(13, field(2, "")), {kGraph}},
        Pattern{"graph_metadata", field(16, ""), {kGraph}},
        Pattern{"sparse_initializers", field(15, "\x18\x01"s), {kGraph}},
        Pattern{"dimensions", field(1, ""), {2, 1, 2, 11, kGraph}, ""},
        Pattern{"sequence_types", field(1, ""), {4, 2, 11, kGraph}},
        Pattern{"attributes", field(5, field(9, "")), {1, kGraph}},
        Pattern{"subgraphs", field(11, ""), {5, 1, kGraph}, "\xA0\x01\x0A"s},
        Pattern{"attribute_strings", field(9, ""), {5, 1, kGraph}},
        Pattern{"attribute_ints", "\x40\x01"s, {5, 1, kGraph}},
        Pattern{"attribute_packed_ints", "\x01"s, {8, 5, 1, kGraph}},
        Pattern{"attribute_floats", "\x3D\x01\x01\x01\x01"s, {5, 1, kGraph}},
        Pattern{"attribute_tensors", field(10, "\x08\x00\x10\x01"s), {5, 1, kGraph}, "\xA0\x01\x09"s},
        Pattern{"attribute_types", field(15, ""), {5, 1, kGraph}}, Pattern{"tensor_dims", "\x08\x01"s, {5, kGraph}},
        Pattern{"tensor_packed_dims", "\x01"s, {1, 5, kGraph}}, Pattern{"tensor_strings", field(6, ""), {5, kGraph}},
        Pattern{"tensor_packed_int64s", "\x01"s, {7, 5, kGraph}},
        Pattern{"tensor_packed_int32s", "\x01"s, {5, 5, kGraph}}, Pattern{"tensor_uint64s", "\x58\x01"s, {5, kGraph}},
        Pattern{"tensor_external", field(13, ""), {5, kGraph}},
        Pattern{"functions", field(25, ""), {}, field(kGraph, "")},
        Pattern{"function_attributes", field(6, ""), {25}, ""}, Pattern{"opsets", field(8, ""), {}, field(kGraph, "")},
        Pattern{"unknown_numbers", "\xC0\x3E\x01"s, {kGraph}}, Pattern{"unknown_messages", field(1000, ""), {kGraph}},
        Pattern{"unknown_groups", "\xC3\x3E\xC4\x3E"s, {kGraph}}),
    [](const auto& test) { return test.param.name; });

TEST(HostileMemory, IsNotTakenForAMillionEmptyNodes) {
  const std::string bytes = file_of({"", field(1, ""), {kGraph}}, 2'000'000);
  Error error(ErrorCode::kUsage, "");
  EXPECT_LT(peak_of([&] { error = failure_of([&] { parse(bytes); }); }), 1 << 20);
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
}

TEST(Memory, OfALargeTensorIsTheFileOnce) {
  const TemporaryFolder folder;
  format::TensorProto tensor = tensor_message(DType::kFloat, {4 << 20});
  tensor.mutable_raw_data()->resize(16 << 20);
  write_file(folder / "m.onnx", message_with(tensor).SerializeAsString());
  const std::int64_t peak = peak_of([&] { load_model(folder / "m.onnx"); });
  EXPECT_LT(peak, (16 << 20) + (4 << 20));
}

}  // namespace
}  // namespace octet
