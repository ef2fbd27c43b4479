#include "octet/spec/registry.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace octet {

// Each is defined in the file of its name: relu.cc defines kRelu, and quantize_linear.cc that of com.microsoft too. To
// add an operator: its file, and its name in both lists below.
extern const Operator kAbs;
extern const Operator kAcos;
extern const Operator kAcosh;
extern const Operator kAdd;
extern const Operator kAffineGrid;
extern const Operator kAnd;
extern const Operator kArgMax;
extern const Operator kArgMin;
extern const Operator kAsin;
extern const Operator kAsinh;
extern const Operator kAtan;
extern const Operator kAtanh;
extern const Operator kAttention;
extern const Operator kAveragePool;
extern const Operator kBatchNormalization;
extern const Operator kBiasGelu;
extern const Operator kBitCast;
extern const Operator kBitShift;
extern const Operator kBitwiseAnd;
extern const Operator kBitwiseNot;
extern const Operator kBitwiseOr;
extern const Operator kBitwiseXor;
extern const Operator kCast;
extern const Operator kCastLike;
extern const Operator kCausalConvWithState;
extern const Operator kCeil;
extern const Operator kCelu;
extern const Operator kClip;
extern const Operator kCol2Im;
extern const Operator kCompress;
extern const Operator kConcat;
extern const Operator kConstant;
extern const Operator kConstantOfShape;
extern const Operator kConv;
extern const Operator kConvInteger;
extern const Operator kConvTranspose;
extern const Operator kCos;
extern const Operator kCosh;
extern const Operator kCumProd;
extern const Operator kCumSum;
extern const Operator kDeformConv;
extern const Operator kDepthToSpace;
extern const Operator kDequantizeLinear;
extern const Operator kDet;
extern const Operator kDFT;
extern const Operator kDiv;
extern const Operator kDropout;
extern const Operator kDynamicQuantizeLSTM;
extern const Operator kDynamicQuantizeLinear;
extern const Operator kDynamicQuantizeMatMul;
extern const Operator kEinsum;
extern const Operator kElu;
extern const Operator kEmbedLayerNormalization;
extern const Operator kEqual;
extern const Operator kErf;
extern const Operator kExp;
extern const Operator kExpand;
extern const Operator kEyeLike;
extern const Operator kFastGelu;
extern const Operator kFlatten;
extern const Operator kFloor;
extern const Operator kFusedConv;
extern const Operator kFusedGemm;
extern const Operator kFusedMatMul;
extern const Operator kGlobalLpPool;
extern const Operator kGridSample;
extern const Operator kGRU;
extern const Operator kGather;
extern const Operator kGatherBlockQuantized;
extern const Operator kGatherElements;
extern const Operator kGatherND;
extern const Operator kGelu;
extern const Operator kGemm;
extern const Operator kGlobalAveragePool;
extern const Operator kGlobalMaxPool;
extern const Operator kGreater;
extern const Operator kGreaterOrEqual;
extern const Operator kHardmax;
extern const Operator kGroupQueryAttention;
extern const Operator kHardSigmoid;
extern const Operator kHardSwish;
extern const Operator kIdentity;
extern const Operator kIf;
extern const Operator kInstanceNormalization;
extern const Operator kIsInf;
extern const Operator kIsNaN;
extern const Operator kLinearAttention;
extern const Operator kLoop;
extern const Operator kLpNormalization;
extern const Operator kLpPool;
extern const Operator kLRN;
extern const Operator kLSTM;
extern const Operator kLayerNormalization;
extern const Operator kLeakyRelu;
extern const Operator kLess;
extern const Operator kLessOrEqual;
extern const Operator kLog;
extern const Operator kLogSoftmax;
extern const Operator kMatMul;
extern const Operator kMatMulInteger;
extern const Operator kMatMulIntegerToFloat;
extern const Operator kMatMulNBits;
extern const Operator kMax;
extern const Operator kMaxPool;
extern const Operator kMaxRoiPool;
extern const Operator kMaxUnpool;
extern const Operator kMean;
extern const Operator kMelWeightMatrix;
extern const Operator kMicrosoftAttention;
extern const Operator kMicrosoftDequantizeLinear;
extern const Operator kMicrosoftGelu;
extern const Operator kMicrosoftQLinearConv;
extern const Operator kMicrosoftQuantizeLinear;
extern const Operator kMicrosoftRotaryEmbedding;
extern const Operator kMicrosoftTrilu;
extern const Operator kMin;
extern const Operator kMish;
extern const Operator kMod;
extern const Operator kMul;
extern const Operator kMultiHeadAttention;
extern const Operator kNeg;
extern const Operator kNhwcMaxPool;
extern const Operator kNonMaxSuppression;
extern const Operator kNonZero;
extern const Operator kNot;
extern const Operator kOneHot;
extern const Operator kOr;
extern const Operator kPRelu;
extern const Operator kPad;
extern const Operator kPow;
extern const Operator kQAttention;
extern const Operator kQEmbedLayerNormalization;
extern const Operator kQGemm;
extern const Operator kQLinearAdd;
extern const Operator kQLinearAveragePool;
extern const Operator kQLinearConcat;
extern const Operator kQLinearConv;
extern const Operator kQLinearGlobalAveragePool;
extern const Operator kQLinearLeakyRelu;
extern const Operator kQLinearMatMul;
extern const Operator kQLinearMul;
extern const Operator kQLinearReduceMean;
extern const Operator kQLinearSigmoid;
extern const Operator kQLinearSoftmax;
extern const Operator kQLinearWhere;
extern const Operator kQuantizeLinear;
extern const Operator kQuickGelu;
extern const Operator kReverseSequence;
extern const Operator kRNN;
extern const Operator kRange;
extern const Operator kReciprocal;
extern const Operator kReduceL1;
extern const Operator kReduceL2;
extern const Operator kReduceLogSum;
extern const Operator kReduceLogSumExp;
extern const Operator kReduceMax;
extern const Operator kReduceMean;
extern const Operator kReduceMin;
extern const Operator kReduceProd;
extern const Operator kReduceSum;
extern const Operator kReduceSumSquare;
extern const Operator kRelu;
extern const Operator kReshape;
extern const Operator kResize;
extern const Operator kRoiAlign;
extern const Operator kRotaryEmbedding;
extern const Operator kRound;
extern const Operator kScan;
extern const Operator kScatter;
extern const Operator kScatterElements;
extern const Operator kScatterND;
extern const Operator kSelu;
extern const Operator kShape;
extern const Operator kShrink;
extern const Operator kSigmoid;
extern const Operator kSign;
extern const Operator kSimplifiedLayerNormalization;
extern const Operator kSin;
extern const Operator kSinh;
extern const Operator kSize;
extern const Operator kSkipLayerNormalization;
extern const Operator kSkipSimplifiedLayerNormalization;
extern const Operator kSlice;
extern const Operator kSoftmax;
extern const Operator kSoftplus;
extern const Operator kSoftsign;
extern const Operator kSpaceToDepth;
extern const Operator kSplit;
extern const Operator kSqrt;
extern const Operator kSqueeze;
extern const Operator kSTFT;
extern const Operator kSub;
extern const Operator kSum;
extern const Operator kSwish;
extern const Operator kTan;
extern const Operator kTanh;
extern const Operator kTensorScatter;
extern const Operator kThresholdedRelu;
extern const Operator kTile;
extern const Operator kTopK;
extern const Operator kTranspose;
extern const Operator kTransposeMatMul;
extern const Operator kTrilu;
extern const Operator kUnique;
extern const Operator kUnsqueeze;
extern const Operator kUpsample;
extern const Operator kWhere;
extern const Operator kXor;

namespace {

const std::vector<const Operator*>& sorted() {
  static const std::vector<const Operator*> list = [] {
    std::vector<const Operator*> all = {
        &kAbs,
        &kAcos,
        &kAcosh,
        &kAdd,
        &kAffineGrid,
        &kAnd,
        &kArgMax,
        &kArgMin,
        &kAsin,
        &kAsinh,
        &kAtan,
        &kAtanh,
        &kAttention,
        &kAveragePool,
        &kBatchNormalization,
        &kBiasGelu,
        &kBitCast,
        &kBitShift,
        &kBitwiseAnd,
        &kBitwiseNot,
        &kBitwiseOr,
        &kBitwiseXor,
        &kCast,
        &kCastLike,
        &kCausalConvWithState,
        &kCeil,
        &kCelu,
        &kClip,
        &kCol2Im,
        &kCompress,
        &kConcat,
        &kConstant,
        &kConstantOfShape,
        &kConv,
        &kConvInteger,
        &kConvTranspose,
        &kCos,
        &kCosh,
        &kCumProd,
        &kCumSum,
        &kDeformConv,
        &kDepthToSpace,
        &kDequantizeLinear,
        &kDet,
        &kDFT,
        &kDiv,
        &kDropout,
        &kDynamicQuantizeLSTM,
        &kDynamicQuantizeLinear,
        &kDynamicQuantizeMatMul,
        &kEinsum,
        &kElu,
        &kEmbedLayerNormalization,
        &kEqual,
        &kErf,
        &kExp,
        &kExpand,
        &kEyeLike,
        &kFastGelu,
        &kFlatten,
        &kFloor,
        &kFusedConv,
        &kFusedGemm,
        &kFusedMatMul,
        &kGlobalLpPool,
        &kGridSample,
        &kGRU,
        &kGather,
        &kGatherBlockQuantized,
        &kGatherElements,
        &kGatherND,
        &kGelu,
        &kGemm,
        &kGlobalAveragePool,
        &kGlobalMaxPool,
        &kGreater,
        &kGreaterOrEqual,
        &kHardmax,
        &kGroupQueryAttention,
        &kHardSigmoid,
        &kHardSwish,
        &kIdentity,
        &kIf,
        &kInstanceNormalization,
        &kIsInf,
        &kIsNaN,
        &kLinearAttention,
        &kLoop,
        &kLpNormalization,
        &kLpPool,
        &kLRN,
        &kLSTM,
        &kLayerNormalization,
        &kLeakyRelu,
        &kLess,
        &kLessOrEqual,
        &kLog,
        &kLogSoftmax,
        &kMatMul,
        &kMatMulInteger,
        &kMatMulIntegerToFloat,
        &kMatMulNBits,
        &kMax,
        &kMaxPool,
        &kMaxRoiPool,
        &kMaxUnpool,
        &kMean,
        &kMelWeightMatrix,
        &kMicrosoftAttention,
        &kMicrosoftDequantizeLinear,
        &kMicrosoftGelu,
        &kMicrosoftQLinearConv,
        &kMicrosoftQuantizeLinear,
        &kMicrosoftRotaryEmbedding,
        &kMicrosoftTrilu,
        &kMin,
        &kMish,
        &kMod,
        &kMul,
        &kMultiHeadAttention,
        &kNeg,
        &kNhwcMaxPool,
        &kNonMaxSuppression,
        &kNonZero,
        &kNot,
        &kOneHot,
        &kOr,
        &kPRelu,
        &kPad,
        &kPow,
        &kQAttention,
        &kQEmbedLayerNormalization,
        &kQGemm,
        &kQLinearAdd,
        &kQLinearAveragePool,
        &kQLinearConcat,
        &kQLinearConv,
        &kQLinearGlobalAveragePool,
        &kQLinearLeakyRelu,
        &kQLinearMatMul,
        &kQLinearMul,
        &kQLinearReduceMean,
        &kQLinearSigmoid,
        &kQLinearSoftmax,
        &kQLinearWhere,
        &kQuantizeLinear,
        &kQuickGelu,
        &kReverseSequence,
        &kRNN,
        &kRange,
        &kReciprocal,
        &kReduceL1,
        &kReduceL2,
        &kReduceLogSum,
        &kReduceLogSumExp,
        &kReduceMax,
        &kReduceMean,
        &kReduceMin,
        &kReduceProd,
        &kReduceSum,
        &kReduceSumSquare,
        &kRelu,
        &kReshape,
        &kResize,
        &kRoiAlign,
        &kRotaryEmbedding,
        &kRound,
        &kScan,
        &kScatter,
        &kScatterElements,
        &kScatterND,
        &kSelu,
        &kShape,
        &kShrink,
        &kSigmoid,
        &kSign,
        &kSimplifiedLayerNormalization,
        &kSin,
        &kSinh,
        &kSize,
        &kSkipLayerNormalization,
        &kSkipSimplifiedLayerNormalization,
        &kSlice,
        &kSoftmax,
        &kSoftplus,
        &kSoftsign,
        &kSpaceToDepth,
        &kSplit,
        &kSqrt,
        &kSqueeze,
        &kSTFT,
        &kSub,
        &kSum,
        &kSwish,
        &kTan,
        &kTanh,
        &kTensorScatter,
        &kThresholdedRelu,
        &kTile,
        &kTopK,
        &kTranspose,
        &kTransposeMatMul,
        &kTrilu,
        &kUnique,
        &kUnsqueeze,
        &kUpsample,
        &kWhere,
        &kXor,
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
