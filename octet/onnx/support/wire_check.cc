#include "octet/onnx/support/wire_check.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>

#include "octet/base/fail.h"
#include "octet/graph/model.h"
#include "octet/onnx/onnx.pb.h"

namespace octet {
namespace {

constexpr int kDeepestNesting = 100;  // the parser's own limit, which it reports like any other damage
constexpr std::int64_t kFreeMemory = 64 << 20;
constexpr std::int64_t kMemoryPerByte = 32;

enum Kind {
  kModel,
  kOpset,
  kEntry,
  kGraph,
  kNode,
  kFunction,
  kAttribute,
  kTensor,
  kSegment,
  kSparseTensor,
  kValue,
  kType,
  kTensorType,   // and sparse tensors, whose description is the same
  kElementType,  // sequences and optionals
  kMapType,
  kOpaqueType,
  kShape,
  kDimension,
  kNumbers,  // a list of numbers, packed
  kBytes,    // text, elements, and whatever Octet does not know
};

struct Field {
  int number;
  Kind kind;
};

// What a message takes: the parser's object and what it becomes, each with the bookkeeping of its allocation.
struct Schema {
  std::size_t memory;
  std::array<Field, 9> fields;
};

constexpr std::size_t kBookkeeping = 32;
constexpr std::size_t kMapNode = 96;  // with the key

constexpr std::array<Schema, kBytes> kSchemas = [] {
  using namespace format;
  std::array<Schema, kBytes> s{};
  s[kModel] = {sizeof(ModelProto) + sizeof(Model), {{{7, kGraph}, {8, kOpset}, {14, kEntry}, {25, kFunction}}}};
  s[kOpset] = {sizeof(OperatorSetIdProto) + sizeof(std::pair<std::string, std::int64_t>), {}};
  s[kEntry] = {sizeof(StringStringEntryProto) + sizeof(Metadata::value_type), {}};
  s[kGraph] = {
      sizeof(GraphProto) + sizeof(Graph),
      {{{1, kNode}, {5, kTensor}, {11, kValue}, {12, kValue}, {13, kValue}, {15, kSparseTensor}, {16, kEntry}}}};
  s[kNode] = {sizeof(NodeProto) + sizeof(Node), {{{5, kAttribute}, {9, kEntry}}}};
  s[kFunction] = {sizeof(FunctionProto) + sizeof(Function),
                  {{{7, kNode}, {9, kOpset}, {11, kAttribute}, {12, kValue}, {14, kEntry}}}};
  s[kAttribute] = {sizeof(AttributeProto) + sizeof(GraphAttribute) + sizeof(Attribute) + kMapNode,
                   {{{5, kTensor},
                     {6, kGraph},
                     {10, kTensor},
                     {11, kGraph},
                     {14, kType},
                     {15, kType},
                     {22, kSparseTensor},
                     {23, kSparseTensor},
                     {8, kNumbers}}}};
  s[kTensor] = {sizeof(TensorProto) + sizeof(Initializer) + kBookkeeping,
                {{{3, kSegment},
                  {13, kEntry},
                  {16, kEntry},
                  {1, kNumbers},
                  {4, kNumbers},
                  {5, kNumbers},
                  {7, kNumbers},
                  {10, kNumbers},
                  {11, kNumbers}}}};
  s[kSegment] = {sizeof(TensorProto::Segment), {}};
  s[kSparseTensor] = {sizeof(SparseTensorProto) + sizeof(Initializer), {{{1, kTensor}, {2, kTensor}, {3, kNumbers}}}};
  s[kValue] = {sizeof(ValueInfoProto) + sizeof(Value), {{{2, kType}, {4, kEntry}}}};
  s[kType] = {
      sizeof(TypeProto),
      {{{1, kTensorType}, {4, kElementType}, {5, kMapType}, {7, kOpaqueType}, {8, kTensorType}, {9, kElementType}}}};
  s[kTensorType] = {sizeof(TypeProto::Tensor), {{{2, kShape}}}};
  s[kElementType] = {sizeof(TypeProto::Sequence), {{{1, kType}}}};
  s[kMapType] = {sizeof(TypeProto::Map), {{{2, kType}}}};
  s[kOpaqueType] = {sizeof(TypeProto::Opaque), {}};
  s[kShape] = {sizeof(TensorShapeProto), {{{1, kDimension}}}};
  s[kDimension] = {sizeof(TensorShapeProto::Dimension) + sizeof(Dim) + sizeof(std::string), {}};
  return s;
}();

// A string in the parser and one in the model; a number in each, in lists that grow by doubling; and so for each byte
// of a packed list of numbers.
constexpr std::size_t kStringMemory = 2 * sizeof(std::string) + kBookkeeping;
constexpr std::size_t kNumberMemory = 32;
constexpr std::size_t kPackedMemory = 24;

class WireCheck {
 public:
  WireCheck(google::protobuf::io::ZeroCopyInputStream& input, std::int64_t size)
      : stream_(&input), memory_left_(kFreeMemory + size * kMemoryPerByte) {
    stream_.PushLimit(static_cast<int>(size));
  }

  // Reads fields up to the limit of this message, or up to the tag that ends the group `group`.
  void message(Kind kind, int depth, std::uint32_t group = 0) {
    if (depth > kDeepestNesting)
      fail(ErrorCode::kLimit, "byte {}: messages are nested more than {} deep", position(), kDeepestNesting);
    while (group != 0 || stream_.BytesUntilLimit() > 0) {
      const std::uint32_t tag = read_tag();
      if (group != 0 && tag == (group | kEndGroup)) return;
      field(kind, tag, depth);
    }
  }

 private:
  enum WireType : std::uint32_t { kVarint, kFixed64, kLengthDelimited, kStartGroup, kEndGroup, kFixed32 };

  int position() const { return stream_.CurrentPosition(); }

  [[noreturn]] void fail_damaged(std::string_view what) const {
    fail(ErrorCode::kFormat, "byte {}: {}: damaged, truncated or not an ONNX file", position(), what);
  }

  std::uint32_t read_tag() {
    std::uint32_t tag = 0;
    if (!stream_.ReadVarint32(&tag) || tag >> 3 == 0) fail_damaged("no field begins here");
    return tag;
  }

  void field(Kind kind, std::uint32_t tag, int depth) {
    const std::uint32_t number = tag & ~7U;
    switch (tag & 7U) {
      case kVarint: {
        std::uint64_t ignored = 0;
        charge(kNumberMemory);
        if (!stream_.ReadVarint64(&ignored)) fail_damaged("a number does not end");
        return;
      }
      case kFixed64: charge(kNumberMemory); return skip(8);
      case kFixed32: charge(kNumberMemory); return skip(4);
      case kLengthDelimited: return record(child(kind, static_cast<int>(tag >> 3)), depth);
      case kStartGroup: return message(kBytes, depth + 1, number);
      default: fail_damaged("no field begins here");
    }
  }

  void record(Kind kind, int depth) {
    std::uint64_t length = 0;
    if (!stream_.ReadVarint64(&length)) fail_damaged("a length does not end");
    const int left = stream_.BytesUntilLimit();
    if (length > static_cast<std::uint64_t>(left))
      fail_damaged(fmt::format("a field of {} bytes where {} are left", length, left));
    if (kind == kBytes || kind == kNumbers) {
      charge(kStringMemory + length * (kind == kNumbers ? kPackedMemory : 1));
      return skip(static_cast<int>(length));
    }
    charge(kSchemas[kind].memory + kBookkeeping);
    const auto outer = stream_.PushLimit(static_cast<int>(length));
    message(kind, depth + 1);
    stream_.PopLimit(outer);
  }

  static Kind child(Kind parent, int number) {
    if (parent < kBytes)
      for (const Field& field : kSchemas[parent].fields)
        if (field.number == number) return field.kind;
    return kBytes;
  }

  void skip(int bytes) {
    if (!stream_.Skip(bytes)) fail_damaged("the end comes too early");
  }

  void charge(std::size_t bytes) {
    memory_left_ -= static_cast<std::int64_t>(bytes);
    if (memory_left_ < 0)
      fail(ErrorCode::kLimit, "byte {}: more messages than a file of this size may hold without filling the memory",
           position());
  }

  google::protobuf::io::CodedInputStream stream_;
  std::int64_t memory_left_;
};

}  // namespace

void check_wire(google::protobuf::io::ZeroCopyInputStream& input, std::int64_t size, RootMessage root) {
  WireCheck(input, size).message(root == RootMessage::kModel ? kModel : kTensor, 0);
}

}  // namespace octet
