// Reductions of rows and columns beside the order that each defines.
#include <cmath>
#include <numeric>

#include "tests/spec/random_rows.h"

namespace octet {
namespace {

// f(elements, offset of the first) for every output.
template <typename T, typename F>
Tensor reduced(const Reduced& of, const Tensor& x, F f) {
  Tensor y(dtype_of<T>(), {of.before, of.after});
  for (std::int64_t k = 0; k < y.size(); ++k)
    y.mutable_as<T>()[static_cast<std::size_t>(k)] =
        f(of.elements<T>(x, k), k / of.after * of.length * of.after + k % of.after);
  return y;
}

template <typename T, typename Sum, typename F>
Sum sum_of(const std::vector<T>& x, F f) {
  return std::accumulate(x.begin(), x.end(), Sum(0), [&](Sum sum, T value) { return sum + f(value); });
}

// In the order that exactness.md gives ReduceSum and ReduceMean, which reduce.h spells out.
float ordered_sum(const Reduced& of, const Floats& x, std::int64_t offset) {
  const auto length = std::ssize(x);
  const auto at = [&](std::int64_t k) { return x[static_cast<std::size_t>(k)]; };
  float sum = 0;
  if (of.after > 1 && of.before > 1) {
    for (std::int64_t k = 0; k < length;) {
      const std::int64_t count = length - k >= 4 ? 4 : length - k >= 2 ? 2 : 1;
      float part = at(k);
      for (std::int64_t i = 1; i < count; ++i) part += at(k + i);
      sum = part + sum;
      k += count;
    }
    return sum;
  }
  const std::int64_t begin = (4 - offset % 4) % 4, vectors = length < begin ? 0 : (length - begin) / 4;
  if (of.after > 1 || vectors == 0) {
    for (const float value : x) sum += value;
    return sum;
  }
  float lanes[4];
  for (std::int64_t lane = 0; lane < 4; ++lane) {
    float even = 0, odd = 0;
    for (std::int64_t v = 0; v < vectors / 2 * 2; ++v) (v % 2 == 0 ? even : odd) += at(begin + 4 * v + lane);
    lanes[lane] = vectors == 1 ? at(begin + lane) : even + odd;
    if (vectors > 1 && vectors % 2 == 1) lanes[lane] += at(begin + 4 * (vectors - 1) + lane);
  }
  sum += (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (std::int64_t k = 0; k < begin; ++k) sum += at(k);
  for (std::int64_t k = begin + 4 * vectors; k < length; ++k) sum += at(k);
  return sum;
}

Tensor reduce(const char* name, const Reduced& of, const Tensor& x) {
  const Tensor shaped = x.reshaped(of.after == 1 ? Shape{of.before, of.length} : Shape{of.before, of.length, of.after});
  return run_operator(name, 20, {{"keepdims", 0L}}, {shaped, int64s({1})})[0];
}

TEST(ReducedRows, AreSummedInTheOrderOfTheOperator) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const Reduced of = random_reduced(random);
    const Tensor x = random.floats({of.before * of.length * of.after}, false, seed % 3 == 0);
    const auto sum = [&](const Floats& elements, std::int64_t offset) { return ordered_sum(of, elements, offset); };
    EXPECT_TRUE(same_bits(reduce("ReduceSum", of, x), reduced<float>(of, x, sum))) << seed;
    EXPECT_TRUE(same_bits(reduce("ReduceMean", of, x), reduced<float>(of, x,
                                                                      [&](const Floats& elements, auto offset) {
                                                                        return sum(elements, offset) /
                                                                               static_cast<float>(of.length);
                                                                      })))
        << seed;
    EXPECT_TRUE(
        same_bits(reduce("ReduceL2", of, x), reduced<float>(of, x,
                                                            [](const Floats& elements, auto) {
                                                              return static_cast<float>(std::sqrt(sum_of<float, double>(
                                                                  elements, [](double v) { return v * v; })));
                                                            })))
        << seed;
    const Tensor i = random.integers<std::int32_t>({x.size()});
    EXPECT_TRUE(same_bits(reduce("ReduceSumSquare", of, i),
                          reduced<std::int32_t>(of, i,
                                                [](const std::vector<std::int32_t>& elements, auto) {
                                                  return static_cast<std::int32_t>(
                                                      sum_of<std::int32_t, std::uint32_t>(elements, [](auto v) {
                                                        return static_cast<std::uint32_t>(v) *
                                                               static_cast<std::uint32_t>(v);
                                                      }));
                                                })))
        << seed;
  }
}

TEST(ReducedRows, HaveTheFirstOfEqualExtremes) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const Reduced of = random_reduced(random);
    for (const bool greatest : {true, false}) {
      Tensor x = random.floats({of.before * of.length * of.after}, seed % 2 == 0, seed % 3 == 0);
      if (seed % 4 == 0)  // zeros of both signs at the end
        for (float& value : x.mutable_as<float>())
          if (value != 0) value = greatest ? -std::abs(value) : std::abs(value);
      const Tensor wanted = reduced<float>(of, x, [&](const Floats& elements, auto) {
        float best = greatest ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
        for (const float value : elements)
          if ((greatest ? value > best : value < best) || std::isnan(value)) best = value;
        return best;
      });
      EXPECT_TRUE(same_bits(reduce(greatest ? "ReduceMax" : "ReduceMin", of, x), wanted)) << seed;
    }
  }
}

TEST(ReducedRows, HaveTheIndexOfTheFirstOrLastExtreme) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const Reduced of = random_reduced(random);
    const Tensor x = random.floats({of.before, of.length, of.after}, seed % 2 == 0, seed % 3 == 0);
    for (const bool greatest : {true, false})
      for (const std::int64_t last : {0, 1}) {
        Tensor wanted(DType::kInt64, {of.before, of.after});
        for (std::int64_t output = 0; output < wanted.size(); ++output) {
          const Floats elements = of.elements<float>(x, output);
          std::size_t best = 0;
          for (std::size_t k = 1; k < elements.size(); ++k)
            if ((greatest ? elements[k] > elements[best] : elements[k] < elements[best]) ||
                (last != 0 && elements[k] == elements[best]))
              best = k;
          wanted.mutable_as<std::int64_t>()[static_cast<std::size_t>(output)] = static_cast<std::int64_t>(best);
        }
        const AttributeList attributes = {{"axis", 1L}, {"keepdims", 0L}, {"select_last_index", last}};
        EXPECT_TRUE(same_bits(run_operator(greatest ? "ArgMax" : "ArgMin", 13, attributes, {x})[0], wanted)) << seed;
      }
  }
}

}  // namespace
}  // namespace octet
