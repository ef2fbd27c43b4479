// Golden vectors of small networks.
#include "octet/export/vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "octet/text/json.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

Program small(const std::string& text) {
  Model model = octet::network(text, {value("x", DType::kUint8, SymbolicShape{1, 2})},
                               {{"s", f(0.5F)},
                                {"z", u8(7)},
                                {"w", Tensor::from<std::uint8_t>({2, 2}, {1, 20, 30, 4})},
                                {"v", Tensor::from<std::uint8_t>({1, 2}, {9, 5})}});
  for (Node& node : model.graph.nodes)
    if (node.op_type == "QLinearAdd") node.domain = "com.microsoft";
  return lowered(std::move(model), Policy::kAsWritten);
}

Vectors vectors_of(const Program& program, VectorOptions options = {}) {
  return export_vectors(program, {"net.onnx", "0123"},
                        {{"x.npy", {{"x", Tensor::from<std::uint8_t>({1, 2}, {3, 200})}}}}, options);
}

Json manifest_of(const Vectors& vectors) { return parse_json(vectors.files.back().contents); }

TEST(VectorFiles, AreEachTheirOwn) {
  const Vectors vectors = vectors_of(small("f (x) => (y) { a = QLinearMatMul (x, s, z, w, s, z, s, z)\n"
                                           " b = QLinearAdd (a, s, z, w, s, z, s, z)\n"
                                           " y = QLinearAdd (b, s, z, v, s, z, s, z) }"),
                                     {.style = {.format = ArrayFormat::kNpy}});
  std::set<std::string> names;
  for (const ExportedFile& file : vectors.files) EXPECT_TRUE(names.insert(file.name).second) << file.name;
  EXPECT_TRUE(names.contains("constants/w.npy"));
  EXPECT_TRUE(names.contains("constants/w_2.npy")) << "the matrix product has the other order";
  EXPECT_TRUE(names.contains("tensors/b.npy"));
}

TEST(VectorManifests, SayTheRoleOfEachTensor) {
  const Json manifest =
      manifest_of(vectors_of(small("f (x) => (y) { a = QLinearAdd (x, s, z, v, s, z, s, z)\n"
                                   " y = QLinearAdd (a, s, z, v, s, z, s, z) }")));
  std::vector<std::string> roles;
  for (const Json& tensor : manifest["tensors"])
    roles.push_back(tensor["name"].get<std::string>() + ": " + tensor["role"].get<std::string>());
  EXPECT_EQ(roles, (std::vector<std::string>{"x: input", "a: inner", "y: output"}));
}

// The host's last steps may stand between those of integers.
TEST(DirectedVectors, BelongToTheirStepsBehindAStepOfTheHost) {
  const std::string first = "a = QLinearAdd (x, s, z, v, s, z, s, z)\n",
                    last = " y = QLinearMatMul (a, s, z, w, s, z, s, z)\n r = DequantizeLinear (y, s, z) }";
  const Vectors plain = vectors_of(small("f (x) => (r) { " + first + last), {.directed = true}),
                between = vectors_of(small("f (x) => (q, r) { " + first + " q = DequantizeLinear (a, s, z)\n" + last),
                                     {.directed = true});
  EXPECT_GT(plain.directed_rows, 0U);
  EXPECT_EQ(manifest_of(between)["directed"], manifest_of(plain)["directed"]);
  EXPECT_EQ(manifest_of(between)["host"]["after"].size(), 2U);
}

TEST(VectorFiles, OfAnUnknownStepNameTheNearest) {
  const Program program = small("f (x) => (y) { y = QLinearAdd (x, s, z, v, s, z, s, z) }");
  const Error error = failure_of([&] { vectors_of(program, {.step = "z"}); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_STREQ(error.what(), "the program has no step z; the nearest are y");
}

}  // namespace
}  // namespace octet
