// Matrix products and recurrent networks beside sums in order.
#include "octet/base/fused.h"
#include "octet/spec/ort_sigmoid.h"
#include "octet/spec/ort_tanh.h"
#include "tests/spec/random_rows.h"

namespace octet {
namespace {

float product_of(const float* a, const float* b, std::int64_t depth, std::int64_t step) {
  float sum = 0;
  for (std::int64_t k = 0; k < depth; ++k) sum = fused_multiply_add(a[k], b[k * step], sum);
  return sum;
}

TEST(ProductRows, AreMultipliedInOrder) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const std::int64_t rows = random.number(1, 23), depth = random.number(1, 40), columns = random.number(1, 90);
    const Tensor a = random.floats({rows, depth}), b = random.floats({depth, columns});
    Tensor wanted(DType::kFloat, {rows, columns});
    for (std::int64_t k = 0; k < wanted.size(); ++k)
      wanted.mutable_as<float>()[static_cast<std::size_t>(k)] =
          product_of(a.as<float>().data() + k / columns * depth, b.as<float>().data() + k % columns, depth, columns);
    EXPECT_TRUE(same_bits(run_operator("MatMul", 13, {}, {a, b})[0], wanted)) << seed;
    EXPECT_TRUE(same_bits(run_operator("Gemm", 13, {{"transB", 1L}}, {a, b.transposed()})[0], wanted)) << seed;
  }
}

// ---- recurrent networks: one sequence, one direction

struct Recurrent {
  std::int64_t gates, steps, input, hidden;
  Tensor x, w, r, b, h, c;

  Recurrent(RandomRows& random, std::int64_t gate_count)
      : gates(gate_count), steps(random.number(1, 5)), input(random.number(1, 20)), hidden(random.number(1, 40)) {
    const auto small = [&](Shape shape) {
      Tensor tensor = random.floats(std::move(shape));
      for (float& value : tensor.mutable_as<float>()) value /= 16;
      return tensor;
    };
    x = small({steps, 1, input});
    w = small({1, gates * hidden, input});
    r = small({1, gates * hidden, hidden});
    b = small({1, 2 * gates * hidden});
    h = small({1, 1, hidden});
    c = small({1, 1, hidden});
  }

  // x[t] * W^T and h * R^T of unit n of a gate, and its two biases.
  float of_x(std::int64_t t, std::int64_t gate, std::int64_t n) const {
    return product_of(&x.as<float>()[static_cast<std::size_t>(t * input)],
                      &w.as<float>()[static_cast<std::size_t>((gate * hidden + n) * input)], input, 1);
  }
  float of_state(const Floats& state, std::int64_t gate, std::int64_t n) const {
    return product_of(state.data(), &r.as<float>()[static_cast<std::size_t>((gate * hidden + n) * hidden)], hidden, 1);
  }
  float bias(std::int64_t both, std::int64_t gate, std::int64_t n) const {
    return b.as<float>()[static_cast<std::size_t>((both * gates + gate) * hidden + n)];
  }
  float sum(std::int64_t t, const Floats& state, std::int64_t gate, std::int64_t n) const {
    return of_x(t, gate, n) + of_state(state, gate, n) + (bias(0, gate, n) + bias(1, gate, n));
  }
  Tensor tensor_of(const Floats& y) const { return Tensor::from<float>({std::ssize(y)}, y); }
};

TEST(ProductRows, AreTheUnitsOfAnLstm) {
  for (unsigned seed = 0; seed < kRowCases / 3; ++seed) {
    RandomRows random(seed);
    const Recurrent net(random, 4);
    const Tensor peepholes = random.floats({1, 3 * net.hidden});
    Floats h = values<float>(net.h), c = values<float>(net.c), y;
    for (std::int64_t t = 0; t < net.steps; ++t) {
      const Floats before = h;
      for (std::int64_t n = 0; n < net.hidden; ++n) {
        float& cell = c[static_cast<std::size_t>(n)];
        const auto peep = [&](std::int64_t index) {
          return peepholes.as<float>()[static_cast<std::size_t>(index * net.hidden + n)] * cell;
        };
        const float in = ort_sigmoid(net.sum(t, before, 0, n) + peep(0)),
                    forget = ort_sigmoid(net.sum(t, before, 2, n) + peep(2));
        cell = forget * cell + in * ort_tanh(net.sum(t, before, 3, n));
        h[static_cast<std::size_t>(n)] = ort_sigmoid(net.sum(t, before, 1, n) + peep(1)) * ort_tanh(cell);
      }
      y.insert(y.end(), h.begin(), h.end());
    }
    const auto found = run_operator("LSTM", 14, {{"hidden_size", net.hidden}},
                                    {net.x, net.w, net.r, net.b, Tensor(), net.h, net.c, peepholes}, 3);
    EXPECT_TRUE(same_bits(found[0], net.tensor_of(y))) << seed;
    EXPECT_TRUE(same_bits(found[2], net.tensor_of(c))) << seed;
  }
}

TEST(ProductRows, AreTheUnitsOfAGru) {
  for (unsigned seed = 0; seed < kRowCases / 3; ++seed) {
    RandomRows random(seed);
    const Recurrent net(random, 3);
    for (const std::int64_t before_reset : {0, 1}) {
      Floats h = values<float>(net.h), y;
      for (std::int64_t t = 0; t < net.steps; ++t) {
        const Floats before = h;
        Floats reset, z;
        for (std::int64_t n = 0; n < net.hidden; ++n) {
          z.push_back(ort_sigmoid(net.sum(t, before, 0, n)));
          reset.push_back(ort_sigmoid(net.sum(t, before, 1, n)));
        }
        Floats through;
        for (std::size_t n = 0; n < reset.size(); ++n) through.push_back(reset[n] * before[n]);
        for (std::int64_t n = 0; n < net.hidden; ++n) {
          const auto at = static_cast<std::size_t>(n);
          const float passed = before_reset != 0 ? reset[at] * (net.of_state(before, 2, n) + net.bias(1, 2, n))
                                                 : net.of_state(through, 2, n);
          const float bias = before_reset != 0 ? net.bias(0, 2, n) : net.bias(0, 2, n) + net.bias(1, 2, n);
          const float candidate = ort_tanh(net.of_x(t, 2, n) + passed + bias);
          h[at] = (1 - z[at]) * candidate + z[at] * before[at];
        }
        y.insert(y.end(), h.begin(), h.end());
      }
      const AttributeList attributes = {{"hidden_size", net.hidden}, {"linear_before_reset", before_reset}};
      const auto found = run_operator("GRU", 14, attributes, {net.x, net.w, net.r, net.b, Tensor(), net.h});
      EXPECT_TRUE(same_bits(found[0], net.tensor_of(y))) << seed;
    }
  }
}

}  // namespace
}  // namespace octet
