/* Compiled behind the C of docs/quantization/02-qlinearconv.md: the nine convolutions of ResNet8 on the sample image. */
#include <stdio.h>

#include "vectors.h"

enum { LAYERS = 9, FIELDS = 10, LARGEST = 16 * 32 * 32 };

int main(void)
{
    static int8_t y[LARGEST];
    static float multiplier[64];
    int checks = 0, failures = 0;
    int32_t x_at = 0, w_at = 0, filters_at = 0, y_at = 0;
    for (int layer = 0; layer < LAYERS; layer++) {
        const int32_t *f = &layers[layer * FIELDS];
        const struct convolution c = {.channels = f[0], .height = f[1], .width = f[2], .filters = f[3], .kernel_height = f[4],
                                      .kernel_width = f[5], .stride = f[6], .pad = f[7], .x_zero_point = f[8],
                                      .y_zero_point = f[9], .w = &all_w[w_at], .bias = &all_bias[filters_at],
                                      .multiplier = multiplier};
        for (int32_t k = 0; k < c.filters; k++)
            multiplier[k] = requantization_multiplier(scales[2 * layer], all_w_scale[filters_at + k], scales[2 * layer + 1]);
        qlinear_conv(&c, &all_x[x_at], y);
        const int32_t results = c.filters * (c.height / c.stride) * (c.width / c.stride);
        for (int32_t k = 0; k < results; k++, checks++)
            if (y[k] != all_y[y_at + k]) {
                failures++;
                printf("layer %d differs at %d: %d, not %d\n", layer, k, y[k], all_y[y_at + k]);
            }
        x_at += c.channels * c.height * c.width;
        w_at += c.filters * c.channels * c.kernel_height * c.kernel_width;
        filters_at += c.filters;
        y_at += results;
    }
    for (int k = 0; k < counts[0]; k++, checks++)
        if (requantize(requantizer_acc[k], requantizer_multiplier[k], requantizer_zero_point[k]) != requantizer_q[k]) {
            failures++;
            printf("requantize differs at %d\n", k);
        }
    printf("%d checks %s\n", checks, failures ? "FAILED" : "passed");
    return failures != 0;
}
