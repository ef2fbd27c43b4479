/* Compiled behind the C of docs/quantization/05-residual-connections.md: ResNet8's three additions on the sample image, and on every pair of bytes;
   and the directed vectors, whose parameters tell every order. */
#include <stdio.h>

#include "vectors.h"

enum { ADDITIONS = 3, PAIRS = 65536 };

static int checks, failures;

static void check(const char *what, int a, int b, int got, int wanted)
{
    checks++;
    if (got != wanted) {
        failures++;
        printf("%s(%d, %d) is %d, not %d\n", what, a, b, got, wanted);
    }
}

int main(void)
{
    const int8_t *a = all_a, *b = all_b, *c = all_c;
    for (int n = 0; n < ADDITIONS; n++) {
        const float *s = scales + 3 * n;
        const int8_t *z = zero_points + 3 * n;
        const int32_t *form = forms + 3 * n;
        const struct addition sum = addition(s[0], z[0], s[1], z[1], s[2], z[2]);
        for (int k = 0; k < counts[n]; k++, a++, b++, c++) {
            check("qlinear_add", *a, *b, qlinear_add(&sum, *a, *b), *c);
            check("integer_add", *a, *b, integer_add(*a, *b, form[0], form[1], form[2], shift), *c);
        }
        for (int k = 0; k < PAIRS; k++) {
            const int8_t x = (int8_t)(k / 256 - 128), y = (int8_t)(k % 256 - 128), wanted = pairs[n * PAIRS + k];
            check("qlinear_add", x, y, qlinear_add(&sum, x, y), wanted);
            check("integer_add", x, y, integer_add(x, y, form[0], form[1], form[2], shift), wanted);
        }
    }
    for (int k = 0; k < directed_count; k++) {
        const float *s = directed_scale + 3 * k;
        const int32_t *z = directed_zero_point + 3 * k, *abc = directed_abc + 3 * k;
        const struct addition sum = addition(s[0], z[0], s[1], z[1], s[2], z[2]);
        check("directed qlinear_add", abc[0], abc[1], qlinear_add(&sum, (int8_t)abc[0], (int8_t)abc[1]), abc[2]);
    }
    for (int k = 0; k < PAIRS; k++) {
        const int8_t x = (int8_t)(k / 256 - 128), y = (int8_t)(k % 256 - 128);
        check("shared_scale_add", x, y, shared_scale_add(x, y, shared_zero_point), shared_pairs[k]);
    }
    printf("%d checks %s\n", checks, failures ? "FAILED" : "passed");
    return failures != 0;
}
