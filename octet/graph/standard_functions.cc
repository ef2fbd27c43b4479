#include "octet/graph/standard_functions.h"

#include <algorithm>
#include <array>

#include "octet/graph/function_text.h"

namespace octet {
namespace {

// The bodies are written for this version of the standard, whatever version of the operator they define.
constexpr int kBodyOpset = 18;

// Only versions with different meanings are listed. Variances are means of squared deviations: the
// standard's bodies subtract two large numbers.
constexpr std::array kFunctions = {
    StandardFunction{"BlackmanWindow", 17, R"(
BlackmanWindow <output_datatype: int = 1, periodic: int = 1> (size) => (window) {
   Zero = Constant <value_float: float = 0> ()
   One = Constant <value_float: float = 1> ()
   Tau = Constant <value_float: float = 6.2831855> ()
   Count = Cast <to: int = 1> (size)
   when periodic: Period = Identity (Count)
   unless periodic: Period = Sub (Count, One)
   Step = Div (Tau, Period)
   Steps = Range (Zero, Count, One)
   Angles = Mul (Steps, Step)
   TwiceAngles = Add (Angles, Angles)
   Cos1 = Cos (Angles)
   Cos2 = Cos (TwiceAngles)
   A0 = Constant <value_float: float = 0.42> ()
   A1 = Constant <value_float: float = 0.5> ()
   A2 = Constant <value_float: float = 0.08> ()
   Wave1 = Mul (A1, Cos1)
   Wave2 = Mul (A2, Cos2)
   Hill = Sub (A0, Wave1)
   Sum = Add (Hill, Wave2)
   window = Cast <to: int = @output_datatype> (Sum)
})"},

    StandardFunction{"CenterCropPad", 18, R"(
CenterCropPad <axes: ints> (X, shape) => (Y) {
   Two = Constant <value_int: int = 2> ()
   Wanted = Cast <to: int = 7> (shape)
   All = Shape (X)
   when axes: Axes = Constant <value_ints: ints = @axes> ()
   when axes: Found = Gather (All, Axes)
   unless axes: Found = Identity (All)

   Larger = Max (Found, Wanted)
   Missing = Sub (Larger, Found)
   Before = Div (Missing, Two)
   After = Sub (Missing, Before)
   Pads = Concat <axis: int = 0> (Before, After)
   when axes: Padded = Pad (X, Pads, "", Axes)
   unless axes: Padded = Pad (X, Pads)

   Surplus = Sub (Larger, Wanted)
   Start = Div (Surplus, Two)
   End = Add (Start, Wanted)
   when axes: Y = Slice (Padded, Start, End, Axes)
   unless axes: Y = Slice (Padded, Start, End)
})"},

    // Scale and bias per group.
    StandardFunction{"GroupNormalization", 18, R"(
GroupNormalization <epsilon: float = 1e-5, num_groups: int> (X, scale, bias) => (Y) {
   Zero = Constant <value_ints: ints = [0]> ()
   Two = Constant <value_ints: ints = [2]> ()
   Rest = Constant <value_ints: ints = [-1]> ()
   NumGroups = Constant <value_int: int = @num_groups> ()
   Groups = Unsqueeze (NumGroups, Zero)
   GroupShape = Concat <axis: int = 0> (Zero, Groups, Rest)
   X3 = Reshape (X, GroupShape)

   Mean = ReduceMean (X3, Two)
   Squares = Mul (X3, X3)
   MeanSquare = ReduceMean (Squares, Two)
   SquaredMean = Mul (Mean, Mean)
   Variance = Sub (MeanSquare, SquaredMean)
   Deviation = Sub (X3, Mean)
   Epsilon = Constant <value_float: float = @epsilon> ()
   EpsilonX = CastLike (Epsilon, X)
   Safe = Add (Variance, EpsilonX)
   StdDev = Sqrt (Safe)
   Normalized = Div (Deviation, StdDev)

   PerGroup = Constant <value_ints: ints = [1, -1, 1]> ()
   Scale3 = Reshape (scale, PerGroup)
   Bias3 = Reshape (bias, PerGroup)
   Scaled = Mul (Normalized, Scale3)
   Y3 = Add (Scaled, Bias3)
   XShape = Shape (X)
   Y = Reshape (Y3, XShape)
})"},

    // Scale and bias per channel.
    StandardFunction{"GroupNormalization", 21, R"(
GroupNormalization <epsilon: float = 1e-5, num_groups: int, stash_type: int = 1> (X, scale, bias) => (Y) {
   Zero = Constant <value_ints: ints = [0]> ()
   Two = Constant <value_ints: ints = [2]> ()
   Rest = Constant <value_ints: ints = [-1]> ()
   NumGroups = Constant <value_int: int = @num_groups> ()
   Groups = Unsqueeze (NumGroups, Zero)
   GroupShape = Concat <axis: int = 0> (Zero, Groups, Rest)
   XU = Cast <to: int = @stash_type> (X)
   X3 = Reshape (XU, GroupShape)

   Mean = ReduceMean (X3, Two)
   Squares = Mul (X3, X3)
   MeanSquare = ReduceMean (Squares, Two)
   SquaredMean = Mul (Mean, Mean)
   Variance = Sub (MeanSquare, SquaredMean)
   Deviation = Sub (X3, Mean)
   Epsilon = Constant <value_float: float = @epsilon> ()
   EpsilonU = CastLike (Epsilon, XU)
   Safe = Add (Variance, EpsilonU)
   StdDev = Sqrt (Safe)
   NormalizedU = Div (Deviation, StdDev)
   Normalized = CastLike (NormalizedU, X)

   XShape = Shape (X)
   Channels = Shape <start: int = 1, end: int = 2> (X)
   ChannelShape = Concat <axis: int = 0> (Zero, Channels, Rest)
   NormalizedC = Reshape (Normalized, ChannelShape)
   PerChannel = Constant <value_ints: ints = [1, -1, 1]> ()
   ScaleC = Reshape (scale, PerChannel)
   BiasC = Reshape (bias, PerChannel)
   Scaled = Mul (NormalizedC, ScaleC)
   YC = Add (Scaled, BiasC)
   Y = Reshape (YC, XShape)
})"},

    StandardFunction{"HammingWindow", 17, R"(
HammingWindow <output_datatype: int = 1, periodic: int = 1> (size) => (window) {
   Zero = Constant <value_float: float = 0> ()
   One = Constant <value_float: float = 1> ()
   Tau = Constant <value_float: float = 6.2831855> ()
   Count = Cast <to: int = 1> (size)
   when periodic: Period = Identity (Count)
   unless periodic: Period = Sub (Count, One)
   Step = Div (Tau, Period)
   Steps = Range (Zero, Count, One)
   Angles = Mul (Steps, Step)
   Cosine = Cos (Angles)
   A0 = Constant <value_float: float = 0.54347825> ()
   A1 = Constant <value_float: float = 0.45652175> ()
   Wave = Mul (A1, Cosine)
   Sum = Sub (A0, Wave)
   window = Cast <to: int = @output_datatype> (Sum)
})"},

    StandardFunction{"HannWindow", 17, R"(
HannWindow <output_datatype: int = 1, periodic: int = 1> (size) => (window) {
   Zero = Constant <value_float: float = 0> ()
   One = Constant <value_float: float = 1> ()
   Tau = Constant <value_float: float = 6.2831855> ()
   Count = Cast <to: int = 1> (size)
   when periodic: Period = Identity (Count)
   unless periodic: Period = Sub (Count, One)
   Step = Div (Tau, Period)
   Steps = Range (Zero, Count, One)
   Angles = Mul (Steps, Step)
   Cosine = Cos (Angles)
   A0 = Constant <value_float: float = 0.5> ()
   A1 = Constant <value_float: float = 0.5> ()
   Wave = Mul (A1, Cosine)
   Sum = Sub (A0, Wave)
   window = Cast <to: int = @output_datatype> (Sum)
})"},

    StandardFunction{"MeanVarianceNormalization", 9, R"(
MeanVarianceNormalization <axes: ints = [0, 2, 3]> (X) => (Y) {
   Axes = Constant <value_ints: ints = @axes> ()
   Mean = ReduceMean (X, Axes)
   Deviation = Sub (X, Mean)
   Squares = Mul (Deviation, Deviation)
   Variance = ReduceMean (Squares, Axes)
   StdDev = Sqrt (Variance)
   Epsilon = Constant <value_float: float = 1e-9> ()
   EpsilonX = CastLike (Epsilon, X)
   Safe = Add (StdDev, EpsilonX)
   Y = Div (Deviation, Safe)
})"},

    StandardFunction{"RMSNormalization", 23, R"(
RMSNormalization <axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1> (X, scale) => (Y) {
   XShape = Shape (X)
   Rank = Size (XShape)
   Zero = Constant <value_int: int = 0> ()
   One = Constant <value_int: int = 1> ()
   Axis = Constant <value_int: int = @axis> ()
   Negative = Less (Axis, Zero)
   FromEnd = Add (Axis, Rank)
   First = Where (Negative, FromEnd, Axis)
   Axes = Range (First, Rank, One)

   XU = Cast <to: int = @stash_type> (X)
   Squares = Mul (XU, XU)
   MeanSquare = ReduceMean (Squares, Axes)
   Epsilon = Constant <value_float: float = @epsilon> ()
   EpsilonU = CastLike (Epsilon, XU)
   Safe = Add (MeanSquare, EpsilonU)
   RMS = Sqrt (Safe)
   NormalizedU = Div (XU, RMS)
   Normalized = CastLike (NormalizedU, scale)
   Y = Mul (Normalized, scale)
})"},

    StandardFunction{"SwiGLU", 28, R"(
SwiGLU <alpha: float = 1> (A, B) => (Y) {
   Gate = Swish <alpha: float = @alpha> (A)
   Y = Mul (Gate, B)
})"},
};

}  // namespace

std::span<const StandardFunction> standard_functions() { return kFunctions; }

std::optional<Function> standard_function(const Node& call, int opset) {
  if (!call.domain.empty()) return std::nullopt;
  const StandardFunction* found = nullptr;
  for (const StandardFunction& function : kFunctions)
    if (function.name == call.op_type && function.since <= opset) found = &function;
  if (!found) return std::nullopt;

  Function function = parse_function(found->text, call);
  function.opset_imports = {{"", std::max(kBodyOpset, found->since)}};
  return function;
}

}  // namespace octet
