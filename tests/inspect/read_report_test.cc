#include "octet/inspect/read_report.h"

#include <gtest/gtest.h>

#include <limits>

#include "octet/inspect/inspect.h"
#include "octet/inspect/report_json.h"
#include "tests/support/failure.h"
#include "tests/support/models.h"

namespace octet {
namespace {

Model reported_model() {
  Model m = model_from(
      "main (x) => (y) { q = QuantizeLinear <axis: int = 0> (x, s, z)\n d = DequantizeLinear <axis: int = 0> (q, s, "
      "z)\n"
      " c = Clip (d, low)\n y = MaxPool <kernel_shape: ints = [2], ceil_mode: int = 1> (c) }",
      {value("x", DType::kFloat, {{2, N(), Dim()}})});
  m.producer_name = "by hand";
  m.graph.nodes[0].name = "quantize";
  m.metadata = {{"key", "value"}};
  add_initializer(m, "s", Tensor::from<float>({2}, {0.1F, std::numeric_limits<float>::quiet_NaN()}));
  add_initializer(m, "z", Tensor::from<std::uint8_t>({2}, {7, 255}));
  add_initializer(m, "low", Tensor::scalar(-std::numeric_limits<float>::infinity()));
  return m;
}

TEST(ReadReport, GivesBackWhatWasWritten) {
  ModelReport report = inspect(reported_model());
  report.path = "a \"model\".onnx";
  report.file_bytes = 12345;
  const std::string text = report_json(report);
  EXPECT_EQ(report_json(report_from_json(text)), text);
}

TEST(ReadReport, SaysWhatIsWrong) {
  const auto message = [](const std::string& text) {
    const Error error = failure_of([&] { report_from_json(text); });
    EXPECT_EQ(error.code(), ErrorCode::kFormat);
    return error.message();
  };
  EXPECT_NE(message("{").find("not JSON: "), std::string::npos);
  EXPECT_NE(message("[1]").find("its schema is not octet.inspect/1"), std::string::npos);
  EXPECT_NE(message(R"({"schema": "octet.run/1"})").find("its schema is not octet.inspect/1"), std::string::npos);
  EXPECT_NE(message(R"({"schema": "octet.inspect/1"})").find("file"), std::string::npos);
  const std::string text = report_json(inspect(reported_model()));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos);
    return changed.replace(at, from.size(), to);
  };
  EXPECT_EQ(message(with("\"conversion\"", "\"magic\"")), "\"magic\" is none of the words that belong there");
  EXPECT_EQ(message(with("\"float32\"", "\"float31\"")), "\"float31\" is no element type");
  EXPECT_EQ(message(with("[7,255]", "[7]")), "1 values for shape [2]");
  EXPECT_NE(message(with("\"by hand\"", "5")).find("type must be string, but is number"), std::string::npos);
}

}  // namespace
}  // namespace octet
