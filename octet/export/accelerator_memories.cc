#include "octet/export/accelerator_memories.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "octet/export/step_fields.h"
#include "octet/spec/interval.h"

namespace octet {
namespace {

int unsigned_width(std::int64_t greatest) { return signed_width({0, greatest}) - (greatest > 0 ? 1 : 0); }

BitWord step_word(const Accelerator& to, const AcceleratorStep& step, int field_bits) {
  BitWord word;
  const std::span<const StepField> fields = step_fields();
  for (auto field = fields.rbegin(); field != fields.rend(); ++field)
    word.append(field->value(to, step), field->bits == kFieldBits ? field_bits : field->bits);
  return word;
}

// Exceptions, as far as accumulators get there.
std::vector<RequantizerException> reachable(const ChannelConstants& channel) {
  std::vector<RequantizerException> exceptions;
  for (RequantizerException exception : channel.requantizer.exceptions) {
    exception.first = std::max(exception.first, channel.reach.least);
    exception.last = std::min(exception.last, channel.reach.greatest);
    if (exception.first <= exception.last) exceptions.push_back(exception);
  }
  return exceptions;
}

void append(BitWord& word, const ChannelConstants& channel, const AcceleratorWidths& widths) {
  const IntegerRequantizer& requantizer = channel.requantizer;
  word.append(channel.start, widths.acc);
  word.append(requantizer.m, widths.m);
  word.append(requantizer.addend, widths.sum);
  word.append(requantizer.shift, widths.shift);
  const std::vector<RequantizerException> exceptions = reachable(channel);
  for (int e = 0; e < widths.exceptions; ++e) {
    const bool used = e < static_cast<int>(exceptions.size());
    const RequantizerException exception = used ? exceptions[static_cast<std::size_t>(e)] : RequantizerException{};
    word.append(exception.first, widths.acc);
    word.append(exception.last - exception.first, widths.length);
    word.append(exception.value, 8);
    word.append(used ? 1 : 0, 1);
  }
}

BitWord addition_word(const AcceleratorStep& step, const AcceleratorWidths& widths) {
  const IntegerAddition addition = step.addition.value_or(IntegerAddition{});
  BitWord word;
  word.append(addition.ma, widths.add_m);
  word.append(addition.mb, widths.add_m);
  word.append(addition.addend, widths.add_sum);
  word.append(addition.shift, widths.add_shift);
  for (int e = 0; e < widths.add_exceptions; ++e) {
    const bool used = e < static_cast<int>(addition.exceptions.size());
    const PairException exception = used ? addition.exceptions[static_cast<std::size_t>(e)] : PairException{};
    word.append(exception.a, 9);
    word.append(exception.first, 9);
    word.append(exception.last, 9);
    word.append(std::clamp(exception.value, step.low, step.high), 8);
    word.append(used ? 1 : 0, 1);
  }
  return word;
}

void include(AcceleratorWidths& widths, const ChannelConstants& channel) {
  const octet::IntegerWidths numbers = octet::widths(channel.requantizer, channel.reach);
  widths.acc = std::max(widths.acc, signed_width(channel.reach));
  widths.acc = std::max(widths.acc, signed_width({channel.start, channel.start}));
  widths.m = std::max(widths.m, signed_width({channel.requantizer.m, channel.requantizer.m}));
  widths.sum =
      std::max({widths.sum, numbers.sum, signed_width({channel.requantizer.addend, channel.requantizer.addend})});
  widths.shift = std::max(widths.shift, unsigned_width(channel.requantizer.shift));
  const std::vector<RequantizerException> exceptions = reachable(channel);
  widths.exceptions = std::max(widths.exceptions, static_cast<int>(exceptions.size()));
  for (const RequantizerException& exception : exceptions)
    widths.length = std::max(widths.length, unsigned_width(exception.last - exception.first));
}

void include(AcceleratorWidths& widths, const IntegerAddition& addition) {
  widths.add_m =
      std::max({widths.add_m, signed_width({addition.ma, addition.ma}), signed_width({addition.mb, addition.mb})});
  widths.add_sum =
      std::max({widths.add_sum, octet::widths(addition).sum, signed_width({addition.addend, addition.addend})});
  widths.add_shift = std::max(widths.add_shift, unsigned_width(addition.shift));
  widths.add_exceptions = std::max(widths.add_exceptions, static_cast<int>(addition.exceptions.size()));
}

}  // namespace

AcceleratorWidths accelerator_widths(const Accelerator& to) {
  AcceleratorWidths widths;
  std::int64_t greatest = std::max({static_cast<std::int64_t>(to.weights.size()), to.image_words, to.bank_words[0],
                                    to.bank_words[1], to.tensors[to.image].channels});
  for (const AcceleratorStep& step : to.steps) {
    for (const ChannelConstants& channel : step.channels) include(widths, channel);
    if (step.addition) include(widths, *step.addition);
    for (const StepField& field : step_fields())
      if (field.bits == kFieldBits) greatest = std::max(greatest, std::abs(field.value(to, step)));
    greatest = std::max({greatest, step.input_rows + step.kernel_rows, step.input_columns + step.kernel_columns});
  }
  widths.field = unsigned_width(greatest) + 1;
  for (const std::vector<std::int16_t>& word : to.weights)
    for (const std::int16_t w : word) widths.w = std::max(widths.w, signed_width({w, w}));
  // The adder tree ends in the accumulator.
  widths.acc = std::max(widths.acc, 9 + widths.w + to.shape.levels);
  return widths;
}

AcceleratorMemories accelerator_memories(const Accelerator& to, const AcceleratorWidths& widths) {
  AcceleratorMemories memories;
  for (const AcceleratorStep& step : to.steps) {
    memories.steps.push_back(step_word(to, step, widths.field));
    memories.additions.push_back(addition_word(step, widths));
    for (std::size_t m = 0; m < step.channels.size(); m += static_cast<std::size_t>(to.shape.requantizers)) {
      BitWord& word = memories.channels.emplace_back();
      for (int r = 0; r < to.shape.requantizers; ++r)
        append(word, step.channels[m + static_cast<std::size_t>(r)], widths);
    }
  }
  for (const std::vector<std::int16_t>& weights : to.weights) {
    BitWord& word = memories.weights.emplace_back();
    for (const std::int16_t w : weights) word.append(w, widths.w);
  }
  return memories;
}

}  // namespace octet
