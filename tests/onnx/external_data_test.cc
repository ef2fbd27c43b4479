// Tensors in other files: read where they may be, refused where they may not, written beside the model.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "octet/base/memory_budget.h"
#include "octet/system/atomic_file.h"
#include "tests/onnx/messages.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

using namespace std::string_literals;
using Entries = std::vector<std::pair<std::string, std::string>>;

format::TensorProto external_tensor(DType dtype, const Shape& shape, const Entries& entries) {
  format::TensorProto message = tensor_message(dtype, shape);
  message.set_data_location(format::TensorProto::EXTERNAL);
  for (const auto& [key, value] : entries) {
    format::StringStringEntryProto& entry = *message.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return message;
}

// A model in `folder` whose initializer is uint8[4], with "data.bin" of 16 bytes, 0 to 15, beside it.
std::filesystem::path model_with(const TemporaryFolder& folder, const Entries& entries) {
  std::string data;
  for (char i = 0; i < 16; ++i) data += i;
  write_file(folder / "data.bin", data);
  write_file(folder / "m.onnx", message_with(external_tensor(DType::kUint8, {4}, entries)).SerializeAsString());
  return folder / "m.onnx";
}

Tensor load_weights(const std::filesystem::path& path) { return load_model(path).graph.initializers.at(0).tensor; }

void expect_refused(const Entries& entries, ErrorCode code, const std::string& message) {
  const TemporaryFolder folder;
  const std::filesystem::path path = model_with(folder, entries);
  const Error error = failure_of([&] { load_model(path); });
  EXPECT_EQ(error.code(), code);
  EXPECT_EQ(error.message(), message);
  EXPECT_EQ(error.where(), path.string() + ": initializer w");
}

TEST(ExternalData, ReadsTheBytesAtAnOffset) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {{"location", "data.bin"}, {"offset", "3"}, {"length", "4"}});
  EXPECT_TRUE(load_weights(path).identical(Tensor::from<std::uint8_t>({4}, {3, 4, 5, 6})));
}

TEST(ExternalData, BeginsAtTheBeginningWhenNoOffsetIsGiven) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {{"location", "./data.bin"}, {"checksum", "ignored"}});
  EXPECT_TRUE(load_weights(path).identical(Tensor::from<std::uint8_t>({4}, {0, 1, 2, 3})));
}

TEST(ExternalData, ReadsUpToTheLastByte) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {{"location", "data.bin"}, {"offset", "12"}, {"length", "4"}});
  EXPECT_TRUE(load_weights(path).identical(Tensor::from<std::uint8_t>({4}, {12, 13, 14, 15})));
}

TEST(ExternalData, ReadsFilesInFoldersBelowTheModel) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a/b");
  const auto path = model_with(folder, {{"location", "a//b/data.bin"}, {"offset", "3"}});
  std::filesystem::rename(folder / "data.bin", folder / "a/b/data.bin");
  EXPECT_EQ(load_weights(path).as<std::uint8_t>()[0], 3);
}

TEST(ExternalData, ReadsSeveralTensorsAndTypesFromOneFile) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {});
  format::ModelProto message =
      message_with(external_tensor(DType::kUint16, {2}, {{"location", "data.bin"}, {"offset", "1"}, {"length", "4"}}));
  format::TensorProto& second = *message.mutable_graph()->add_initializer();
  second = external_tensor(DType::kInt4, {3}, {{"location", "data.bin"}, {"offset", "14"}, {"length", "2"}});
  second.set_name("v");
  format::AttributeProto& attribute = *message.mutable_graph()->mutable_node(0)->add_attribute();
  attribute.set_name("value");
  attribute.set_type(format::AttributeProto::TENSOR);
  *attribute.mutable_t() = external_tensor(DType::kBool, {2}, {{"location", "data.bin"}, {"offset", "0"}});
  write_file(path, message.SerializeAsString());
  const Graph graph = load_model(path).graph;
  EXPECT_TRUE(graph.initializers.at(0).tensor.identical(Tensor::from<std::uint16_t>({2}, {0x0201, 0x0403})));
  EXPECT_TRUE(graph.initializers.at(1).tensor.identical(Tensor::from<std::int8_t>({3}, {-2, 0, -1}, DType::kInt4)));
  EXPECT_TRUE(
      std::get<Tensor>(*graph.nodes.at(0).attributes.find("value")).identical(Tensor::from<bool>({2}, {false, true})));
}

TEST(ExternalData, IsFetchedIntoSparseTensorsThatAreKeptAsBytes) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {});
  format::ModelProto message = small_message();
  format::SparseTensorProto& sparse = *message.mutable_graph()->add_sparse_initializer();
  *sparse.mutable_values() = external_tensor(DType::kUint8, {2}, {{"location", "data.bin"}, {"offset", "5"}});
  sparse.mutable_values()->set_name("sparse");
  write_file(path, message.SerializeAsString());
  format::ModelProto written;
  ASSERT_TRUE(written.ParseFromString(serialize_model(load_model(path))));
  const format::TensorProto& values = written.graph().sparse_initializer(0).values();
  EXPECT_EQ(values.raw_data(), "\x05\x06");
  EXPECT_FALSE(values.has_data_location());
}

TEST(ExternalData, IsRefusedInModelsFromMemory) {
  const format::ModelProto message = message_with(external_tensor(DType::kUint8, {4}, {{"location", "data.bin"}}));
  const Error error = failure_of([&] { parse(message); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  EXPECT_EQ(error.message(),
            "the elements are in another file (data.bin), which is read for a model in a file beside it");
}

TEST(ExternalData, IsRefusedWhereTheCallerSaysSo) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {{"location", "data.bin"}});
  EXPECT_EQ(failure_of([&] { load_model(path, {.external_data = false}); }).code(), ErrorCode::kFormat);
}

TEST(ExternalData, RefusesAnAbsolutePath) {
  expect_refused({{"location", "/etc/passwd"}}, ErrorCode::kFormat, "external data at the absolute path /etc/passwd");
}

TEST(ExternalData, RefusesToLeaveTheFolder) {
  expect_refused({{"location", "../data.bin"}}, ErrorCode::kFormat,
                 "external data at ../data.bin leaves the model's folder");
}

TEST(ExternalData, RefusesToLeaveTheFolderAndComeBack) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  const auto path = model_with(folder, {{"location", "a/../data.bin"}});
  EXPECT_EQ(failure_of([&] { load_model(path); }).message(),
            "external data at a/../data.bin leaves the model's folder");
}

TEST(ExternalData, RefusesNoLocation) {
  expect_refused({{"offset", "0"}}, ErrorCode::kFormat, "external data without a usable location");
}

TEST(ExternalData, RefusesALocationThatEndsEarly) {
  expect_refused({{"location", "data.bin\0.txt"s}}, ErrorCode::kFormat, "external data without a usable location");
}

TEST(ExternalData, RefusesALink) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {{"location", "link.bin"}});
  std::filesystem::create_symlink("data.bin", folder / "link.bin");
  const Error error = failure_of([&] { load_model(path); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  EXPECT_EQ(error.message(), "external data at link.bin goes through a symbolic link");
}

TEST(ExternalData, RefusesALinkedFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  const auto path = model_with(folder, {{"location", "link/data.bin"}});
  std::filesystem::rename(folder / "data.bin", folder / "real/data.bin");
  std::filesystem::create_directory_symlink("real", folder / "link");
  const Error error = failure_of([&] { load_model(path); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  EXPECT_EQ(error.message(), "external data at link/data.bin goes through a symbolic link");
}

TEST(ExternalData, RefusesAFolder) {
  expect_refused({{"location", "."}}, ErrorCode::kFormat, "external data at . is not a regular file");
}

TEST(ExternalData, RefusesAFileUsedAsFolder) {
  expect_refused({{"location", "data.bin/x"}}, ErrorCode::kIo,
                 "external data at data.bin/x can't be opened: Not a directory");
}

TEST(ExternalData, RefusesAPipeWithoutWaitingForIt) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {{"location", "pipe"}});
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(failure_of([&] { load_model(path); }).message(), "external data at pipe is not a regular file");
}

TEST(ExternalData, RefusesAFileThatIsNotThere) {
  expect_refused({{"location", "nothing.bin"}}, ErrorCode::kIo,
                 "external data at nothing.bin can't be opened: No such file or directory");
}

TEST(ExternalData, RefusesBytesBeyondTheEnd) {
  expect_refused({{"location", "data.bin"}, {"offset", "13"}}, ErrorCode::kFormat,
                 "external data at data.bin: bytes 13 to 13+4 of a file of 16");
}

TEST(ExternalData, RefusesAnOffsetBeyondTheEnd) {
  expect_refused({{"location", "data.bin"}, {"offset", "9223372036854775807"}}, ErrorCode::kFormat,
                 "external data at data.bin: bytes 9223372036854775807 to 9223372036854775807+4 of a file of 16");
}

TEST(ExternalData, RefusesANegativeOffset) {
  expect_refused({{"location", "data.bin"}, {"offset", "-1"}}, ErrorCode::kFormat,
                 "external data has offset \"-1\", wanted a number of bytes");
}

TEST(ExternalData, RefusesNumbersThatAreNone) {
  for (const std::string text : {"x", "0x10", "1 ", " 1", "+1", "1e3", "18446744073709551616"})
    expect_refused({{"location", "data.bin"}, {"offset", text}}, ErrorCode::kFormat,
                   "external data has offset \"" + text + "\", wanted a number of bytes");
}

TEST(ExternalData, RefusesALengthThatIsNotTheTensors) {
  expect_refused({{"location", "data.bin"}, {"length", "5"}}, ErrorCode::kFormat,
                 "external data has 5 bytes, the tensor needs 4");
}

TEST(ExternalData, RefusesAHugeTensorInASmallFileWithoutAllocatingIt) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {});
  write_file(path,
             message_with(external_tensor(DType::kFloat, {1LL << 60}, {{"location", "data.bin"}})).SerializeAsString());
  const Error error = failure_of([&] { load_model(path); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  EXPECT_EQ(error.message(), "external data at data.bin: bytes 0 to 0+4611686018427387904 of a file of 16");
}

TEST(ExternalData, RefusesStrings) {
  const TemporaryFolder folder;
  const auto path = model_with(folder, {});
  write_file(path, message_with(external_tensor(DType::kString, {1}, {{"location", "data.bin"}})).SerializeAsString());
  EXPECT_EQ(failure_of([&] { load_model(path); }).message(), "strings are stored as raw bytes, wanted string_data");
}

TEST(ExternalData, RefusesTensorsThatReadTheSameBytesOverAndOver) {
  const TemporaryFolder folder;
  write_file(folder / "data.bin", std::string(1 << 20, 'x'));
  format::ModelProto message = small_message();
  for (int i = 0; i < 100; ++i) {
    format::TensorProto& tensor = *message.mutable_graph()->add_initializer();
    tensor = external_tensor(DType::kUint8, {1 << 20}, {{"location", "data.bin"}});
    tensor.set_name("w" + std::to_string(i));
  }
  write_file(folder / "m.onnx", message.SerializeAsString());
  const Error error = failure_of([&] { load_model(folder / "m.onnx"); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.where(), (folder / "m.onnx").string() + ": initializer w68");
}

TEST(ExternalData, KnowsAFileUnderAllItsNames) {
  const TemporaryFolder folder;
  write_file(folder / "data.bin", std::string(1 << 20, 'x'));
  std::filesystem::create_hard_link(folder / "data.bin", folder / "link.bin");
  format::ModelProto message = small_message();
  for (int i = 0; i < 100; ++i) {
    format::TensorProto& tensor = *message.mutable_graph()->add_initializer();
    std::string location = i % 2 == 0 ? "data.bin" : "link.bin";
    for (int k = 0; k < i; ++k) location = "./" + location;
    tensor = external_tensor(DType::kUint8, {1 << 20}, {{"location", location}});
    tensor.set_name("w" + std::to_string(i));
  }
  write_file(folder / "m.onnx", message.SerializeAsString());
  const MemoryBudget budget(std::int64_t{1} << 30);
  const Error error = failure_of([&] { load_model(folder / "m.onnx"); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.where(), (folder / "m.onnx").string() + ": initializer w68");
  EXPECT_LT(budget.peak(), 70 << 20);
}

TEST(ExternalData, StaysWithinTheBudgetOfTheLoad) {
  const TemporaryFolder folder;
  write_file(folder / "data.bin", std::string(1 << 20, 'x'));
  write_file(folder / "m.onnx",
             message_with(external_tensor(DType::kUint8, {1 << 20}, {{"location", "data.bin"}})).SerializeAsString());
  const MemoryBudget budget(1 << 19);
  const Error error = failure_of([&] { load_model(folder / "m.onnx"); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.where(), (folder / "m.onnx").string() + ": initializer w");
}

// Saving.

Model model_with_weights() {
  Model model = parse(small_message());
  const auto add = [&](const std::string& name, Tensor tensor) {
    model.graph.initializers.push_back({.name = name, .tensor = std::move(tensor)});
  };
  add("small", Tensor::from<std::uint8_t>({3}, {1, 2, 3}));
  add("large", Tensor::from<std::int32_t>({4}, {1, 2, 3, 4}));
  add("packed", Tensor(DType::kInt4, {100}));
  add("text", Tensor::from_strings({1}, {"a long text that stays in the model"}));
  return model;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SaveModel, PutsLargeTensorsIntoAFileBesideTheModel) {
  const TemporaryFolder folder;
  const Model model = model_with_weights();
  save_model(model, folder / "m.onnx", {.external_threshold = 16});
  EXPECT_EQ(std::filesystem::file_size(folder / "m.onnx.data"), 4096 + 50);

  format::ModelProto written;
  ASSERT_TRUE(written.ParseFromString(read_text(folder / "m.onnx")));
  EXPECT_EQ(written.graph().initializer(0).raw_data(), "\1\2\3");
  const format::TensorProto& large = written.graph().initializer(1);
  EXPECT_FALSE(large.has_raw_data());
  EXPECT_EQ(large.data_location(), format::TensorProto::EXTERNAL);
  EXPECT_EQ(large.external_data(0).value(), "m.onnx.data");
  EXPECT_EQ(large.external_data(1).value(), "0");
  EXPECT_EQ(large.external_data(2).value(), "16");
  EXPECT_EQ(written.graph().initializer(2).external_data(1).value(), "4096");
  EXPECT_EQ(written.graph().initializer(2).external_data(2).value(), "50");

  const Model loaded = load_model(folder / "m.onnx");
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(loaded.graph.initializers[i].tensor.identical(model.graph.initializers[i].tensor)) << i;
}

TEST(SaveModel, CanSaveAModelOverTheOneItWasLoadedFrom) {
  const TemporaryFolder folder;
  save_model(model_with_weights(), folder / "m.onnx", {.external_threshold = 0});
  save_model(load_model(folder / "m.onnx"), folder / "m.onnx", {.external_threshold = 0});
  EXPECT_TRUE(load_model(folder / "m.onnx")
                  .graph.initializers[1]
                  .tensor.identical(Tensor::from<std::int32_t>({4}, {1, 2, 3, 4})));
}

TEST(SaveModel, MakesNoSecondFileWithoutLargeTensors) {
  const TemporaryFolder folder;
  save_model(model_with_weights(), folder / "a.onnx", {.external_threshold = 1000});
  save_model(model_with_weights(), folder / "b.onnx");
  EXPECT_EQ(folder.entries(), 2);
}

TEST(SaveModel, LeavesNothingBehindWhenItFails) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "m.onnx");
  const Error error =
      failure_of([&] { save_model(model_with_weights(), folder / "m.onnx", {.external_threshold = 0}); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(folder.entries(), 1);
}

TEST(SaveModel, KeepsTheOldFileWhenItFails) {
  const TemporaryFolder folder;
  Model model = model_with_weights();
  save_model(model, folder / "m.onnx", {.external_threshold = 0});
  model.graph.initializers.push_back({.name = "without tensor"});
  EXPECT_EQ(failure_of([&] { save_model(model, folder / "m.onnx", {.external_threshold = 0}); }).code(),
            ErrorCode::kModel);
  EXPECT_EQ(folder.entries(), 2);
  EXPECT_EQ(load_model(folder / "m.onnx").graph.initializers.size(), 4);
}

}  // namespace
}  // namespace octet
