#include "octet/verify/verify_report.h"

#include <fmt/core.h>

#include "octet/text/json.h"
#include "octet/verify/verification_json.h"
#include "octet/verify/verification_text.h"
#include "octet/version.h"

namespace octet {
namespace {

Json left_out_json(const Verification& verification) {
  Json list = Json::array();
  for (const auto& [rewrite, differing] : verification.left_out)
    list.push_back({{"optimizer", rewrite.optimizer}, {"what", rewrite.what}, {"differing", differing}});
  return list;
}

Json result_json(const VerifyResult& result, const Engine& engine, const std::string& model) {
  Json runs = Json::array();
  for (const VerifiedRun& run : result.runs) {
    Json json = verification_json(run.found, engine.program());
    json["run"] = run.title;
    json["left_out"] = left_out_json(run.found);
    runs.push_back(std::move(json));
  }
  return {{"schema", "octet.verify/1"},
          {"octet", kVersion},
          {"model", model},
          {"policy", name(engine.program().policy)},
          {"engine", engine.name()},
          {"samples", result.samples},
          {"agrees", result.agrees()},
          {"saturation", result.saturation ? Json(saturation_text(*result.saturation)) : Json()},
          {"runs", runs}};
}

}  // namespace

std::string verify_text(const VerifyResult& result, const Program& program, bool all, std::size_t width) {
  std::string text;
  for (const VerifiedRun& run : result.runs)
    text += fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", run.title,
                        verification_text(run.found, program, all, width));
  return result.saturation ? text + "\n" + saturation_text(*result.saturation) : text;
}

std::string verify_json(const VerifyResult& result, const Engine& engine, const std::string& model) {
  return json_text(result_json(result, engine, model));
}

}  // namespace octet
