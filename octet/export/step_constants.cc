#include "octet/export/step_constants.h"

#include <algorithm>
#include <map>

#include "octet/base/fail.h"

namespace octet {
namespace {

using namespace integer;

template <typename T>
Tensor list(const std::vector<T>& numbers) {
  return Tensor::from<T>({static_cast<std::int64_t>(numbers.size())}, std::span<const T>(numbers));
}

class ConstantsFinder {
 public:
  ConstantsFinder(const IntegerProgram& program, std::vector<StepConstant>& found) : program_(program), found_(found) {}

  void operator()(const Convolution& step) {
    add_sum(step.sum);
    add_epilogue(step.epilogue);
  }
  void operator()(const MatrixProduct& step) {
    add_sum(step.sum);
    add_epilogue(step.epilogue);
  }
  void operator()(const Pairwise& step) {
    add_pair(step.pair);
    add_epilogue(step.epilogue);
  }
  void operator()(const Average& step) {
    add("starts", list<std::int32_t>({step.start}));
    add_epilogue(step.epilogue);
  }
  void operator()(const Maximum& step) { add_epilogue(step.epilogue); }
  void operator()(const Concatenation& step) {
    std::vector<NumberTable> tables;
    for (const Concatenation::Part& part : step.parts) tables.push_back(part.table);
    add_tables("tables", tables, step.y);
  }
  void operator()(const Selection& step) { add_tables("tables", {step.a.table, step.b.table}, step.y); }
  void operator()(const integer::Table& step) { add_table(step.table, step.y); }
  void operator()(const ChannelTables& step) { add_tables("tables", step.tables, step.y); }
  void operator()(const Move& step) {
    if (!step.indices.empty()) add("indices", list(step.indices));
  }

 private:
  void add(const std::string& what, Tensor elements) {
    const int number = ++count_[what];
    found_.push_back({number == 1 ? what : what + "_" + std::to_string(number), std::move(elements)});
  }

  void add_sum(const Sum& sum) {
    add("starts", list(sum.starts));
    if (std::ranges::any_of(sum.w_zero_points, [](std::int32_t z) { return z != 0; }))
      add("w_zero_points", list(sum.w_zero_points));
  }

  void add_epilogue(const Epilogue& epilogue) {
    for (const Stage& stage : epilogue) {
      if (const auto* requantize = std::get_if<Requantize>(&stage)) add_requantizers(requantize->channels);
      if (std::holds_alternative<LookUp>(stage) || std::holds_alternative<Combine>(stage))
        fail(ErrorCode::kUnsupported,
             "a step does the work of several: export the program before epilogues are grouped");
    }
  }

  void add_requantizers(const std::vector<IntegerRequantizer>& channels) {
    std::vector<std::int32_t> m;  // of at most 31 bits
    std::vector<std::int64_t> addend, exceptions;
    std::vector<std::uint8_t> shift;
    for (std::size_t channel = 0; channel < channels.size(); ++channel) {
      m.push_back(static_cast<std::int32_t>(channels[channel].m));
      addend.push_back(channels[channel].addend);
      shift.push_back(static_cast<std::uint8_t>(channels[channel].shift));
      for (const RequantizerException& exception : channels[channel].exceptions)
        exceptions.insert(exceptions.end(), {static_cast<std::int64_t>(channel), exception.first, exception.last,
                                             std::int64_t{exception.value}});
    }
    add("m", list(m));
    add("addend", list(addend));
    add("shift", list(shift));
    add_exceptions(exceptions);
  }

  void add_exceptions(const std::vector<std::int64_t>& rows) {
    if (!rows.empty()) add("exceptions", list(rows).reshaped({static_cast<std::int64_t>(rows.size() / 4), 4}));
  }

  void add_pair(const Pair& pair) {
    std::vector<std::int64_t> exceptions;
    if (const auto* addition = std::get_if<IntegerAddition>(&pair)) {
      add("pair", list<std::int64_t>({addition->ma, addition->mb, addition->addend, addition->shift}));
      for (const PairException& exception : addition->exceptions)
        exceptions.insert(exceptions.end(), {exception.a, exception.first, exception.last, exception.value});
    } else {
      const auto& product = std::get<Multiplication>(pair);
      const IntegerRequantizer& requantize = product.requantize;
      add("pair", list<std::int64_t>(
                      {product.a_zero_point, product.b_zero_point, requantize.m, requantize.addend, requantize.shift}));
      for (const RequantizerException& exception : requantize.exceptions)
        exceptions.insert(exceptions.end(), {0, exception.first, exception.last, exception.value});
    }
    add_exceptions(exceptions);
  }

  void add_table(const NumberTable& table, TensorId y) { add("table", tables_tensor({table}, y).reshaped({256})); }
  void add_tables(const std::string& what, const std::vector<NumberTable>& tables, TensorId y) {
    add(what, tables_tensor(tables, y));
  }

  Tensor tables_tensor(const std::vector<NumberTable>& tables, TensorId y) const {
    std::vector<std::int32_t> numbers;
    for (const NumberTable& table : tables) numbers.insert(numbers.end(), table.begin(), table.end());
    const Tensor wide = list(numbers).reshaped({static_cast<std::int64_t>(tables.size()), 256});
    const DType type = program_.tensors[y].type;
    const Tensor narrow = convert(wide, type);
    return convert(narrow, DType::kInt32).identical(wide) ? narrow : wide;
  }

  const IntegerProgram& program_;
  std::vector<StepConstant>& found_;
  std::map<std::string, int> count_;
};

}  // namespace

std::vector<StepConstant> step_constants(const IntegerProgram& program, const IntegerStep& step) {
  std::vector<StepConstant> found;
  ConstantsFinder finder(program, found);
  std::visit(finder, step.task);
  return found;
}

}  // namespace octet
