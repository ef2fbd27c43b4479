/* An implementation that octet conformance can ask (docs/conformance.md): it requantizes, and leaves the rest out. With
   -DROUND=roundf it makes a mistake. Compile with -ffp-contract=off -lm. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef ROUND
#define ROUND nearbyintf /* ties to even */
#endif

static int requantize(int32_t acc, float multiplier, int zero_point)
{
    const float low = (float)(-128 - zero_point), high = (float)(127 - zero_point);
    const float t = (float)acc * multiplier;
    return (int)ROUND(t < low ? low : t > high ? high : t) + zero_point;
}

int main(void)
{
    char line[4096], operation[32];
    while (fgets(line, sizeof line, stdin)) {
        int32_t acc;
        uint32_t bits;
        int zero_point;
        float multiplier;
        sscanf(line, "%31s", operation);
        if (strcmp(operation, "requantize") == 0 && sscanf(line, "%*s %" SCNd32 " %" SCNx32 " %d", &acc, &bits, &zero_point) == 3) {
            memcpy(&multiplier, &bits, sizeof multiplier);
            printf("%d\n", requantize(acc, multiplier, zero_point));
        } else {
            puts("-");
        }
    }
    return 0;
}
