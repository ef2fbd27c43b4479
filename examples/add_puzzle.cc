// add_puzzle FOLDER: writes a puzzle about QLinearAdd, add.onnx, and its operands: one.npz with one element each, and
// two.npz with the same element twice. The sum is exactly -112.5000079; ONNX Runtime says -112 to the one and -113 to
// the other.
#include <octet/octet.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace {

using octet::DType;
using octet::Tensor;

octet::Model add() {
  octet::Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}, {"com.microsoft", 1}};
  model.producer_name = "octet";
  model.graph.name = "add_puzzle";
  const octet::ValueType vector = {.dtype = DType::kInt8, .shape = {{octet::Dim::symbol("N")}}};
  model.graph.inputs = {{.name = "a", .type = vector}, {.name = "b", .type = vector}};
  model.graph.outputs = {{.name = "c", .type = vector}};
  const auto quantization = [&](const char* scale, float s, const char* zero_point, std::int8_t z) {
    model.graph.initializers.push_back({.name = scale, .tensor = Tensor::scalar(s)});
    model.graph.initializers.push_back({.name = zero_point, .tensor = Tensor::scalar(z)});
  };
  quantization("a_scale", .025346905F, "a_zero_point", -106);
  quantization("b_scale", .03580992F, "b_zero_point", -120);
  quantization("c_scale", .036585972F, "c_zero_point", -105);
  octet::Node node;
  node.name = "sum";
  node.op_type = "QLinearAdd";
  node.domain = "com.microsoft";
  node.inputs = {"a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point", "c_scale", "c_zero_point"};
  node.outputs = {"c"};
  model.graph.nodes.push_back(std::move(node));
  return model;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: add_puzzle FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  octet::save_model(add(), folder / "add.onnx");
  octet::save_npz({{"a", Tensor::from<std::int8_t>({1}, {-114})}, {"b", Tensor::from<std::int8_t>({1}, {-122})}},
                  folder / "one.npz");
  octet::save_npz(
      {{"a", Tensor::from<std::int8_t>({2}, {-114, -114})}, {"b", Tensor::from<std::int8_t>({2}, {-122, -122})}},
      folder / "two.npz");
  return 0;
} catch (const octet::Error& error) {
  std::fprintf(stderr, "add_puzzle: %s\n", error.what());
  return 2;
}
