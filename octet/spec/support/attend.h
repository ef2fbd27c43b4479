// attend.h: what the attention operators share: heads of queries, keys and values, and the weights between them.
//
//   s[b, h, i, j] = Sum_d (q[b, h, i, d] * r) * (k[b, g(h), j, d] * r)          r = sqrt(scale); the sum is MatMul's
//   t = softcap * tanh(s / softcap)                                              s where softcap is 0
//   p[b, h, i, :] = softmax(t[b, h, i, :] + bias[b, h, i, :])                   with exp(sink[h]) in the sum, where given
//   y[b, h, i, :] = Sum_j p[b, h, i, j] * v[b, g(h), j, :]
//
// g(h) = h / (q heads / kv heads); softmax is softmax_row.h's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/base/tensor.h"
#include "octet/spec/softmax_row.h"
#include "octet/spec/support/product.h"

namespace octet {

// A tensor of heads, [batch, heads, sequence, size] or [batch, sequence, heads * size]: sequence and size of each, and
// where they lie.
template <typename T>
struct Heads {
  const T* data;
  std::int64_t batch, heads, sequence, size, batch_stride, head_stride, row_stride;

  Heads(const Tensor& tensor, std::int64_t count) : data(tensor.as<T>().data()) {
    const Shape& shape = tensor.shape();
    batch = shape[0];
    heads = shape.size() == 4 ? shape[1] : count;
    sequence = shape.size() == 4 ? shape[2] : shape[1];
    size = shape.size() == 4 ? shape[3] : shape[2] / count;
    batch_stride = heads * sequence * size;
    head_stride = shape.size() == 4 ? sequence * size : size;
    row_stride = shape.size() == 4 ? size : heads * size;
  }

  const T* row(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return data + b * batch_stride + h * head_stride + i * row_stride;
  }
};

// The past, [batch, heads, before, size] or null, and what follows it: [batch, heads, total, size]. `bias`, where it is not
// null, has an element for each head's element, and is added to what follows.
template <typename T>
Tensor joined_heads(const Tensor& latest, std::int64_t heads, const Tensor* past, const T* bias = nullptr) {
  if (past == nullptr && bias == nullptr && latest.shape().size() == 4) return latest;
  const Heads<T> now(latest, heads);
  const std::int64_t before = past == nullptr ? 0 : past->shape()[2], total = before + now.sequence;
  Tensor all = Tensor::uninitialized(dtype_of<T>(), {now.batch, now.heads, total, now.size});
  T* to = all.template mutable_as<T>().data();
  if (all.size() == 0) return all;
  for (std::int64_t head = 0; head < now.batch * now.heads; ++head) {
    if (before > 0) to = std::copy_n(past->as<T>().data() + head * before * now.size, before * now.size, to);
    for (std::int64_t i = 0; i < now.sequence; ++i, to += now.size) {
      std::copy_n(now.row(head / now.heads, head % now.heads, i), now.size, to);
      for (std::int64_t d = 0; bias != nullptr && d < now.size; ++d) to[d] += bias[head % now.heads * now.size + d];
    }
  }
  return all;
}

template <typename T>
struct Attended {
  // To be added to row (b, h, i) of the scores. False makes its weights 0.
  using Bias = std::function<bool(std::int64_t b, std::int64_t h, std::int64_t i, std::span<T> bias)>;

  Heads<T> q, k, v;
  std::optional<float> scale;  // 1 / sqrt(the size of a head)
  float softcap = 0;
  Bias bias;
  std::span<const T> sinks = {};  // of each head
  T* y = nullptr;
  bool y_in_rows = false;  // [batch, sequence, heads * size], else [batch, heads, sequence, size]
  T* shown = nullptr;      // where s, t, t + bias or p go, as `shown_stage` says: 0 to 3
  std::int64_t shown_stage = 0;
};

template <typename T>
Tensor scaled_rows(const T* from, std::int64_t rows, std::int64_t stride, std::int64_t size, T factor) {
  Tensor tensor = Tensor::uninitialized(dtype_of<T>(), {rows, size});
  T* to = tensor.template mutable_as<T>().data();
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t d = 0; d < size; ++d) to[i * size + d] = from[i * stride + d] * factor;
  return tensor;
}

// The softmax of the row and one more element, without that element.
template <typename T>
void softmax_with_sink(std::span<T> row, T sink) {
  std::vector<T> longer(row.begin(), row.end());
  longer.push_back(sink);
  softmax_row(longer.data(), longer.data(), static_cast<std::int64_t>(longer.size()));
  std::copy_n(longer.begin(), row.size(), row.begin());
}

// From scores to weights, in place.
template <typename T>
void weigh(const Attended<T>& a, std::int64_t b, std::int64_t h, std::int64_t i, std::span<T> row, std::span<T> bias) {
  const auto show = [&](std::int64_t stage) {
    if (a.shown != nullptr && stage == a.shown_stage)
      std::copy(row.begin(), row.end(),
                a.shown + ((b * a.q.heads + h) * a.q.sequence + i) * static_cast<std::int64_t>(row.size()));
  };
  show(0);
  const T softcap = static_cast<T>(a.softcap);
  if (softcap > 0)
    for (T& x : row) x = softcap * std::tanh(x / softcap);
  show(1);
  const bool any = a.bias(b, h, i, bias);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] += bias[j];
  show(2);
  if (!any)
    std::fill(row.begin(), row.end(), T(0));
  else if (a.sinks.empty())
    softmax_row(row.data(), row.data(), static_cast<std::int64_t>(row.size()));
  else
    softmax_with_sink(row, a.sinks[static_cast<std::size_t>(h)]);
  show(3);
}

template <typename T>
void attend_head(const Attended<T>& a, std::int64_t b, std::int64_t h, T root, const Parallel& parallel) {
  const std::int64_t g = h / (a.q.heads / a.k.heads), total = a.k.sequence, queries = a.q.sequence, size = a.v.size;
  const Tensor q = scaled_rows(a.q.row(b, h, 0), queries, a.q.row_stride, a.q.size, root);
  const Tensor k = scaled_rows(a.k.row(b, g, 0), total, a.k.row_stride, a.k.size, root);
  const Tensor v = scaled_rows(a.v.row(b, g, 0), total, a.v.row_stride, size, T(1));
  Tensor scores = Tensor::uninitialized(dtype_of<T>(), {queries, total}),
         bias = Tensor::uninitialized(dtype_of<T>(), {total}),
         results = Tensor::uninitialized(dtype_of<T>(), {queries, size});
  T *s = scores.template mutable_as<T>().data(), *result = results.template mutable_as<T>().data();
  multiply(Matrix<T>::row_major(q.as<T>().data(), queries, a.q.size),
           PackedMatrix<T>(Matrix<T>::column_major(k.as<T>().data(), a.q.size, total), parallel), s, parallel);
  for (std::int64_t i = 0; i < queries; ++i)
    weigh(a, b, h, i, {s + i * total, static_cast<std::size_t>(total)}, bias.template mutable_as<T>());
  multiply(Matrix<T>::row_major(s, queries, total),
           PackedMatrix<T>(Matrix<T>::row_major(v.as<T>().data(), total, size), parallel), result, parallel);
  for (std::int64_t i = 0; i < queries; ++i)
    std::copy_n(result + i * size, size,
                a.y + (a.y_in_rows ? (b * queries + i) * a.q.heads + h : (b * a.q.heads + h) * queries + i) * size);
}

template <typename T>
void attend(const Attended<T>& a, const Parallel& parallel) {
  const double scale = a.scale ? static_cast<double>(*a.scale) : 1 / std::sqrt(static_cast<double>(a.q.size));
  const T root = static_cast<T>(std::sqrt(scale));
  parallel.for_each_block(a.q.batch * a.q.heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index)
      attend_head(a, index / a.q.heads, index % a.q.heads, root, parallel);
  });
}

}  // namespace octet
