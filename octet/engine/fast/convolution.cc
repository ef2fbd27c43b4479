// convolution.cc: which kernel serves a convolution or a matrix product.
#include "octet/engine/fast/sum_kernel.h"

namespace octet::fast {
namespace {

bool is_byte(DType type) { return type == DType::kInt8 || type == DType::kUint8; }

// Whether the sum is one that the kernels have: of bytes, by constant weights of bytes.
bool is_plain(const SumTask& task, const Making& making) {
  if (!making.known(task.x) || !making.known(task.y) || task.sum.weights.empty()) return false;
  if (!is_byte(task.sum.weights.dtype()) || task.sum.channels == 0 || task.sum.products == 0) return false;
  const Operand &x = making.at(task.x), &y = making.at(task.y);
  if (x.size() == 0 || y.size() == 0) return false;
  if (task.quantizes_x ? x.type != DType::kFloat : !is_byte(x.type)) return false;
  if (task.x_zero_point != kNoValue && !making.known(task.x_zero_point)) return false;
  for (const work::Stage& stage : task.epilogue)
    if (const auto* to_float = std::get_if<work::ToFloat>(&stage))
      if (to_float->scale != kNoValue && !making.known(to_float->scale)) return false;
  return stages_fit(task.epilogue, task.y, making);
}

}  // namespace

KernelPtr make_kernel(const work::Convolution& work, const Making& making) {
  if (!making.known(work.x) || !making.known(work.y)) return nullptr;
  const Operand &x = making.at(work.x), &y = making.at(work.y);
  const std::optional<Geometry> geometry = geometry_of(work, x);
  if (!geometry || y.layout != Layout::kChannelsLast) return nullptr;
  const SumTask task{.geometry = *geometry,
                     .sum = work.sum,
                     .epilogue = work.epilogue,
                     .x = work.x,
                     .y = work.y,
                     .x_layout = x.layout,
                     .x_zero_point = work.x_zero_point};
  if (!is_plain(task, making)) return nullptr;
  const bool depthwise = work.group == geometry->channels && work.sum.channels == work.group && work.group > 1;
  if (depthwise) return make_depthwise_kernel(task, making);
  KernelPtr transformed = make_transformed_kernel(task, making);
  return transformed ? std::move(transformed) : make_sum_kernel(task, making);
}

KernelPtr make_kernel(const work::MatrixProduct& work, const Making& making) {
  if (!making.known(work.x) || !making.known(work.y) || work.x_transposed) return nullptr;
  const Operand &x = making.at(work.x), &y = making.at(work.y);
  if (x.layout != Layout::kAsDeclared || y.layout != Layout::kAsDeclared || x.shape.empty()) return nullptr;
  const std::int64_t depth = x.shape.back();
  if (depth != work.sum.products || depth == 0) return nullptr;
  const SumTask task{.geometry = geometry_of_rows(x.size() / depth, depth),
                     .sum = work.sum,
                     .epilogue = work.epilogue,
                     .x = work.x,
                     .y = work.y,
                     .x_zero_point = work.x_zero_point,
                     .quantizes_x = work.quantizes_x};
  return is_plain(task, making) ? make_sum_kernel(task, making) : nullptr;
}

}  // namespace octet::fast
