/* Compiled behind the C of docs/quantization/06-dynamic-quantization.md: every activation of ResNet8 that is quantized dynamically, both ways. */
#include <stdio.h>

#include "vectors.h"

int main(void)
{
    int checks = 0, failures = 0;
    const float *x = all_x;
    const int8_t *q = all_q;
    for (int n = 0; n < tensors; x += counts[n], q += counts[n], n++) {
        const struct parameters p = symmetric[n] ? symmetric_range(x, counts[n]) : asymmetric(x, counts[n]);
        checks++;
        if (p.scale != scales[n] || p.zero_point != zero_points[n]) {
            failures++;
            printf("tensor %d: scale %a, zero point %d, not %a, %d\n", n, (double)p.scale, p.zero_point, (double)scales[n], zero_points[n]);
        }
        for (int k = 0; k < counts[n]; k++, checks++)
            if (quantize_element(x[k], p) != q[k]) {
                failures++;
                printf("tensor %d differs at %d: %d, not %d\n", n, k, quantize_element(x[k], p), q[k]);
            }
    }
    printf("%d checks %s\n", checks, failures ? "FAILED" : "passed");
    return failures != 0;
}
