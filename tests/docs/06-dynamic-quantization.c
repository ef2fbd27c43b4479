/* Compiled behind the C of docs/quantization/06-dynamic-quantization.md: every activation of ResNet8 that is quantized dynamically, both ways, and
   the rows of dynamic.csv. */
#include <stdio.h>

#include "vectors.h"

int main(void)
{
    int checks = 0, failures = 0;
    const float *x = all_x;
    const int32_t *q = all_q;
    for (int n = 0; n < tensors; x += counts[n], q += counts[n], n++) {
        struct parameters (*const found[])(const float *, int32_t) = {asymmetric, symmetric_range, dynamic_uint8};
        const struct parameters p = found[kinds[n]](x, counts[n]);
        checks++;
        if ((p.scale != scales[n] && !(isnan(p.scale) && isnan(scales[n]))) || p.zero_point != zero_points[n]) {
            failures++;
            printf("tensor %d: scale %a, zero point %d, not %a, %d\n", n, (double)p.scale, p.zero_point, (double)scales[n], zero_points[n]);
        }
        for (int i = 0; i < counts[n]; i++, checks++) {
            const int32_t result = quantize_element(x[i], p, kinds[n] == 2 ? 0 : -128);
            if (result != q[i]) {
                failures++;
                printf("tensor %d differs at %d: %d, not %d\n", n, i, result, q[i]);
            }
        }
    }
    printf("%d checks %s\n", checks, failures ? "FAILED" : "passed");
    return failures != 0;
}
