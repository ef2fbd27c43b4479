#include "octet/quantize/ranges_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "octet/system/atomic_file.h"
#include "octet/version.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

class RangesFiles : public testing::Test {
 protected:
  std::string message(const std::string& text, const std::string& hash = "abc") const {
    write_file(path_, text);
    const Error error = failure_of([&] { load_ranges(path_, hash); });
    EXPECT_EQ(error.where(), path_.string());
    return error.message();
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "ranges.json";
};

TEST_F(RangesFiles, ComeBackAsTheyWere) {
  const RangesFile file{.model_hash = "abc",
                        .calibration = "percentile",
                        .percentile = 99.9,
                        .samples = 7,
                        .others = {{"a \"b\"", "mse"}, {"c", "percentile 99.5"}},
                        .ranges = {{"a \"b\"", {-0.1F, 1e-30F}},
                                   {"c", {0, 16777216}},
                                   {"masked", {-std::numeric_limits<float>::infinity(), 3}}}};
  save_ranges(file, path_);
  const RangesFile read = load_ranges(path_, "abc");
  EXPECT_EQ(read.model_hash, "abc");
  EXPECT_EQ(read.calibration, "percentile");
  EXPECT_EQ(read.percentile, 99.9);
  EXPECT_EQ(read.samples, 7);
  EXPECT_EQ(read.others, file.others);
  ASSERT_EQ(read.ranges.size(), 3U);
  for (const auto& [tensor, range] : file.ranges) {
    EXPECT_EQ(read.ranges.at(tensor).min, range.min);
    EXPECT_EQ(read.ranges.at(tensor).max, range.max);
  }
}

TEST_F(RangesFiles, OfAnotherModelAreRefused) {
  save_ranges({.model_hash = std::string(64, '1'), .calibration = "minmax", .samples = 1, .ranges = {{"a", {0, 1}}}},
              path_);
  const Error other = failure_of([&] { load_ranges(path_, std::string(64, '2')); });
  EXPECT_EQ(other.code(), ErrorCode::kUsage);
  EXPECT_EQ(other.message(),
            "its ranges were observed in another model, 111111111111..., and this one is 222222222222...; make ranges "
            "anew with --data SAMPLES --save-ranges FILE");
  EXPECT_EQ(message(R"({"schema": "octet.ranges/1", "calibration": "minmax", "samples": 1, "ranges": {"a": [0, 1]}})"),
            "it does not say which model its ranges were observed in (\"model_sha256\"); make ranges anew with --data "
            "SAMPLES --save-ranges FILE");
}

TEST_F(RangesFiles, ServeRulesThatTheyWereChosenBy) {
  const RangesFile file{.calibration = "minmax", .others = {{"a", "mse"}}};
  const auto refused = [&](const std::string& tensor, const CalibrationOptions& wanted) {
    return failure_of([&] { require_calibrations(file, {{tensor, wanted}}); }).message();
  };
  require_calibrations(file, {{"a", {.method = Calibration::kSquaredError}}, {"b", {}}});
  EXPECT_EQ(refused("a", {}), "the range of tensor a is mse, and a rule wants minmax; give --data to calibrate");
  EXPECT_EQ(refused("b", {.method = Calibration::kPercentile, .percentile = 99.5}),
            "the range of tensor b is minmax, and a rule wants percentile 99.5; give --data to calibrate");
  const RangesFile cut{.calibration = "percentile", .percentile = 99.9};
  require_calibrations(cut, {{"a", {.method = Calibration::kPercentile, .percentile = 99.9}}});
  const Error other = failure_of([&] {
    require_calibrations(cut, {{"a", {.method = Calibration::kPercentile, .percentile = 99}}});
  });
  EXPECT_EQ(other.message(),
            "the range of tensor a is percentile 99.9, and a rule wants percentile 99; give --data to calibrate");
}

TEST_F(RangesFiles, SayWhatIsWrong) {
  const auto with = [&](const std::string& range) {
    return message(R"({"schema": "octet.ranges/1", "model_sha256": "abc", "ranges": {"a": )" + range + "}}");
  };
  EXPECT_EQ(message("[]"), "not a file of ranges with the schema octet.ranges/1");
  EXPECT_EQ(message(R"({"schema": "octet.ranges/1", "ranges": 1})"),
            "not a file of ranges with the schema octet.ranges/1");
  EXPECT_EQ(with("[1]"), "the range of \"a\" is [1]; wanted [min, max]");
  EXPECT_EQ(with("\"x\""), "the range of \"a\" is \"x\"; wanted [min, max]");
  EXPECT_EQ(with("[2, 1]"), "the range of \"a\" is [2, 1]; wanted finite numbers in order");
  EXPECT_EQ(with("[0, 1e39]"), "the range of \"a\" is [0, inf]; wanted finite numbers in order");
  EXPECT_EQ(with("[0, 1]}, \"others\": {\"a\": 1"), "the calibration of \"a\" is 1; wanted text");
  EXPECT_EQ(with("[0, 1]}, \"others\": [0], \"more\": {\"a\": 1"), "\"others\" is not an object");
  EXPECT_EQ(with(std::string(100'000, '[')), "lists and objects lie in one another more than 64 deep");
  EXPECT_EQ(message(std::string(100'000, '[')), "lists and objects lie in one another more than 64 deep");
}

}  // namespace
}  // namespace octet
