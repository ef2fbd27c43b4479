#include "octet/onnx/support/skeleton.h"

#include <cstring>
#include <vector>

#include "octet/base/fail.h"
#include "octet/base/memory.h"
#include "octet/onnx/support/wire_schema.h"

namespace octet {
namespace {

constexpr int kDeepestNesting = 100;  // the parser's own limit, which it reports like any other damage
constexpr std::int64_t kFreeMemory = 64 << 20;
constexpr std::int64_t kMemoryPerByte = 32;

// Where a tensor's elements are within all of them; what stands in raw_data for the elements themselves.
struct Range {
  std::int64_t offset, size;
};

constexpr std::int64_t kAlignment = 64;
constexpr std::size_t kLengthBytes = 5;  // of a length that is not known yet

std::int64_t aligned(std::int64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

class Builder {
 public:
  explicit Builder(ByteSource& source) : source_(source), memory_left_(kFreeMemory + source.size() * kMemoryPerByte) {}

  Skeleton build(wire::Kind root) {
    message(root, 0, source_.size());
    copy_up_to(source_.size());
    return {std::move(messages_), read_elements(), elements_size_};
  }

 private:
  enum WireType : std::uint32_t { kVarint, kFixed64, kLengthDelimited, kStartGroup, kEndGroup, kFixed32 };

  [[noreturn]] void fail_damaged(std::string_view what) const {
    fail(ErrorCode::kFormat, "byte {}: {}: damaged, truncated or not an ONNX file", position_, what);
  }

  std::uint8_t next_byte() {
    if (position_ < window_begin_ || position_ >= window_begin_ + static_cast<std::int64_t>(window_.size())) {
      window_ = source_.window(position_);
      window_begin_ = position_;
    }
    return std::to_integer<std::uint8_t>(window_[static_cast<std::size_t>(position_++ - window_begin_)]);
  }

  std::uint64_t number(std::int64_t end, std::string_view unfinished) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70 && position_ < end; shift += 7) {
      const std::uint8_t byte = next_byte();
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    fail_damaged(unfinished);
  }

  // Walks the fields up to `end`, or up to the tag that ends the group `group`.
  void message(wire::Kind kind, int depth, std::int64_t end, std::uint64_t group = 0) {
    if (depth > kDeepestNesting)
      fail(ErrorCode::kLimit, "byte {}: messages are nested more than {} deep", position_, kDeepestNesting);
    while (group != 0 || position_ < end) {
      const std::uint64_t tag = number(end, "no field begins here");
      if (group != 0 && tag == (group | kEndGroup)) return;
      field(kind, tag, depth, end);
    }
  }

  void field(wire::Kind kind, std::uint64_t tag, int depth, std::int64_t end) {
    const std::uint64_t field_number = tag >> 3;
    if (field_number == 0 || tag > UINT32_MAX) fail_damaged("no field begins here");
    switch (tag & 7) {
      case kVarint:
        charge(wire::kNumberMemory);
        number(end, "a number does not end");
        return;
      case kFixed64: charge(wire::kNumberMemory); return skip(8, end);
      case kFixed32: charge(wire::kNumberMemory); return skip(4, end);
      case kLengthDelimited: return record(wire::kind_of_field(kind, field_number), depth, end);
      case kStartGroup: return message(wire::kBytes, depth + 1, end, tag & ~std::uint64_t{7});
      default: fail_damaged("no field begins here");
    }
  }

  void record(wire::Kind kind, int depth, std::int64_t end) {
    const std::int64_t length_begin = position_;
    const std::uint64_t length = number(end, "a length does not end");
    if (length > static_cast<std::uint64_t>(end - position_))
      fail_damaged(fmt::format("a field of {} bytes where {} are left", length, end - position_));
    const std::int64_t record_end = position_ + static_cast<std::int64_t>(length);
    charge(wire::memory_of(kind, length));
    if (wire::is_message(kind)) {
      const bool shrinks = kind == wire::kMainGraph || kind == wire::kInitializer;
      const std::size_t hole = shrinks ? begin_shrinking(length_begin) : 0;
      message(kind, depth + 1, record_end);
      if (shrinks) end_shrinking(hole);
      return;
    }
    if (kind == wire::kElements && length > 0) {
      copy_up_to(length_begin);
      refer_to_elements(position_, static_cast<std::int64_t>(length));
      copied_ = record_end;
    }
    position_ = record_end;
  }

  void skip(std::int64_t bytes, std::int64_t end) {
    if (bytes > end - position_) fail_damaged("the end comes too early");
    position_ += bytes;
  }

  void charge(std::size_t bytes) {
    memory_left_ -= static_cast<std::int64_t>(bytes);
    if (memory_left_ < 0)
      fail(ErrorCode::kLimit, "byte {}: more messages than a file of this size may hold without filling the memory",
           position_);
  }

  // The bytes since the last copy, as they are.
  void copy_up_to(std::int64_t end) {
    const std::size_t begin = messages_.size();
    messages_.resize(begin + static_cast<std::size_t>(end - copied_));
    source_.read(copied_, std::as_writable_bytes(std::span(messages_).subspan(begin)));
    copied_ = end;
  }

  // A message that will be shorter than in the file: its length is filled in when it is known, in as many bytes as the
  // longest length takes.
  std::size_t begin_shrinking(std::int64_t length_begin) {
    copy_up_to(length_begin);
    messages_.append(kLengthBytes, '\0');
    copied_ = position_;
    return messages_.size();
  }

  void end_shrinking(std::size_t content) {
    copy_up_to(position_);
    std::size_t length = messages_.size() - content;
    for (std::size_t i = content - kLengthBytes; i < content; ++i, length >>= 7)
      messages_[i] = static_cast<char>((length & 127) | (i + 1 < content ? 128 : 0));
  }

  void refer_to_elements(std::int64_t offset, std::int64_t size) {
    const Range range{elements_size_, size};
    static_assert(sizeof range < 128);
    messages_ += static_cast<char>(sizeof range);
    messages_.append(reinterpret_cast<const char*>(&range), sizeof range);
    in_file_.push_back({offset, size});
    elements_size_ += aligned(size);
  }

  std::shared_ptr<std::byte> read_elements() {
    std::shared_ptr<std::byte> memory = allocate_bytes(static_cast<std::size_t>(elements_size_));
    std::int64_t begin = 0;
    for (const Range& range : in_file_) {
      source_.read(range.offset, {memory.get() + begin, static_cast<std::size_t>(range.size)});
      begin += aligned(range.size);
    }
    return memory;
  }

  ByteSource& source_;
  std::int64_t memory_left_;
  std::int64_t position_ = 0;
  std::span<const std::byte> window_;
  std::int64_t window_begin_ = 0;
  std::string messages_;
  std::int64_t copied_ = 0;  // everything before is in messages_
  std::vector<Range> in_file_;
  std::int64_t elements_size_ = 0;
};

}  // namespace

FileBytes Skeleton::resolve(const std::string& reference) const {
  Range range{};
  if (reference.size() == sizeof range) std::memcpy(&range, reference.data(), sizeof range);
  if (range.size <= 0 || range.offset < 0 || range.offset > elements_size || range.size > elements_size - range.offset)
    fail(ErrorCode::kFormat, "changed while it was read");
  return {{elements.get() + range.offset, static_cast<std::size_t>(range.size)}, elements};
}

Skeleton read_skeleton(ByteSource& source, RootMessage root) {
  return Builder(source).build(root == RootMessage::kModel ? wire::kModel : wire::kInitializer);
}

}  // namespace octet
