// Loops over float32 are compiled for several instruction sets (base/vectorize.h): an element has the same bits in the middle of a
// long vector and alone.
#include <bit>

#include "octet/base/one_nan.h"
#include "octet/spec/random.h"
#include "tests/support/run_operator.h"

namespace octet {
namespace {

constexpr std::int64_t kCount = 4099;  // vectors of every width, and a rest

// Every sign and exponent, with random digits: infinities, NaN, subnormals and zeros among them.
Tensor float_patterns(std::uint64_t seed) {
  Tensor tensor(DType::kFloat, {kCount});
  std::uint32_t k = 0;
  for (float& x : tensor.mutable_as<float>()) {
    const auto digits = static_cast<std::uint32_t>((seed = mix(seed)) & 0x7FFFFF);
    x = std::bit_cast<float>((k << 23) | (k % 7 == 0 ? 0 : digits));
    ++k;
  }
  return tensor;
}

Tensor element(const Tensor& tensor, std::int64_t k) {
  return Tensor::from<float>({1}, {tensor.as<float>()[static_cast<std::size_t>(k)]});
}

std::optional<Tensor> result_of(const Operator& op, const std::vector<Tensor>& inputs) {
  static const Parallel parallel(1);
  static const Arithmetic arithmetic;
  try {
    return with_one_nan(execute(op, kNewestOpset, {}, inputs, 1, {arithmetic, parallel})[0]);
  } catch (const Error&) {
    return std::nullopt;  // it wants another number or type of inputs
  }
}

// Whether `op` takes these inputs; then each of the results must be that of its elements alone.
bool check_elements(const Operator& op, const std::vector<Tensor>& inputs) {
  const std::optional<Tensor> all = result_of(op, inputs);
  if (!all || all->size() != kCount) return false;
  const std::size_t bytes = all->byte_size() / static_cast<std::size_t>(kCount);
  for (std::int64_t k = 0; k < kCount; ++k) {
    std::vector<Tensor> alone;
    for (const Tensor& input : inputs) alone.push_back(input.size() == 1 ? input : element(input, k));
    const Tensor one = *result_of(op, alone);
    const auto found = all->bytes().subspan(static_cast<std::size_t>(k) * bytes, bytes);
    if (std::ranges::equal(found, one.bytes())) continue;
    ADD_FAILURE() << op.name << ", element " << k << ": " << all->number_at(k) << ", alone " << one.number_at(0);
    break;
  }
  return true;
}

TEST(VectorizedElements, HaveTheBitsThatTheyHaveAlone) {
  const Tensor a = float_patterns(1), b = float_patterns(2), scalar = Tensor::from<float>({1}, {0.7F});
  int unary = 0, binary = 0;
  for (const Operator* op : operators()) {
    if (!op->on_elements || !op->domain.empty()) continue;
    if (check_elements(*op, {a})) ++unary;
    if (!check_elements(*op, {a, b})) continue;
    check_elements(*op, {a, scalar});
    check_elements(*op, {scalar, b});
    ++binary;
  }
  EXPECT_GE(unary, 30);
  EXPECT_GE(binary, 12);
}

}  // namespace
}  // namespace octet
