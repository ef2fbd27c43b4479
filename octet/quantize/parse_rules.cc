#include <algorithm>
#include <charconv>

#include "octet/base/fail.h"
#include "octet/quantize/selection.h"
#include "octet/text/json.h"

namespace octet {
namespace {

[[noreturn]] void refuse(std::size_t rule, const std::string& what) {
  fail(ErrorCode::kUsage, "rule {}: {}", rule + 1, what);
}

// Every key of `object` must be one of `known`.
void check_keys(const Json& object, std::initializer_list<const char*> known, std::size_t rule) {
  if (!object.is_object()) refuse(rule, "wanted an object, found " + json_excerpt(object));
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      std::string list;
      for (const char* name : known) list += std::string(list.empty() ? "" : ", ") + name;
      refuse(rule, "there is no " + json_excerpt(key) + "; wanted " + list);
    }
}

std::string text_of(const Json& value, const char* key, std::size_t rule) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  refuse(rule, fmt::format("\"{}\" is {}; wanted text", key, json_excerpt(value)));
}

bool flag_of(const Json& value, const char* key, std::size_t rule) {
  if (!value.is_boolean()) refuse(rule, fmt::format("\"{}\" is {}; wanted true or false", key, json_excerpt(value)));
  return value.get<bool>();
}

std::int64_t index_of(const std::string& key, std::size_t rule) {
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (error != std::errc() || end != key.data() + key.size()) refuse(rule, json_excerpt(key) + " is not an index");
  return index;
}

DType dtype_named(const std::string& text, std::size_t rule) {
  for (int i = 1; i < kDTypeCount; ++i)
    if (name(static_cast<DType>(i)) == text) return static_cast<DType>(i);
  refuse(rule, "there is no element type " + json_excerpt(text));
}

Predicate predicate_of(const Json& value, const char* key, std::size_t rule) {
  const std::string text = text_of(value, key, rule);
  try {
    return Predicate(text);
  } catch (const Error& error) {
    refuse(rule, error.what());
  }
}

ValueCondition condition_of(const Json& object, std::size_t rule) {
  check_keys(object, {"rank", "type", "dims"}, rule);
  ValueCondition condition;
  if (object.contains("rank")) condition.rank = predicate_of(object["rank"], "rank", rule);
  if (object.contains("type")) condition.dtype = dtype_named(text_of(object["type"], "type", rule), rule);
  if (object.contains("dims")) {
    if (!object["dims"].is_object()) refuse(rule, "\"dims\" wants an object of index and condition");
    for (const auto& [key, value] : object["dims"].items())
      condition.dims.emplace(index_of(key, rule), predicate_of(value, "dims", rule));
  }
  return condition;
}

void read_conditions(const Json& match, const char* key, std::map<std::size_t, ValueCondition>& conditions,
                     std::size_t rule) {
  if (!match.contains(key)) return;
  if (!match[key].is_object()) refuse(rule, fmt::format("\"{}\" wants an object of index and condition", key));
  for (const auto& [index, condition] : match[key].items()) {
    const std::int64_t position = index_of(index, rule);
    if (position < 0) refuse(rule, fmt::format("\"{}\" has the index {}", key, position));
    conditions.emplace(static_cast<std::size_t>(position), condition_of(condition, rule));
  }
}

DType activations_of(const Json& value, std::size_t rule) {
  const std::string wanted = text_of(value, "activations", rule);
  for (const DType dtype : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16})
    if (name(dtype) == wanted) return dtype;
  refuse(rule, fmt::format("\"activations\" is {}; wanted int8, uint8, int16 or uint16", wanted));
}

Range range_of(const Json& value, std::size_t rule) {
  if (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number()) {
    const Range range{value[0].get<float>(), value[1].get<float>()};
    if (is_finite(range) && range.min <= range.max) return range;
  }
  refuse(rule, fmt::format("\"range\" is {}; wanted two finite numbers in order", json_excerpt(value)));
}

void read_calibration(const Json& entry, NodeChoice& choice, std::size_t rule) {
  if (!entry.contains("calibration")) {
    if (entry.contains("percentile")) refuse(rule, "\"percentile\" goes with \"calibration\": \"percentile\"");
    return;
  }
  if (choice.range)
    refuse(rule, "\"range\" and \"calibration\" both say what range the result has; wanted one of them");
  const std::string wanted = text_of(entry["calibration"], "calibration", rule);
  try {
    choice.calibration = calibration_named(wanted);
    if (!entry.contains("percentile")) return;
    if (choice.calibration != Calibration::kPercentile)
      fail(ErrorCode::kUsage, "\"percentile\" goes with \"calibration\": \"percentile\"");
    if (!entry["percentile"].is_number())
      fail(ErrorCode::kUsage, "\"percentile\" is {}; wanted a number", json_excerpt(entry["percentile"]));
    choice.percentile = entry["percentile"].get<double>();
    check_percentile(*choice.percentile);
  } catch (const Error& error) {
    refuse(rule, error.message());
  }
}

NodeRule rule_of(const Json& entry, std::size_t i) {
  check_keys(
      entry,
      {"match", "quantize", "per_channel", "symmetric_weights", "activations", "range", "calibration", "percentile"},
      i);
  NodeRule rule;
  if (entry.contains("match")) {
    const Json& match = entry["match"];
    check_keys(match, {"op_type", "name", "inputs", "outputs"}, i);
    if (match.contains("op_type")) rule.op_type = text_of(match["op_type"], "op_type", i);
    if (match.contains("name")) {
      try {
        rule.name = Pattern(text_of(match["name"], "name", i));
      } catch (const Error& error) {
        refuse(i, error.message());
      }
    }
    read_conditions(match, "inputs", rule.inputs, i);
    read_conditions(match, "outputs", rule.outputs, i);
  }
  if (!entry.contains("quantize")) refuse(i, "\"quantize\" is missing");
  rule.choice.quantize = flag_of(entry["quantize"], "quantize", i);
  if (entry.contains("per_channel")) rule.choice.per_channel = flag_of(entry["per_channel"], "per_channel", i);
  if (entry.contains("symmetric_weights"))
    rule.choice.symmetric_weights = flag_of(entry["symmetric_weights"], "symmetric_weights", i);
  if (entry.contains("activations")) rule.choice.activations = activations_of(entry["activations"], i);
  if (entry.contains("range")) rule.choice.range = range_of(entry["range"], i);
  read_calibration(entry, rule.choice, i);
  if (!rule.choice.quantize && (rule.choice.activations || rule.choice.range || rule.choice.calibration))
    refuse(i, "\"activations\", \"range\" and \"calibration\" are about nodes that are quantized");
  return rule;
}

}  // namespace

std::vector<NodeRule> parse_rules(std::string_view json) {
  const Json document = parse_json(json);
  if (!document.is_array()) fail(ErrorCode::kUsage, "the rules are not a list");
  std::vector<NodeRule> rules;
  for (std::size_t i = 0; i < document.size(); ++i) rules.push_back(rule_of(document[i], i));
  return rules;
}

}  // namespace octet
