/* Compiled behind the C of docs/quantization/07-hardware-guide.md: every accumulator that can occur in every channel of ResNet8. */
#include <stdio.h>

#include "vectors.h"

enum { CHANNELS = sizeof m / sizeof m[0], MOST = 16 };

int main(void)
{
    int checks = 0, failures = 0;
    int32_t exceptions_at = 0;
    for (int channel = 0; channel < CHANNELS; channel++) {
        const struct requantizer r = {.m = m[channel], .shift = shifts[channel], .addend = addends[channel]};
        struct exception exceptions[MOST];
        const int32_t count = exception_counts[channel];
        for (int32_t i = 0; i < count; i++) {
            exceptions[i] = (struct exception){exception_acc[exceptions_at + i], exception_q[exceptions_at + i]};
            failures += requantize_integer(exceptions[i].acc, &r) == exceptions[i].q;  /* it would be none */
        }
        exceptions_at += count;
        for (int32_t acc = least[channel]; acc <= greatest[channel]; acc++, checks++)
            if (requantize_with_exceptions(acc, &r, exceptions, count) != requantize_float32(acc, multipliers[channel], zero_points[channel])) {
                failures++;
                printf("channel %d differs at %d\n", channel, acc);
            }
    }
    printf("%d checks %s\n", checks, failures ? "FAILED" : "passed");
    return failures != 0;
}
