#include "octet/spec/registry.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace octet {

// Each is defined in the file of its name: relu.cc defines kRelu. To add an operator: its file, and its name in both
// lists below.
extern const Operator kIdentity;
extern const Operator kConv;
extern const Operator kConvTranspose;
extern const Operator kGemm;
extern const Operator kMatMul;
extern const Operator kSoftmax;
extern const Operator kLogSoftmax;
extern const Operator kBatchNormalization;
extern const Operator kInstanceNormalization;
extern const Operator kLayerNormalization;
extern const Operator kMaxPool;
extern const Operator kAveragePool;
extern const Operator kGlobalAveragePool;
extern const Operator kGlobalMaxPool;
extern const Operator kReduceSum;
extern const Operator kReduceMean;
extern const Operator kReduceMax;
extern const Operator kReduceMin;
extern const Operator kReduceProd;
extern const Operator kReduceL1;
extern const Operator kReduceL2;
extern const Operator kReduceLogSum;
extern const Operator kReduceLogSumExp;
extern const Operator kReduceSumSquare;
extern const Operator kArgMax;
extern const Operator kArgMin;
extern const Operator kTopK;
extern const Operator kConvInteger;
extern const Operator kDequantizeLinear;
extern const Operator kDynamicQuantizeLinear;
extern const Operator kDynamicQuantizeMatMul;
extern const Operator kMatMulInteger;
extern const Operator kMatMulIntegerToFloat;
extern const Operator kQGemm;
extern const Operator kQLinearAveragePool;
extern const Operator kQLinearConcat;
extern const Operator kQLinearConv;
extern const Operator kQLinearGlobalAveragePool;
extern const Operator kQLinearLeakyRelu;
extern const Operator kQLinearMatMul;
extern const Operator kQLinearSigmoid;
extern const Operator kQLinearSoftmax;
extern const Operator kQuantizeLinear;
extern const Operator kResize;
extern const Operator kUpsample;
extern const Operator kLSTM;
extern const Operator kGRU;
extern const Operator kRNN;

namespace {

const std::vector<const Operator*>& sorted() {
  static const std::vector<const Operator*> list = [] {
    std::vector<const Operator*> all = {
        &kIdentity,
        &kConv,
        &kConvTranspose,
        &kGemm,
        &kMatMul,
        &kSoftmax,
        &kLogSoftmax,
        &kBatchNormalization,
        &kInstanceNormalization,
        &kLayerNormalization,
        &kMaxPool,
        &kAveragePool,
        &kGlobalAveragePool,
        &kGlobalMaxPool,
        &kReduceSum,
        &kReduceMean,
        &kReduceMax,
        &kReduceMin,
        &kReduceProd,
        &kReduceL1,
        &kReduceL2,
        &kReduceLogSum,
        &kReduceLogSumExp,
        &kReduceSumSquare,
        &kArgMax,
        &kArgMin,
        &kTopK,
        &kConvInteger,
        &kDequantizeLinear,
        &kDynamicQuantizeLinear,
        &kDynamicQuantizeMatMul,
        &kMatMulInteger,
        &kMatMulIntegerToFloat,
        &kQGemm,
        &kQLinearAveragePool,
        &kQLinearConcat,
        &kQLinearConv,
        &kQLinearGlobalAveragePool,
        &kQLinearLeakyRelu,
        &kQLinearMatMul,
        &kQLinearSigmoid,
        &kQLinearSoftmax,
        &kQuantizeLinear,
        &kResize,
        &kUpsample,
        &kLSTM,
        &kGRU,
        &kRNN,
    };
    std::sort(all.begin(), all.end(), [](const Operator* a, const Operator* b) {
      return std::tie(a->domain, a->name) < std::tie(b->domain, b->name);
    });
    return all;
  }();
  return list;
}

}  // namespace

std::span<const Operator* const> operators() { return sorted(); }

const Operator* find_operator(std::string_view domain, std::string_view name) {
  const auto& all = sorted();
  const auto key = std::tie(domain, name);
  const auto it = std::lower_bound(all.begin(), all.end(), key, [](const Operator* op, const auto& wanted) {
    return std::tie(op->domain, op->name) < wanted;
  });
  return it != all.end() && (*it)->domain == domain && (*it)->name == name ? *it : nullptr;
}

}  // namespace octet
