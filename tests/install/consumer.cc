// Writes a model, loads it, runs, quantizes, verifies and exports it: what an application does with the installed library.
#include <octet/octet.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

namespace {

octet::Model product() {
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
  return model;
}

// Quantized with its ranges from a sample, it is verified against tensors that the reference engine dumped.
bool quantizes_and_verifies(const octet::Model& model, const octet::NamedTensors& inputs) {
  octet::save_npz(inputs, "samples.npz");
  const octet::QuantizeResult quantized =
      octet::quantize_model(model, {.runs = {.samples = [](const octet::Model& of) {
                                      return std::make_unique<octet::SampleStream>(of, "samples.npz");
                                    }}});
  const octet::Program program = octet::lower(quantized.model, octet::Policy::kExact);
  octet::save_npz(octet::make_engine("reference", program)->run(inputs, {.keep_all = true}), "answer.npz");
  const std::string answer = std::filesystem::absolute("answer.npz").string();
  bool asked = false;
  const octet::VerifyResult verified =
      octet::verify_model(quantized.model, *octet::make_engine("fast", program),
                          [&]() -> std::optional<octet::VerifyBatch> {
                            if (std::exchange(asked, true)) return std::nullopt;
                            return octet::VerifyBatch{.inputs = inputs};
                          },
                          {.against = octet::JudgeCommand{.command = "f() { cp " + answer + " \"$3\"; }; f"}});
  return quantized.share && verified.agrees() && verified.samples == 1;
}

bool exports_c(const octet::Model& model) {
  const octet::PreparedExport prepared = octet::prepare_export(model, octet::Policy::kExact);
  const octet::ExportedC made = octet::export_c(prepared.program, {.name = "product"});
  octet::write_files("c", made.files);
  return std::filesystem::exists("c/product.c");
}

bool compiles(const octet::Model& model, const octet::NamedTensors& inputs) {
  const octet::CompileResult made = octet::compile_model(model);
  std::FILE* const file = std::fopen("product.so", "wb");
  std::fwrite(made.library.bytes.data(), 1, made.library.bytes.size(), file);
  std::fclose(file);
  const auto network = std::make_shared<const octet::CompiledNetwork>("./product.so");
  const auto engine = octet::compiled_engine(network, octet::lower(model, octet::Policy::kExact));
  return engine->run(inputs).at("y").identical(octet::Tensor::from<float>({1, 1}, {11.0F}));
}

}  // namespace

int main() try {
  octet::save_model(product(), "product.onnx");
  const octet::Model model = octet::load_model("product.onnx");
  const octet::NamedTensors inputs = {{"x", octet::Tensor::from<float>({1, 2}, {1.0F, 2.0F})}};
  const auto engine = octet::make_engine("reference", octet::lower(model, octet::Policy::kExact));
  const bool right = engine->run(inputs).at("y").identical(octet::Tensor::from<float>({1, 1}, {11.0F})) &&
                     quantizes_and_verifies(model, inputs) && exports_c(model) && compiles(model, inputs);
  std::printf("octet %s: the product is %s\n", octet::kVersion, right ? "right" : "wrong");
  return right ? 0 : 1;
} catch (const octet::Error& error) {
  std::printf("%s\n", error.what());
  return 2;
}
