#include "octet/export/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "octet/base/fail.h"
#include "octet/export/identifiers.h"
#include "octet/export/support/c_floats.h"
#include "octet/export/support/c_header.h"
#include "octet/export/support/c_integers.h"
#include "octet/export/support/c_nest.h"
#include "octet/integer/integer_steps.h"
#include "octet/program/prepare.h"

namespace octet {
namespace {

const work::Requantize* float32_stage(const Step& step) {
  if (!sum_of(step.work)) return nullptr;
  const std::vector<work::Stage>& stages = *epilogue_of(step.work);
  return stages.empty() ? nullptr : std::get_if<work::Requantize>(&stages.front());
}

// Values that are not constants, each under the name that run() has for it.
class CProgram {
 public:
  CProgram(const Program& program, const CSourceOptions& options)
      : program_(prepare(program, Target::kC)),
        options_(options),
        integers_(integer_steps(program_)),
        values_(program_) {
    refuse_steps();
    Identifiers names;
    for (const char* header :
         {"assert", "ctype",  "errno",   "fenv",   "float",  "inttypes", "limits", "locale", "math", "setjmp",
          "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio",    "stdlib", "string", "time", "wchar"})
      names.make(header);  // taken: a file of such a name would hide the system's
    result_.name = options.name.empty() ? names.make(program.name.empty() ? "network" : program.name) : options.name;
    if (!options.name.empty() && names.make(options.name) != options.name)
      fail(ErrorCode::kUsage, "the name {} is that of a header of C; choose another", options.name);
    name_ports();
  }

  CSource make() {
    for (std::size_t s = 0; s < program_.steps.size(); ++s) write_step(s);
    write_border();
    result_.memory_bytes = values_.memory_bytes();
    result_.scratch_bytes = scratch_;
    const CHeader header{program_, values_, result_};
    result_.header = {result_.name + ".h", header_text(header)};
    result_.source = {result_.name + ".c", source_text()};
    return result_;
  }

 private:
  void refuse_steps() {
    std::string list;
    std::size_t refused = 0;
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      const Step& step = program_.steps[s];
      const std::string why = integers_.tasks[s] && !std::holds_alternative<work::Move>(step.work)
                                  ? c_refusal(integers_, *integers_.tasks[s])
                                  : c_refusal(program_, values_, step);
      if (why.empty()) continue;
      ++refused;
      list += fmt::format("\n  {} ({}): {}", step.name, operators_of(step, ", "), why);
    }
    const std::string what = fmt::format("{} of {} steps", refused, program_.steps.size());
    for (const ProgramInput& input : program_.inputs) list += port_refusal("input", input.value);
    for (const ValueId output : program_.outputs) list += port_refusal("output", output);
    if (!list.empty())
      fail(ErrorCode::kUnsupported, "{} can't be exported to C:{}", refused > 0 ? what : "the network", list);
  }
  std::string port_refusal(const char* what, ValueId id) const {
    const ProgramValue& value = program_.values[id];
    if (c_type(value.dtype).empty())
      return fmt::format("\n  {} {}: it is {}", what, value.name, octet::name(value.dtype));
    const bool known = value.shape && concrete(*value.shape);
    return known ? "" : fmt::format("\n  {} {}: its shape is not known", what, value.name);
  }

  void name_ports() {
    for (const ProgramInput& input : program_.inputs)
      result_.inputs.push_back({input.value, ports_.make(program_.values[input.value].name)});
    for (const ValueId output : program_.outputs)
      result_.outputs.push_back({output, ports_.make(program_.values[output].name)});
  }

  std::string step_name(std::size_t s) const {
    Identifiers names;
    return fmt::format("step{}_{}", s + 1, names.make(program_.steps[s].name));
  }

  void write_step(std::size_t s) {
    const Step& step = program_.steps[s];
    const auto* move = std::get_if<work::Move>(&step.work);
    if (move && move->only_renames && values_.same_place(move->sources[0], move->y)) {
      calls_.push_back(
          {fmt::format("/* step {}: {}: the same elements under another shape */", s + 1, comment_text(step.name)),
           outputs_of(program_, step), s});
      return;
    }
    CStep to(program_, values_, helpers_, step_name(s));
    to.say("Step {}: {} ({})", s + 1, comment_text(step.name), operators_of(step, ", "));
    say_values(to, "reads", inputs_of(program_, step));
    say_values(to, "makes", outputs_of(program_, step));
    to.say("");
    if (integers_.tasks[s] && !move)
      write_integers(to, integers_, *integers_.tasks[s], options_.float32_requantize ? float32_stage(step) : nullptr);
    else
      write_floats(to, step);
    steps_ += to.text();
    scratch_ = std::max(scratch_, to.scratch_bytes());
    calls_.push_back({call_of(to), outputs_of(program_, step), s});
  }

  void say_values(CStep& to, const char* verb, const std::vector<ValueId>& values) const {
    for (const ValueId id : values) {
      const CValue& value = values_[id];
      to.say("{} {}: {} {}{}", verb, comment_text(program_.values[id].name), octet::name(value.type),
             to_string(value.shape), value.channels_last ? ", channels last in memory" : "");
    }
  }

  // How run() calls a step.
  std::string call_of(const CStep& step) {
    std::string arguments;
    for (const CStep::Argument& argument : step.arguments())
      arguments += (arguments.empty() ? "" : ", ") + pointer(argument.value);
    return fmt::format("{}({});", step.name(), arguments);
  }

  std::string pointer(ValueId id) {
    const CPlace place = values_.place(id);
    switch (place.kind) {
      case CPlace::Kind::kInput: return "in_" + result_.inputs[static_cast<std::size_t>(place.number)].identifier;
      case CPlace::Kind::kOutput: return "out_" + result_.outputs[static_cast<std::size_t>(place.number)].identifier;
      case CPlace::Kind::kConstant: return constant(id);
      default: return fmt::format("(void *)(memory.bytes + {})", place.number);
    }
  }

  // Constants that steps read as they read other values.
  std::string constant(ValueId id) {
    const std::string name = fmt::format("constant{}", id);
    if (std::find(constants_known_.begin(), constants_known_.end(), id) != constants_known_.end()) return name;
    constants_known_.push_back(id);
    const Tensor& tensor = program_.values[id].constant;
    std::string elements;
    if (tensor.dtype() == DType::kFloat) {
      elements = c_elements(tensor.as<float>());
    } else {
      const std::vector<std::int64_t> numbers = tensor.to_ints();
      elements = c_elements(std::span<const std::int64_t>(numbers));
    }
    constants_ +=
        fmt::format("/* {}: {} {} */\nstatic const {} {}[{}] = {{\n{}}};\n\n", comment_text(program_.values[id].name),
                    octet::name(tensor.dtype()), to_string(tensor.shape()), c_type(tensor.dtype()), name,
                    std::max<std::int64_t>(tensor.size(), 1), tensor.size() == 0 ? "0" : elements);
    return name;
  }

  // The steps between the float border, where all of them are of integers.
  void write_border() {
    IntegerProgram between;
    try {
      between = integer_program(program_, {.host_border = true});
    } catch (const Error&) {
      return;
    }
    if (between.before.empty() && between.after.empty()) return;
    std::vector<bool> host(program_.steps.size());
    for (const HostStep& step : between.before) host[step.step] = true;
    for (const HostStep& step : between.after) host[step.step] = true;
    const auto id_of = [&](TensorId tensor) {
      for (ValueId id = 0; id < program_.values.size(); ++id)
        if (program_.values[id].name == between.tensors[tensor].name) return id;
      return kNoValue;
    };
    for (const TensorId tensor : between.inputs) add_integer_port(result_.integer_inputs, id_of(tensor));
    for (const TensorId tensor : between.outputs) add_integer_port(result_.integer_outputs, id_of(tensor));
    // What the host makes for an output of the network has no place of its own to be taken to.
    const auto is_given_away = [&](const CTensor& port) {
      return values_.place(port.value).kind == CPlace::Kind::kOutput;
    };
    if (std::any_of(result_.integer_inputs.begin(), result_.integer_inputs.end(), is_given_away)) {
      result_.integer_inputs.clear();
      result_.integer_outputs.clear();
      return;
    }
    // Between the order of the caller and that of the program's memory.
    for (const CTensor& input : result_.integer_inputs) write_crossing(input, true);
    for (const Call& call : calls_)
      if (!host[call.step]) integer_calls_.push_back(call);
    for (const CTensor& output : result_.integer_outputs) write_crossing(output, false);
  }

  // Under the name of the port whose memory it has, if it has one.
  CTensor integer_port(ValueId id) {
    const CPlace place = values_.place(id);
    const auto number = static_cast<std::size_t>(place.number);
    if (place.kind == CPlace::Kind::kInput) return {id, result_.inputs[number].identifier};
    if (place.kind == CPlace::Kind::kOutput) return {id, result_.outputs[number].identifier};
    return {id, ports_.make(program_.values[id].name)};
  }

  // One for all values that stand in the same memory of the caller.
  void add_integer_port(std::vector<CTensor>& ports, ValueId id) {
    const CTensor port = integer_port(id);
    const auto same = [&](const CTensor& other) { return other.identifier == port.identifier; };
    if (std::none_of(ports.begin(), ports.end(), same)) ports.push_back(port);
  }

  void write_crossing(const CTensor& port, bool inwards) {
    const CPlace place = values_.place(port.value);
    if (place.kind != CPlace::Kind::kMemory) return;  // the caller's memory itself
    const CValue& value = values_[port.value];
    CStep to(program_, values_, helpers_, (inwards ? "take_" : "give_") + port.identifier);
    to.say("{}: {}", comment_text(program_.values[port.value].name),
           inwards ? "from the caller's order to the program's" : "from the program's order to the caller's");
    to.parameter(fmt::format("const {} *from", c_type(value.type)));
    to.parameter(fmt::format("{} *restrict to", c_type(value.type)));
    const std::vector<std::int64_t> plain = strides_of(value.shape);
    {
      const CNest nest(to, value.shape, {inwards ? value.strides() : plain, inwards ? plain : value.strides()});
      to.line("for (ptrdiff_t i = 0; i < {}; ++i) to[{}] = from[{}];", nest.count(), nest.at(0), nest.at(1));
    }
    steps_ += to.text();
    const std::string own = fmt::format("(void *)(memory.bytes + {})", place.number);
    const std::string theirs = (inwards ? "in_" : "out_") + port.identifier;
    integer_calls_.push_back(
        {fmt::format("{}({}, {});", to.name(), inwards ? theirs : own, inwards ? own : theirs), {}, 0});
  }

  struct Call {
    std::string text;
    std::vector<ValueId> makes;
    std::size_t step;
  };

  std::string calls_text(const std::vector<Call>& calls, bool traces) {
    std::string text;
    for (const Call& call : calls) {
      text += "  " + call.text + "\n";
      for (const ValueId id : call.makes) {
        if (!traces) continue;
        text += fmt::format("  TRACE({}, {});\n", result_.traced.size(), pointer(id));
        result_.traced.push_back({id, "", values_[id].channels_last});
      }
    }
    return text;
  }

  // Outputs that no step writes where the caller wants them: inputs, constants, one value twice.
  std::string copies_text() {
    std::string text;
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
      const ValueId id = program_.outputs[k];
      const CPlace place = values_.place(id);
      if (place.kind == CPlace::Kind::kOutput && place.number == static_cast<std::int64_t>(k)) continue;
      const std::string type = c_type(values_[id].type);
      text += fmt::format("  for (ptrdiff_t i = 0; i < {}; ++i) out_{}[i] = ((const {} *){})[i];\n",
                          values_[id].elements(), result_.outputs[k].identifier, type, pointer(id));
    }
    return text;
  }

  std::string source_text() {
    const std::string run = calls_text(calls_, true), copies = copies_text();
    const std::string integers = calls_text(integer_calls_, false);
    const std::string upper = upper_case(result_.name);
    std::string text = fmt::format(
        "/* {}: the integer program of a network, in C99. Made by Octet; nothing here is written by hand.\n"
        " *\n"
        " * Each step is a function below its formula; run() calls them in order. acc is a sum of 32 bits that wraps, "
        ">>\n"
        " * rounds down, saturate() goes to the nearer end of the result's type. */\n"
        "#include \"{}.h\"\n\n#include <float.h>\n#include <limits.h>\n\n{}\n",
        comment_text(program_.name), result_.name, preamble());
    text += helpers_.text();
    text += fmt::format(
        "/* What the steps compute stands here, each value for as long as it is needed; and what a step needs for "
        "itself. */\n"
        "static union {{\n  unsigned char bytes[{0}_MEMORY_BYTES];\n  int64_t aligned;\n}} memory;\n"
        "static union {{\n  unsigned char bytes[{0}_SCRATCH_BYTES];\n  int64_t aligned;\n}} scratch;\n\n"
        "/* Sees every value as soon as it is made, where the macro is set: see {1}_test.c. */\n"
        "#ifdef {0}_TRACE\nvoid {1}_trace(int tensor, const void *elements);\n"
        "#define TRACE(tensor, elements) {1}_trace(tensor, elements)\n#else\n"
        "#define TRACE(tensor, elements) (void)0\n#endif\n\n",
        upper, result_.name);
    text += constants_ + steps_;
    std::string unused = "  (void)memory;\n  (void)scratch;\n";
    for (const CTensor& input : result_.inputs) unused += fmt::format("  (void)in_{};\n", input.identifier);
    text +=
        fmt::format("{} {{\n{}{}{}}}\n", run_prototype(values_, result_.name + "_run", result_.inputs, result_.outputs),
                    unused, run, copies);
    if (!integer_calls_.empty())
      text += fmt::format(
          "\n{} {{\n{}}}\n",
          run_prototype(values_, result_.name + "_run_integers", result_.integer_inputs, result_.integer_outputs),
          integers);
    return text;
  }

  // Float arithmetic as IEEE 754 has it: every operation rounds, and none is contracted with another. FLT_EVAL_METHOD 16, of
  // processors with AVX512-FP16, speaks of _Float16 alone.
  static std::string preamble() {
    return "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \\\n"
           "    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)\n"
           "#error \"results are exact: no -ffast-math, nor a part of it\"\n#endif\n"
           "#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16\n"
           "#error \"float operations must round to float: on x86, -msse2 -mfpmath=sse\"\n#endif\n"
           "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
           "#if __clang_major__ >= 12\n#pragma clang fp reassociate(off)\n#endif\n"
           "#elif defined(__GNUC__)\n#pragma GCC optimize(\"fp-contract=off\")\n#endif\n";
  }

  const Program program_;
  const CSourceOptions& options_;
  const IntegerSteps integers_;
  const CValues values_;
  CHelpers helpers_;
  Identifiers ports_;
  CSource result_;
  std::string steps_, constants_;
  std::vector<ValueId> constants_known_;
  std::vector<Call> calls_, integer_calls_;
  std::int64_t scratch_ = 0;
};

}  // namespace

CSource c_source(const Program& program, const CSourceOptions& options) { return CProgram(program, options).make(); }

}  // namespace octet
