#include "octet/evaluate/evaluation.h"

#include "octet/base/fail.h"
#include "octet/text/json.h"
#include "octet/text/json_finite.h"
#include "octet/version.h"

namespace octet {
namespace {

Json name_json(const Evaluation& found, std::int64_t label) {
  const auto place = static_cast<std::size_t>(label);
  return label >= 0 && place < found.class_names.size() ? Json(found.class_names[place]) : Json();
}

Json results_json(const Score& score, const Evaluation& found) {
  Json results = Json::array();
  for (std::size_t i = 0; i < score.predictions().size(); ++i) {
    const bool known = i < found.sources.size();
    results.push_back({{"file", known ? Json(found.sources[i].file) : Json()},
                       {"number", known ? Json(found.sources[i].number) : Json()},
                       {"label", score.labels()[i]},
                       {"class", name_json(found, score.labels()[i])},
                       {"prediction", score.predictions()[i]},
                       {"predicted_class", name_json(found, score.predictions()[i])},
                       {"score", json_finite(score.best_scores()[i])}});
  }
  return results;
}

Json score_json(const Score& score, const std::string& file, const Evaluation& found) {
  return {{"file", file},
          {"samples", score.samples()},
          {"classes", score.classes()},
          {"top1", score.top1()},
          {"top5", score.top5()},
          {"per_class", {{"samples", score.labelled_per_class()}, {"right", score.right_per_class()}}},
          {"confusion", score.confusion()},
          {"predictions", score.predictions()},
          {"results", results_json(score, found)}};
}

}  // namespace

double Evaluation::drop() const {
  if (!baseline) fail(ErrorCode::kUsage, "there is no baseline to compare with");
  return points_lost(*baseline, score);
}

bool Evaluation::passed() const { return !max_drop || drop() <= *max_drop; }

std::string evaluation_json(const Evaluation& found, const EvaluationSource& source) {
  Json json = {{"schema", "octet.evaluate/1"},    {"octet", kVersion},
               {"policy", source.policy},         {"engine", source.engine},
               {"arithmetic", source.arithmetic}, {"model", score_json(found.score, source.model, found)}};
  json["class_names"] = found.class_names;
  if (found.baseline) {
    const Agreement a = compare(*found.baseline, found.score);
    json["baseline"] = score_json(*found.baseline, source.baseline, found);
    json["agreement"] = {{"same_prediction", a.same_prediction},
                         {"only_baseline_right", a.only_first_right},
                         {"only_model_right", a.only_second_right},
                         {"p_value", json_number(a.p_value)}};
    if (found.max_drop)
      json["verdict"] = {
          {"max_drop", json_number(*found.max_drop)}, {"drop", json_number(found.drop())}, {"passed", found.passed()}};
  }
  return json_text(json);
}

}  // namespace octet
