// work_evaluation.h: the parts of work_evaluator.h: what they know, how they walk over elements, and how a result is finished.
#pragma once

#include <optional>
#include <vector>

#include "octet/spec/arithmetic.h"
#include "tests/program/work_evaluator.h"

namespace octet::evaluation {

inline const Arithmetic kExactly;

struct KnownValues {
  const std::vector<ProgramValue>& values;
  const TensorsById& given;

  const Tensor& at(ValueId value) const { return given.at(value); }
};

// ---- elements

std::int64_t product_of(const Shape& shape, std::size_t begin, std::size_t end);
std::vector<std::int32_t> elements_of(const Tensor& tensor);
Tensor tensor_of(DType type, const Shape& shape, const std::vector<std::int32_t>& elements);
float real(const Tensor& tensor, std::int64_t k);

// The next index of a row-major walk over `shape`.
void advance(Shape& index, const Shape& shape);
std::int64_t place_of(const Shape& index, const std::vector<std::int64_t>& strides);

// ---- results

// What is stored in the end, while the stages work on it.
struct Result {
  Shape shape;
  DType type = DType::kInt32;
  std::vector<std::int32_t> integers;  // or
  std::vector<float> reals;
  std::int64_t channels = 1, inner = 1;  // channel = element / inner % channels

  std::int64_t channel(std::size_t element) const { return static_cast<std::int64_t>(element) / inner % channels; }
  Tensor tensor() const;
};

// The result behind the stages. `scale` is that of an x that the work itself quantizes.
TensorsById finish(Result result, const std::vector<work::Stage>& epilogue, ValueId y, const KnownValues& known,
                   std::optional<float> scale = {});

// ---- kinds of work

inline TensorsById evaluate(const std::monostate&, const KnownValues&) { return {}; }
TensorsById evaluate(const work::Convolution& work, const KnownValues& known);
TensorsById evaluate(const work::MatrixProduct& work, const KnownValues& known);
TensorsById evaluate(const work::Pool& work, const KnownValues& known);
TensorsById evaluate(const work::FloatPool& work, const KnownValues& known);
TensorsById evaluate(const work::FloatConvolution& work, const KnownValues& known);
TensorsById evaluate(const work::FloatProduct& work, const KnownValues& known);
TensorsById evaluate(const work::FloatElements& work, const KnownValues& known);
TensorsById evaluate(const work::FloatSoftmax& work, const KnownValues& known);
TensorsById evaluate(const work::Move& work, const KnownValues& known);
TensorsById evaluate(const work::SplitBytes& work, const KnownValues& known);
TensorsById evaluate(const work::JoinedSum& work, const KnownValues& known);
TensorsById evaluate(const work::Pairwise& work, const KnownValues& known);
TensorsById evaluate(const work::Concatenation& work, const KnownValues& known);
TensorsById evaluate(const work::Selection& work, const KnownValues& known);
TensorsById evaluate(const work::Table& work, const KnownValues& known);
TensorsById evaluate(const work::ChannelTables& work, const KnownValues& known);
TensorsById evaluate(const work::Softmax& work, const KnownValues& known);
TensorsById evaluate(const work::Quantize& work, const KnownValues& known);
TensorsById evaluate(const work::Dequantize& work, const KnownValues& known);
TensorsById evaluate(const work::QuantizeDynamically& work, const KnownValues& known);

}  // namespace octet::evaluation
