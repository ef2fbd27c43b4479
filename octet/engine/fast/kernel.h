// kernel.h: a step of a program made ready: constants packed, sizes known, nothing left to decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/program/program.h"

namespace octet::fast {

struct Simd;        // simd/simd.h
class WeightStore;  // weight_store.h

// How the elements of a value stand in memory. Channels last: [N, spatial..., C] of what is declared as [N, C, spatial...].
enum class Layout { kAsDeclared, kChannelsLast };

// A value of the program with known type and shape.
struct Operand {
  ValueId id = kNoValue;
  DType type = DType::kUndefined;
  Shape shape;  // as declared, whatever the layout
  Layout layout = Layout::kAsDeclared;

  std::int64_t size() const { return element_count(shape); }
};

// Where the elements of each value stand during a run, by ValueId: constants too.
using ValuePointers = std::vector<std::byte*>;

class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  // May be called by several threads, with different places. Touches nothing beyond its inputs and outputs.
  virtual void run(const ValuePointers& places, const Parallel& parallel) const = 0;
  // In a few words, for people: "pairs of int16".
  virtual std::string describe() const = 0;
};

// What a kernel is made from.
struct KernelContext {
  const Program& program;
  const std::vector<Operand>& operands;  // by ValueId; kUndefined where type or shape are not known
  const Simd& simd;
  WeightStore& weights;

  const Operand& at(ValueId value) const { return operands[value]; }
  bool known(ValueId value) const { return value != kNoValue && operands[value].type != DType::kUndefined; }
};

using KernelPtr = std::unique_ptr<const Kernel>;

// Whether there is a kernel of this kind of work for these types, shapes and layouts; where there is none, the step is run by its
// operations. Packs nothing.
bool fits(const work::Convolution& work, const KernelContext& context);
bool fits(const work::MatrixProduct& work, const KernelContext& context);
bool fits(const work::Pairwise& work, const KernelContext& context);
bool fits(const work::Pool& work, const KernelContext& context);
bool fits(const work::Concatenation& work, const KernelContext& context);
bool fits(const work::Selection& work, const KernelContext& context);
bool fits(const work::Table& work, const KernelContext& context);
bool fits(const work::ChannelTables& work, const KernelContext& context);
bool fits(const work::SplitBytes& work, const KernelContext& context);
bool fits(const work::JoinedSum& work, const KernelContext& context);
bool fits(const work::Move& work, const KernelContext& context);
bool fits(const work::Softmax& work, const KernelContext& context);
bool fits(const work::Quantize& work, const KernelContext& context);
bool fits(const work::Dequantize& work, const KernelContext& context);
bool fits(const work::QuantizeDynamically& work, const KernelContext& context);
bool fits(const work::FloatConvolution& work, const KernelContext& context);
bool fits(const work::FloatProduct& work, const KernelContext& context);
bool fits(const work::FloatPool& work, const KernelContext& context);
bool fits(const work::FloatElements& work, const KernelContext& context);
bool fits(const work::FloatSoftmax& work, const KernelContext& context);

// The kernel, of work that fits.
KernelPtr make_kernel(const work::Convolution& work, const KernelContext& context);
KernelPtr make_kernel(const work::MatrixProduct& work, const KernelContext& context);
KernelPtr make_kernel(const work::Pairwise& work, const KernelContext& context);
KernelPtr make_kernel(const work::Pool& work, const KernelContext& context);
KernelPtr make_kernel(const work::Concatenation& work, const KernelContext& context);
KernelPtr make_kernel(const work::Selection& work, const KernelContext& context);
KernelPtr make_kernel(const work::Table& work, const KernelContext& context);
KernelPtr make_kernel(const work::ChannelTables& work, const KernelContext& context);
KernelPtr make_kernel(const work::SplitBytes& work, const KernelContext& context);
KernelPtr make_kernel(const work::JoinedSum& work, const KernelContext& context);
KernelPtr make_kernel(const work::Move& work, const KernelContext& context);
KernelPtr make_kernel(const work::Softmax& work, const KernelContext& context);
KernelPtr make_kernel(const work::Quantize& work, const KernelContext& context);
KernelPtr make_kernel(const work::Dequantize& work, const KernelContext& context);
KernelPtr make_kernel(const work::QuantizeDynamically& work, const KernelContext& context);
KernelPtr make_kernel(const work::FloatConvolution& work, const KernelContext& context);
KernelPtr make_kernel(const work::FloatProduct& work, const KernelContext& context);
KernelPtr make_kernel(const work::FloatPool& work, const KernelContext& context);
KernelPtr make_kernel(const work::FloatElements& work, const KernelContext& context);
KernelPtr make_kernel(const work::FloatSoftmax& work, const KernelContext& context);

// Memory of the calling thread for what a kernel needs meanwhile, aligned to 64 bytes; valid until the next call by the
// same thread for the same use. No allocation where an earlier call asked for as much.
enum class Use { kPiece, kWhole };  // by a block of parallel work, or around all of them
std::byte* scratch(std::size_t bytes, Use use = Use::kPiece);

}  // namespace octet::fast
