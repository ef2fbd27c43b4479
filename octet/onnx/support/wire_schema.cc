#include "octet/onnx/support/wire_schema.h"

#include <array>

#include "octet/graph/model.h"
#include "octet/onnx/onnx.pb.h"

namespace octet::wire {
namespace {

struct Field {
  std::uint64_t number;
  Kind kind;
};

struct Schema {
  std::size_t memory;  // of the parser's object and of what it becomes
  std::array<Field, 10> fields;
};

constexpr std::size_t kBookkeeping = 32;
constexpr std::size_t kMapNode = 96;  // with the key

constexpr std::array<Schema, kNumbers> kSchemas = [] {
  using namespace format;
  std::array<Schema, kNumbers> s{};
  s[kModel] = {sizeof(ModelProto) + sizeof(Model), {{{7, kMainGraph}, {8, kOpset}, {14, kEntry}, {25, kFunction}}}};
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
  s[kMainGraph] = s[kGraph];
  s[kMainGraph].fields[1] = {5, kInitializer};
  s[kInitializer] = s[kTensor];
  s[kInitializer].fields[9] = {9, kElements};
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

constexpr std::size_t kStringMemory = 2 * sizeof(std::string) + kBookkeeping;  // in the parser and in the model
constexpr std::size_t kPackedMemory = 24;  // of a byte that is a number of 8, in lists that grow by doubling

}  // namespace

Kind kind_of_field(Kind parent, std::uint64_t number) {
  if (is_message(parent))
    for (const Field& field : kSchemas[parent].fields)
      if (field.number == number) return field.kind;
  return kBytes;
}

std::size_t memory_of(Kind kind, std::uint64_t length) {
  if (is_message(kind)) return kSchemas[kind].memory + kBookkeeping;
  return kStringMemory + length * (kind == kNumbers ? kPackedMemory : 1);
}

}  // namespace octet::wire
