/* Every operation of the conformance suite by the C of the chapters, which the test puts into chapter_NN.c. The argument is constants.csv. With -DMISTAKE=NUMBER one
   line is wrong, as the names below say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING, TIES_AWAY, W_OVER_Y_FIRST, MEAN_FIRST, NO_FMA, OVER_256, EXCEPTIONS_LEFT_OUT, RECIPROCAL, X_ZERO_POINT_LEFT_OUT };
#ifndef MISTAKE
#define MISTAKE NOTHING
#endif

#include <math.h>
#include "chapter_01.c"
static float rounded(float t) { return MISTAKE == TIES_AWAY ? roundf(t) : nearbyintf(t); }
#define nearbyintf rounded
#include "chapter_02.c"
#undef nearbyintf
#define requantize requantize_of_chapter_03
#include "chapter_03.c"
#undef requantize
static float fused(float a, float b, float c)
{
    const volatile float product = a * b;
    return MISTAKE == NO_FMA ? product + c : fmaf(a, b, c);
}
#define fmaf fused
#include "chapter_05.c"
#undef fmaf
#include "chapter_06.c"
#include "chapter_07.c"

enum { MOST_EXCEPTIONS = 64, MOST_UNITS = 512, MOST_THRESHOLDS = 256, MOST_ELEMENTS = 64 };

static struct unit {
    char step[64], kind[32], channel[16];
    struct requantizer line;
    int32_t m_b;
    struct exception exceptions[MOST_EXCEPTIONS];
    int32_t exception_count, threshold_count;
    float thresholds[MOST_THRESHOLDS];
} units[MOST_UNITS];
static int unit_count;

static float of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* The next cell of a line of CSV; an empty one is there too. */
static char *cell(char **line)
{
    char *const found = *line, *const end = found + strcspn(found, ",\n");
    *line = *end ? end + 1 : end;
    *end = 0;
    return found;
}

static void read_units(const char *path)
{
    static char line[1 << 16];
    FILE *const file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file))
        exit(3);
    while (fgets(line, sizeof line, file)) {
        struct unit *const u = &units[unit_count++];
        char *rest = line, *cells[16];
        for (int i = 0; i < 16; i++)
            cells[i] = cell(&rest);
        snprintf(u->step, sizeof u->step, "%s", cells[0]);
        snprintf(u->kind, sizeof u->kind, "%s", cells[1]);
        snprintf(u->channel, sizeof u->channel, "%s", *cells[2] ? cells[2] : "-");
        u->line = (struct requantizer){.m = atoi(cells[7]), .shift = atoi(cells[10]), .addend = atoll(cells[9])};
        u->m_b = atoi(cells[8]);
        for (char *word = strtok(cells[11], " "); word; word = strtok(NULL, " "))
            u->exceptions[u->exception_count++] = (struct exception){atoi(word), (int8_t)atoi(strchr(word, ':') + 1)};
        for (char *word = strtok(cells[15], " "); word; word = strtok(NULL, " "))
            u->thresholds[u->threshold_count++] = of_bits((uint32_t)strtoul(word, NULL, 16));
    }
    fclose(file);
}

static int of_step(const char *step, const char *channel, const char *input)
{
    for (const struct unit *u = units; u < units + unit_count; u++) {
        if (strcmp(u->step, step) || strcmp(u->channel, channel))
            continue;
        if (u->threshold_count) {
            int reached = 0;
            while (reached < u->threshold_count && of_bits((uint32_t)strtoul(input, NULL, 16)) >= u->thresholds[reached])
                reached++;
            return reached - 128;
        }
        if (strcmp(u->kind, "addition") == 0)
            return integer_add((int8_t)atoi(input), (int8_t)atoi(strchr(input, '/') + 1), u->line.m, u->m_b, (int32_t)u->line.addend, u->line.shift);
        return requantize_with_exceptions(atoi(input), &u->line, u->exceptions, MISTAKE == EXCEPTIONS_LEFT_OUT ? 0 : u->exception_count);
    }
    exit(4);
}

/* Pixels of which the sum, less their zero point, is acc. */
static int pooled(float x_scale, float y_scale, int pixels, int acc, int zero_point)
{
    static int8_t x[1 << 16];
    int8_t y;
    if (MISTAKE == MEAN_FIRST)
        return requantize((int32_t)nearbyint((double)acc / pixels), x_scale / y_scale, zero_point);
    const int x_zero_point = acc < 0 ? 0 : -128, least = acc / pixels - (acc % pixels < 0);
    for (int k = 0; k < pixels; k++)
        x[k] = (int8_t)(least + (k < acc - least * pixels) + x_zero_point);
    global_average_pool(1, pixels, x, x_scale, x_zero_point, y_scale, zero_point, &y);
    return y;
}

/* DequantizeLinear, a part of QLinearConcat, QLinearMul, QLinearSoftmax and integer sums: operators.md. */
static float dequantized(float scale, int zero_point, int q)
{
    return (float)(q - zero_point) * scale;
}

static int multiplied(float a_scale, int a_zero_point, float b_scale, int b_zero_point, float c_scale, int c_zero_point, int a, int b)
{
    const float product = (float)((a - a_zero_point) * (b - b_zero_point)) * (a_scale * b_scale / c_scale), t = nearbyintf(product + (float)c_zero_point);
    return t < -128 ? -128 : t > 127 ? 127 : (int)t;
}

static void softmax(float x_scale, float y_scale, int y_zero_point, char **x, int count)
{
    float e[MOST_ELEMENTS], sum = 0;
    int most = -128;
    const double shift = fmax(0, (double)logf(0x1.fffffep127f / (float)count) - 5) / x_scale;
    for (int k = 0; k < count; k++)
        most = atoi(x[k]) > most ? atoi(x[k]) : most;
    for (int k = 0; k < count; k++) {
        e[k] = (float)exp((atoi(x[k]) - most + shift) * x_scale);
        sum += e[k];
    }
    for (int k = 0; k < count; k++)
        printf(k ? " %d" : "%d", quantize_linear(e[k] * floorf(1.0f / y_scale) / sum, 1.0f, y_zero_point));
    putchar('\n');
}

static int32_t summed(int x_zero_point, int w_zero_point, int32_t start, char **x, char **w, int count)
{
    uint32_t acc = (uint32_t)start;
    for (int k = 0; k < count; k++)
        acc += (uint32_t)((atoi(x[k]) - (MISTAKE == X_ZERO_POINT_LEFT_OUT ? 0 : x_zero_point)) * (atoi(w[k]) - w_zero_point));
    return (int32_t)acc;
}

static void dynamic(const char *kind, const float *x, int32_t count)
{
    const int is_uint8 = strcmp(kind, "uint8") == 0;
    struct parameters p = is_uint8 ? dynamic_uint8(x, count) : strcmp(kind, "symmetric") == 0 ? symmetric_range(x, count) : asymmetric(x, count);
    printf("%08" PRIx32 " %" PRId32, bits_of(MISTAKE == OVER_256 ? p.scale * (255.0f / 256.0f) : p.scale), p.zero_point);
    for (int32_t i = 0; i < count; i++)
        printf(" %" PRId32, quantize_element(x[i], p, is_uint8 ? 0 : -128));
    putchar('\n');
}

int main(int argc, char **argv)
{
    static char line[1 << 14];
    if (argc != 2)
        return 2;
    read_units(argv[1]);
    puts("# the chapters' C");
    while (fgets(line, sizeof line, stdin)) {
        char *words[2 * MOST_ELEMENTS + 8] = {0};
        int count = 0;
        for (char *word = strtok(line, " \n"); word && count < 2 * MOST_ELEMENTS + 8; word = strtok(NULL, " \n"))
            words[count++] = word;
#define INTEGER(k) atoi(words[k])
#define REAL(k) of_bits((uint32_t)strtoul(words[k], NULL, 16))
        if (strcmp(words[0], "quantize") == 0)
            printf("%d\n", quantize_linear(MISTAKE == RECIPROCAL ? REAL(1) * (1.0f / REAL(2)) : REAL(1), MISTAKE == RECIPROCAL ? 1.0f : REAL(2), INTEGER(3)));
        else if (strcmp(words[0], "requantize") == 0)
            printf("%d\n", requantize(INTEGER(1), REAL(2), INTEGER(3)));
        else if (strcmp(words[0], "multiplier") == 0)
            printf("%d\n", requantize(INTEGER(4), MISTAKE == W_OVER_Y_FIRST ? REAL(1) * (REAL(2) / REAL(3)) : requantization_multiplier(REAL(1), REAL(2), REAL(3)), INTEGER(5)));
        else if (strcmp(words[0], "pool") == 0)
            printf("%d\n", pooled(REAL(1), REAL(2), INTEGER(3), INTEGER(4), INTEGER(5)));
        else if (strcmp(words[0], "add") == 0) {
            const struct addition s = addition(REAL(1), INTEGER(2), REAL(3), INTEGER(4), REAL(5), INTEGER(6));
            printf("%d\n", qlinear_add(&s, (int8_t)INTEGER(7), (int8_t)INTEGER(8)));
        } else if (strcmp(words[0], "dynamic") == 0) {
            float x[MOST_ELEMENTS];
            for (int k = 0; k < INTEGER(2); k++)
                x[k] = REAL(3 + k);
            dynamic(words[1], x, INTEGER(2));
        } else if (strcmp(words[0], "steps") == 0)
            printf("%d\n", of_step(words[1], words[2], words[3]));
        else if (strcmp(words[0], "dequantize") == 0)
            printf("%08" PRIx32 "\n", bits_of(dequantized(REAL(1), INTEGER(2), INTEGER(3))));
        else if (strcmp(words[0], "multiply") == 0)
            printf("%d\n", multiplied(REAL(1), INTEGER(2), REAL(3), INTEGER(4), REAL(5), INTEGER(6), INTEGER(7), INTEGER(8)));
        else if (strcmp(words[0], "concat") == 0)
            printf("%d\n", quantize_linear(dequantized(REAL(1), INTEGER(2), INTEGER(5)), REAL(3), INTEGER(4)));
        else if (strcmp(words[0], "softmax") == 0)
            softmax(REAL(1), REAL(2), INTEGER(3), words + 5, INTEGER(4));
        else if (strcmp(words[0], "sum") == 0)
            printf("%" PRId32 "\n", summed(INTEGER(1), INTEGER(2), INTEGER(3), words + 5, words + 6 + INTEGER(4), INTEGER(4)));
        else
            puts("-");
    }
    return 0;
}
