// Writes a model, loads it, runs it: what an application does with the installed library.
#include <octet/octet.h>

#include <cstdio>
#include <utility>

int main() try {
  octet::Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  const auto floats = [](octet::SymbolicShape shape) {
    return octet::ValueType{.dtype = octet::DType::kFloat, .shape = std::move(shape)};
  };
  model.graph = {
      .name = "product",
      .nodes = {{.name = "product", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"y"}}},
      .initializers = {{.name = "w", .tensor = octet::Tensor::from<float>({2, 1}, {3.0F, 4.0F})}},
      .inputs = {{.name = "x", .type = floats({1, 2})}},
      .outputs = {{.name = "y", .type = floats({1, 1})}},
  };
  octet::save_model(model, "product.onnx");

  const auto engine =
      octet::make_engine("reference", octet::lower(octet::load_model("product.onnx"), octet::Policy::kExact));
  const octet::Tensor y = engine->run({{"x", octet::Tensor::from<float>({1, 2}, {1.0F, 2.0F})}}).at("y");
  const bool right = y.identical(octet::Tensor::from<float>({1, 1}, {11.0F}));
  std::printf("octet %s: the product is %s\n", octet::kVersion, right ? "right" : "wrong");
  return right ? 0 : 1;
} catch (const octet::Error& error) {
  std::printf("%s\n", error.what());
  return 2;
}
