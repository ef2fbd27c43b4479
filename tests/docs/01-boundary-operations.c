/* Compiled behind the C of docs/quantization/01-boundary-operations.md. */
#include <stdio.h>

#include "vectors.h"

#define LENGTH(array) (int)(sizeof(array) / sizeof((array)[0]))

static int checks, failures;

static void check(int equal, const char *what, int k)
{
    checks++;
    if (!equal) {
        failures++;
        printf("%s differs at %d\n", what, k);
    }
}

int main(void)
{
    for (int k = 0; k < LENGTH(image); k++) {
        check(quantize_linear(image[k], image_scale, image_zero_point) == image_quantized[k], "quantize_linear", k);
        check(quantize_pixel(bytes[k]) == image_quantized[k], "quantize_pixel", k);
    }
    for (int k = 0; k < LENGTH(floats); k++)
        check(quantize_linear(floats[k], scale, zero_point) == floats_quantized[k], "quantize_linear of floats", k);
    for (int k = 0; k < LENGTH(directed_x); k++)
        check(quantize_linear(directed_x[k], directed_scale[k], directed_zero_point[k]) == directed_q[k], "directed vector", k);
    check(quantize_linear(NAN, scale, zero_point) == -128, "quantize_linear of NaN", 0);
    for (int k = 0; k < LENGTH(logits_quantized); k++)
        check(dequantize_linear(logits_quantized[k], logits_scale, logits_zero_point) == logits_dequantized[k],
              "dequantize_linear", k);
    for (int k = 0; k < LENGTH(every); k++)
        check(dequantize_linear(every[k], scale, zero_point) == every_dequantized[k], "dequantize_linear of all integers", k);
    printf("%d checks %s\n", checks, failures ? "FAILED" : "passed");
    return failures != 0;
}
