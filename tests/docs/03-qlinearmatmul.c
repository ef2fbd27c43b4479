/* Compiled behind the C of docs/quantization/03-qlinearmatmul.md: ResNet8's dense layer and pool on the sample image. */
#include <stdio.h>

#include "vectors.h"

enum { CLASSES = 10, FEATURES = 64, PIXELS = 64 };

static int checks, failures;

static void compare(const char *what, const int8_t *got, const int8_t *wanted, int count)
{
    for (int k = 0; k < count; k++, checks++)
        if (got[k] != wanted[k]) {
            failures++;
            printf("%s differs at %d: %d, not %d\n", what, k, got[k], wanted[k]);
        }
}

int main(void)
{
    int8_t logits[CLASSES], pooled[FEATURES];
    qgemm(1, CLASSES, FEATURES, 1.0f, a, a_scale, zero_points[0], w, w_scale, bias, y_scale, zero_points[1], logits);
    compare("qgemm", logits, y, CLASSES);
    global_average_pool(FEATURES, PIXELS, pool_x, pool_x_scale, pool_zero_points[0], pool_y_scale, pool_zero_points[1], pooled);
    compare("global_average_pool", pooled, pool_y, FEATURES);
    printf("%d checks %s\n", checks, failures ? "FAILED" : "passed");
    return failures != 0;
}
