#include <algorithm>
#include <cstring>

#include "octet/base/error.h"
#include "tests/program/work_evaluation.h"

namespace octet::evaluation {

TensorsById evaluate(const work::Move& work, const KnownValues& known) {
  Tensor y(known.values[work.y].dtype, concrete(known.values[work.y].shape.value()).value());
  const std::size_t size = size_of(y.dtype());
  const auto copy = [&](const Tensor& from, std::int64_t k, std::int64_t to) {
    std::memcpy(y.mutable_bytes().data() + static_cast<std::size_t>(to) * size,
                from.bytes().data() + static_cast<std::size_t>(k) * size, size);
  };
  for (std::size_t k = 0; k < work.indices.size(); ++k) {
    std::int64_t number = work.indices[k] - 1;
    std::size_t source = 0;
    while (number >= 0 && number >= known.at(work.sources[source]).size())
      number -= known.at(work.sources[source++]).size();
    copy(number < 0 ? work.fill : known.at(work.sources[source]), std::max<std::int64_t>(number, 0),
         static_cast<std::int64_t>(k));
  }
  const std::vector<std::int64_t> strides = strides_of(y.shape());
  for (const work::MoveBox& box : work.boxes) {
    Shape index(box.shape.size(), 0);
    for (std::int64_t k = element_count(box.shape); k-- > 0; advance(index, box.shape))
      copy(box.source ? known.at(work.sources[*box.source]) : work.fill,
           box.source ? box.offset + place_of(index, box.strides) : 0,
           place_of(box.begin, strides) + place_of(index, strides));
  }
  if (work.only_renames && !known.at(work.sources.front()).reshaped(y.shape()).identical(y))
    throw Error(ErrorCode::kModel, "a move that only renames bytes moves them");
  return {{work.y, y}};
}

TensorsById evaluate(const work::SplitBytes& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  Tensor high(DType::kUint8, x.shape()), low(DType::kUint8, x.shape());
  for (std::int64_t k = 0; k < x.size(); ++k) {
    const std::int64_t number = x.int_at(k) - integer_range(x.dtype()).min;
    high.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(number / 256);
    low.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(number % 256);
  }
  return {{work.high, high}, {work.low, low}};
}

TensorsById evaluate(const work::JoinedSum& work, const KnownValues& known) {
  const Shape shape = concrete(*known.values[work.y].shape).value();
  const auto axis = static_cast<std::size_t>(work.axis);
  const std::int64_t behind = product_of(shape, axis + 1, shape.size());
  Tensor y(DType::kFloat, shape);
  for (std::int64_t k = 0; k < y.size(); ++k) {
    std::uint64_t sum = 0;
    for (const work::JoinedSum::Part& part : work.parts)
      sum += static_cast<std::uint64_t>(part.factor) * static_cast<std::uint64_t>(known.at(part.x).int_at(k));
    const auto narrow = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
    const std::int64_t channel = k / behind % shape[axis];
    float real =
        work.type == DType::kInt32 ? static_cast<float>(narrow) : static_cast<float>(static_cast<std::int64_t>(sum));
    real *= one_or(work.multipliers, channel);
    if (!work.bias.empty()) real += one_or(work.bias, channel);
    y.mutable_as<float>()[static_cast<std::size_t>(k)] = real;
  }
  return {{work.y, y}};
}

}  // namespace octet::evaluation
