#include "octet/evaluate/matching.h"

#include <algorithm>
#include <set>
#include <vector>

#include "octet/base/fail.h"
#include "octet/spec/operators.h"
#include "octet/text/closest_names.h"

namespace octet {
namespace {

// A program as its operations one after the other, and who makes and reads its values.
struct Outline {
  explicit Outline(const Program& of) : program(of), maker(of.values.size()), readers(of.values.size()) {
    for (ValueId id = 0; id < of.values.size(); ++id) ids.emplace(of.values[id].name, id);
    for (const Step& step : of.steps)
      for (const Operation& operation : step.operations) {
        for (const ValueId input : operation.inputs)
          if (input != kNoValue) readers[input].push_back(&operation);
        for (const ValueId output : operation.outputs)
          if (output != kNoValue) maker[output] = &operation;
        operations.push_back(&operation);
      }
    outputs.insert(of.outputs.begin(), of.outputs.end());
  }

  std::optional<ValueId> find(const std::string& name) const {
    const auto it = ids.find(name);
    return it == ids.end() ? std::nullopt : std::optional(it->second);
  }
  const ProgramValue& value(ValueId id) const { return program.values[id]; }
  bool is_known(ValueId id) const { return !value(id).constant.empty(); }

  const Program& program;
  std::map<std::string, ValueId> ids;
  std::vector<const Operation*> operations;
  std::vector<const Operation*> maker;                 // null: inputs and constants
  std::vector<std::vector<const Operation*>> readers;  // once for each time that they read it
  std::set<ValueId> outputs;
};

bool is_op(const Operation* operation, const Operator& op) { return operation && is(operation->op, op); }
bool is_clamp(const Operation* operation) { return operation && has(operation->op, Trait::kClamp); }

// The reader that is a QuantizeLinear (DequantizeLinear), or null.
const Operation* reader_that_is(const Outline& of, ValueId value, const Operator& op) {
  const auto& readers = of.readers[value];
  const auto found = std::ranges::find_if(readers, [&](const Operation* reader) { return is_op(reader, op); });
  return found == readers.end() ? nullptr : *found;
}

// What the readers of a value read, behind its QuantizeLinear.
ValueId as_read(const Outline& of, ValueId value) {
  const Operation* quantize = reader_that_is(of, value, ops::kQuantizeLinear);
  if (!quantize || of.outputs.contains(value)) return value;
  const Operation* dequantize = reader_that_is(of, quantize->outputs[0], ops::kDequantizeLinear);
  return dequantize ? dequantize->outputs[0] : quantize->outputs[0];
}

// By value: nothing but QuantizeLinear reads it, or clamps in front of one.
std::vector<bool> on_the_way(const Outline& of) {
  std::vector<bool> found(of.program.values.size());
  const auto find = [&](ValueId value) {
    found[value] = !of.outputs.contains(value) && !of.readers[value].empty() &&
                   std::ranges::all_of(of.readers[value], [&](const Operation* reader) {
                     return is_op(reader, ops::kQuantizeLinear) || (is_clamp(reader) && found[reader->outputs[0]]);
                   });
  };
  for (auto operation = of.operations.rbegin(); operation != of.operations.rend(); ++operation)
    for (const ValueId output : (*operation)->outputs)
      if (output != kNoValue) find(output);
  for (const ProgramInput& input : of.program.inputs) find(input.value);
  return found;
}

// The operator whose work a quantized one does. One that adds a float bias does more than its float form.
const Operator& plain_operator(const Operator& op) {
  return op.float_form && !input_number(op, Role::kFloatBias) ? *op.float_form : op;
}

bool is_passed_over(const Operation& operation) {
  const auto found = [&](const Operator& op) { return is(operation.op, op); };
  return is_clamp(&operation) || found(ops::kQuantizeLinear) || found(ops::kDequantizeLinear) ||
         found(ops::kDynamicQuantizeLinear) || found(ops::kIdentity) || found(ops::kBatchNormalization) ||
         found(ops::kDropout);
}

// Values by how they are computed: those with one key are one value, converted, clamped and normalized.
class Structure {
 public:
  explicit Structure(std::map<std::string, int>& numbers) : numbers_(numbers) {}

  // The last value of each key, by key.
  std::map<std::string, ValueId> last_values(const Outline& of) {
    std::vector<int> keys(of.program.values.size(), -1);
    std::map<std::string, ValueId> last;
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < of.program.inputs.size(); ++i) {
      const std::string text = fmt::format("input {}", i);
      keys[of.program.inputs[i].value] = number(text);
      last[text] = of.program.inputs[i].value;
    }
    std::map<int, std::string> texts;
    for (const auto& [text, value] : last) texts[number(text)] = text;
    for (const Operation* operation : of.operations) {
      if (operation->outputs.empty() || operation->outputs[0] == kNoValue) continue;
      const ValueId result = operation->outputs[0];
      if (is_passed_over(*operation)) {
        keys[result] = operation->inputs[0] == kNoValue ? -1 : keys[operation->inputs[0]];
        if (keys[result] >= 0) last[texts.at(keys[result])] = result;
        continue;
      }
      std::string text(plain_operator(*operation->op).name);
      for (const ValueId input : operation->inputs)
        if (input != kNoValue && keys[input] >= 0) text += fmt::format(" {}", keys[input]);
      text += fmt::format(" #{}", ++seen[text]);
      keys[result] = number(text);
      texts[keys[result]] = text;
      last[text] = result;
    }
    return last;
  }

 private:
  int number(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<int>(numbers_.size())).first->second;
  }

  std::map<std::string, int>& numbers_;
};

bool can_be_equal(const std::optional<SymbolicShape>& a, const std::optional<SymbolicShape>& b) {
  if (!a || !b) return true;
  return std::ranges::equal(*a, *b, [](const Dim& x, const Dim& y) { return !x.known() || !y.known() || x == y; });
}

class Matcher {
 public:
  Matcher(const Program& reference, const Program& candidate)
      : reference_(reference), candidate_(candidate), is_on_the_way_(on_the_way(candidate_)) {}

  Matching run(const std::map<std::string, std::string>& map) {
    for (const auto& [name, other] : map)
      add(value_named(reference_, name, "the first network"), value_named(candidate_, other, "the second network"),
          "map");
    std::vector<ValueId> values;
    for (const ProgramInput& input : reference_.program.inputs) values.push_back(input.value);
    for (const Operation* operation : reference_.operations)
      std::ranges::copy_if(operation->outputs, std::back_inserter(values), [](ValueId id) { return id != kNoValue; });
    for (const ValueId value : values)
      if (is_compared(value)) match_by_name(value);
    match_by_structure();
    for (std::size_t i = 0; i < std::min(reference_.program.outputs.size(), candidate_.program.outputs.size()); ++i)
      add(reference_.program.outputs[i], candidate_.program.outputs[i], "output");
    Matching matching;
    for (const ValueId value : values)
      if (const auto pair = pairs_.find(value); pair != pairs_.end())
        matching.pairs.push_back(pair->second);
      else if (is_compared(value) && !passed_.contains(value))
        matching.unmatched.push_back(value);
    return matching;
  }

 private:
  static ValueId value_named(const Outline& of, const std::string& name, const char* network) {
    if (const std::optional<ValueId> id = of.find(name)) return *id;
    std::vector<std::string> names;
    for (const auto& [known, id] : of.ids) names.push_back(known);
    fail(ErrorCode::kUsage, "there is no value {} in {}; did you mean {}?", name, network, closest_names(name, names));
  }

  bool is_compared(ValueId value) const {
    const DType dtype = reference_.value(value).dtype;
    return (is_float(dtype) || reference_.outputs.contains(value)) && !reference_.is_known(value);
  }

  bool add(ValueId value, ValueId other, std::string_view how) {
    if (!can_be_equal(reference_.value(value).shape, candidate_.value(other).shape)) return false;
    return pairs_.try_emplace(value, Pair{value, other, how, reference_.outputs.contains(value)}).second;
  }

  // The clamp that alone reads a value, and that the candidate has not: what it quantizes there is the clamp's result.
  const Operation* dropped_clamp(ValueId value) const {
    if (reference_.outputs.contains(value) || reference_.readers[value].size() != 1) return nullptr;
    const Operation* reader = reference_.readers[value][0];
    return is_clamp(reader) && !candidate_.find(name(reader->outputs[0])) ? reader : nullptr;
  }
  const std::string& name(ValueId value) const { return reference_.value(value).name; }

  void match_by_name(ValueId value) {
    if (const std::optional<ValueId> same = candidate_.find(name(value))) {
      // What the reference rounds itself is compared in front of its rounding; what it makes of it has a name too.
      const bool rounded = as_read(reference_, value) != value;
      const ValueId read = rounded ? *same : as_read(candidate_, *same);
      if (const Operation* clamp = dropped_clamp(value); clamp && read != *same) {
        add(clamp->outputs[0], read, "name");
        passed_.insert(value);
      } else if (read == *same && is_on_the_way_[read]) {
        passed_.insert(value);
      } else {
        add(value, read, "name");
      }
      return;
    }
    for (const char* ending : {"_DequantizeLinear_Output", "_QuantizeLinear_Output", "_quantized"})
      if (const std::optional<ValueId> form = candidate_.find(name(value) + ending))
        if (add(value, *form, "name")) return;
  }

  void match_by_structure() {
    std::map<std::string, int> numbers;
    const auto wanted = Structure(numbers).last_values(reference_), found = Structure(numbers).last_values(candidate_);
    std::set<ValueId> taken;
    for (const auto& [value, pair] : pairs_) taken.insert(pair.candidate);
    for (const auto& [key, value] : wanted) {
      const auto other = found.find(key);
      if (other != found.end() && is_compared(value) && !passed_.contains(value) && !taken.contains(other->second))
        add(value, other->second, "structure");
    }
  }

  const Outline reference_, candidate_;
  const std::vector<bool> is_on_the_way_;  // the candidate's values
  std::map<ValueId, Pair> pairs_;          // by the reference's value
  std::set<ValueId> passed_;               // values that are left out
};

}  // namespace

Matching match(const Program& reference, const Program& candidate, const std::map<std::string, std::string>& map) {
  return Matcher(reference, candidate).run(map);
}

}  // namespace octet
