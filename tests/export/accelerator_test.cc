#include "octet/export/accelerator.h"

#include <gtest/gtest.h>

#include "octet/export/accelerator_memories.h"
#include "octet/export/step_fields.h"
#include "octet/export/verilog.h"
#include "octet/onnx/model_file.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {
namespace {

IntegerProgram resnet8(const char* file) {
  return integer_program(specialized(lowered(load_model(file), Policy::kExact), {{"N", 1}}), {.host_border = true});
}

TEST(HexWords, HaveTheLowestBitsLast) {
  BitWord word;
  word.append(-1, 3);
  word.append(0, 4);
  word.append(2, 3);
  EXPECT_EQ(word.size(), 10);
  EXPECT_EQ(word.hex(), "107");
  EXPECT_EQ(hex_lines({word, BitWord()}), "107\n\n");
  BitWord wide;
  wide.append(-2, 70);
  EXPECT_EQ(wide.hex(), "3ffffffffffffffffe");
}

TEST(ArrayShapes, ArePowersOfTwo) {
  for (int multipliers = 1; multipliers <= 256; multipliers *= 2) {
    const ArrayShape shape = array_shape(multipliers);
    EXPECT_EQ(shape.lanes * shape.columns, multipliers);
    EXPECT_EQ(1 << shape.levels, shape.lanes);
    EXPECT_LE(shape.requantizers, shape.lanes);
    EXPECT_EQ(shape.columns % shape.requantizers, 0);
  }
  for (const int wrong : {-1, 0, 3, 96, 257, 512})
    EXPECT_EQ(error_of([&] { array_shape(wrong); }), ErrorCode::kUsage) << wrong;
}

// Every word of a tensor stays untouched from the step that makes it to the last that reads it; steps of additions read
// both of their operands in one cycle.
TEST(AcceleratorOfResNet8, KeepsTensorsApart) {
  for (const int multipliers : {1, 16, 64, 256}) {
    const Accelerator to = accelerator(resnet8("models/resnet8_int8.onnx"), multipliers);
    ASSERT_EQ(to.steps.size(), 14U);
    std::vector<std::vector<std::int64_t>> owner(2);
    for (const std::size_t bank : {0U, 1U}) owner[bank].assign(static_cast<std::size_t>(to.bank_words[bank]), -1);
    const auto each_word = [&](TensorId tensor, auto&& f) {
      const PlacedTensor& placed = to.tensors[to.place_of[tensor]];
      if (to.place_of[tensor] == to.image) return;
      for (std::int64_t word = 0; word < placed.pixels * placed.pixel_words; ++word)
        f(owner.at(static_cast<std::size_t>(placed.bank)).at(static_cast<std::size_t>(placed.base + word)));
    };
    const auto expect_owned = [&](TensorId tensor) {
      bool owned = true;
      each_word(tensor, [&](std::int64_t& word) { owned &= word == static_cast<std::int64_t>(to.place_of[tensor]); });
      EXPECT_TRUE(owned) << tensor;
    };
    for (const AcceleratorStep& step : to.steps) {
      // While it writes, it reads: the result takes its place before the operands are asked for.
      each_word(step.y, [&](std::int64_t& word) { word = static_cast<std::int64_t>(step.y); });
      expect_owned(step.a);
      if (!step.addition) continue;
      expect_owned(step.b);
      EXPECT_NE(to.tensors[to.place_of[step.a]].bank, to.tensors[to.place_of[step.b]].bank);
    }
    expect_owned(to.result);
    EXPECT_EQ((to.bank_words[0] + to.bank_words[1]) * to.shape.lanes, 49152);
    EXPECT_TRUE(to.steps[0].frees_image);
  }
}

TEST(AcceleratorOfResNet8, HasTheProvenWidths) {
  const Accelerator to = accelerator(resnet8("models/resnet8_int8.onnx"), 64);
  const AcceleratorWidths widths = accelerator_widths(to);
  EXPECT_EQ(widths.acc, 23);  // the dead channels of conv, with 32 bits, are constants
  EXPECT_EQ(widths.m, 26);    // 25 and a sign
  EXPECT_EQ(widths.w, 8);
  std::int64_t products = 0;
  for (const AcceleratorStep& step : to.steps) products += step.useful;
  EXPECT_EQ(products, 12'501'632 + 64 * 64);  // convolutions and dense layer, and the pixels that the pool adds
}

TEST(StepFields, AreTakenApartByTheHardwareAsTheyArePutTogether) {
  const Accelerator to = accelerator(resnet8("models/resnet8_int8.onnx"), 64);
  const AcceleratorWidths widths = accelerator_widths(to);
  int bits = 0, counts = 0;
  for (const StepField& field : step_fields()) {
    bits += field.bits == kFieldBits ? widths.field : field.bits;
    counts += field.bits == kFieldBits;
  }
  for (const BitWord& word : accelerator_memories(to, widths).steps) EXPECT_EQ(word.size(), bits);
  std::string hardware;
  for (const ExportedFile& file : verilog(resnet8("models/resnet8_int8.onnx"), {.images = 1}).files)
    if (file.name.ends_with("octet_accelerator.v")) hardware = file.contents;
  EXPECT_NE(hardware.find(step_fields_verilog()), std::string::npos)
      << "hardware/octet_accelerator.v needs these lines:\n"
      << step_fields_verilog();
  EXPECT_NE(hardware.find("STEP_FIELDS = " + std::to_string(counts) + ";"), std::string::npos);
  EXPECT_NE(hardware.find("DESCRIPTION_BITS = " + std::to_string(bits - counts * widths.field) + " + "),
            std::string::npos);
}

TEST(Verilog, ListsEveryStepThatTheHardwareLacks) {
  IntegerProgram program = resnet8("models/resnet8_int8.onnx");
  for (IntegerStep& step : program.steps) {
    if (step.name == "block1.add") step.task = integer::Maximum{};
    if (auto* convolution = std::get_if<integer::Convolution>(&step.task); convolution && step.name == "block3.conv1")
      convolution->axes[0].dilation = 2;
    if (auto* convolution = std::get_if<integer::Convolution>(&step.task); convolution && step.name == "block3.conv2")
      convolution->epilogue.push_back(integer::LookUp{});
  }
  std::string refused;
  EXPECT_EQ(error_of([&] { verilog(program, {}); }, &refused), ErrorCode::kUnsupported);
  EXPECT_EQ(refused,
            "the accelerator does not have all of this network:\n"
            "  block1.add: it takes the largest of a window\n"
            "  block3.conv1: its kernel is dilated\n"
            "  block3.conv2: behind its sum is more than a requantization and clamps");
}

TEST(Verilog, ListsFloatStepsBesideThoseThatTheHardwareLacks) {
  Model model = model_from(
      "f (x) => (y) { a = MaxPool <kernel_shape: ints = [2, 2]> (x) b = DequantizeLinear(a, s) c = Exp(b) "
      "d = QuantizeLinear(c, s) y = MaxPool <kernel_shape: ints = [2, 2]> (d) }",
      {value("x", DType::kUint8, SymbolicShape{1, 3, 8, 8})});
  add_initializer(model, "s", Tensor::from<float>({}, {0.5F}));
  std::string refused;
  EXPECT_EQ(error_of([&] { hardware_program(lowered(model, Policy::kAsWritten), 16); }, &refused),
            ErrorCode::kUnsupported);
  EXPECT_EQ(
      refused,
      "3 of 5 steps are not of integers alone:\n  b (DequantizeLinear): it makes float\n  c (Exp): it computes in "
      "float\n  d (QuantizeLinear): it reads float\n  and the accelerator does not have:\n  a: it takes the largest "
      "of a window\n  y: it takes the largest of a window");
}

// What a name may not do, whoever chose it.
TEST(Verilog, KeepsNamesInCommentsAndText) {
  IntegerProgram program = resnet8("models/resnet8_int8.onnx");
  const std::string hostile = "*/ endmodule\nmodule \"x\" `include \\ //\n";
  program.name = hostile + std::string(100'000, 'x');
  for (IntegerStep& step : program.steps) step.name = hostile + step.name;
  for (IntegerTensor& tensor : program.tensors) tensor.name = hostile + tensor.name;
  for (const ExportedFile& file : verilog(program, {.images = 1}).files) {
    if (file.name.ends_with(".v")) {
      EXPECT_EQ(file.contents.find("*/"), std::string::npos) << file.name;
      EXPECT_EQ(file.contents.find("\nmodule \"x\""), std::string::npos) << file.name;
    }
    if (file.name == "tensors.txt") {
      EXPECT_EQ(std::count(file.contents.begin(), file.contents.end(), '\n'), 15);
    }
  }
}

}  // namespace
}  // namespace octet
