// convolution.cc: which kernel serves a convolution or a matrix product.
#include "octet/engine/fast/run_time_product.h"
#include "octet/engine/fast/sum_kernel.h"

namespace octet::fast {
namespace {

bool is_byte(DType type) { return type == DType::kInt8 || type == DType::kUint8; }

// Whether there are kernels for what is behind a sum, and for a zero point of x that is computed.
bool surroundings_fit(ValueId x_zero_point, const std::vector<work::Stage>& epilogue, ValueId y,
                      const KernelContext& context) {
  if (x_zero_point != kNoValue && !context.known(x_zero_point)) return false;
  for (const work::Stage& stage : epilogue)
    if (const auto* to_float = std::get_if<work::ToFloat>(&stage))
      if (to_float->scale != kNoValue && !context.known(to_float->scale)) return false;
  return stages_fit(epilogue, y, context);
}

// Whether the sum is one that the kernels have: of bytes, by constant weights of bytes.
bool is_plain(const SumTask& task, const KernelContext& context) {
  if (!context.known(task.x) || !context.known(task.y) || task.sum.weights.empty()) return false;
  if (!is_byte(task.sum.weights.dtype()) || task.sum.channels == 0 || task.sum.products == 0) return false;
  const Operand &x = context.at(task.x), &y = context.at(task.y);
  if (x.size() == 0 || y.size() == 0) return false;
  if (task.quantizes_x ? x.type != DType::kFloat : !is_byte(x.type)) return false;
  return surroundings_fit(task.x_zero_point, task.epilogue, task.y, context);
}

// Nothing where the geometry or the layouts are not those of a kernel.
std::optional<SumTask> task_of(const work::Convolution& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return std::nullopt;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  const std::optional<Geometry> geometry = geometry_of(work, x);
  if (!geometry || y.layout != Layout::kChannelsLast) return std::nullopt;
  return SumTask{.geometry = *geometry,
                 .sum = work.sum,
                 .epilogue = work.epilogue,
                 .x = work.x,
                 .y = work.y,
                 .x_layout = x.layout,
                 .x_zero_point = work.x_zero_point};
}

std::optional<SumTask> task_of(const work::MatrixProduct& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y) || work.x_transposed) return std::nullopt;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.layout != Layout::kAsDeclared || y.layout != Layout::kAsDeclared || x.shape.empty()) return std::nullopt;
  const std::int64_t depth = x.shape.back();
  if (depth != work.sum.products || depth == 0) return std::nullopt;
  return SumTask{.geometry = geometry_of_rows(x.size() / depth, depth),
                 .sum = work.sum,
                 .epilogue = work.epilogue,
                 .x = work.x,
                 .y = work.y,
                 .x_zero_point = work.x_zero_point,
                 .quantizes_x = work.quantizes_x};
}

}  // namespace

bool fits(const work::Convolution& work, const KernelContext& context) {
  const std::optional<SumTask> task = task_of(work, context);
  return task && is_plain(*task, context);
}

bool fits(const work::MatrixProduct& work, const KernelContext& context) {
  if (work.sum.weights.empty())
    return context.known(work.x) && context.known(work.y) && fits_run_time_product(work, context) &&
           surroundings_fit(work.x_zero_point, work.epilogue, work.y, context);
  const std::optional<SumTask> task = task_of(work, context);
  return task && is_plain(*task, context);
}

KernelPtr make_kernel(const work::Convolution& work, const KernelContext& context) {
  const SumTask task = *task_of(work, context);
  const bool depthwise = work.group == task.geometry.channels && work.sum.channels == work.group && work.group > 1;
  if (depthwise) return make_depthwise_kernel(task, context);
  KernelPtr transformed = make_transformed_kernel(task, context);
  return transformed ? std::move(transformed) : make_sum_kernel(task, context);
}

KernelPtr make_kernel(const work::MatrixProduct& work, const KernelContext& context) {
  if (work.sum.weights.empty()) return make_run_time_product(work, context);
  return make_sum_kernel(*task_of(work, context), context);
}

}  // namespace octet::fast
