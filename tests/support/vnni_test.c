// The four AVX-VNNI instructions in VEX encoding, in every form of operands, against plain C. Run by as_cpu_test.py with
// tools/as_cpu preloaded, on one thread and on four at once.
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef union {
  __m256i v;
  uint8_t u8[32];
  int8_t s8[32];
  int16_t s16[16];
  int32_t s32[8];
} lanes;

static lanes table[4] __attribute__((aligned(32)));  // read relative to RIP

static lanes expected(int opcode, lanes sum, const lanes* a, const lanes* b, int count) {
  for (int k = 0; k < 8; ++k) {
    int64_t exact = sum.s32[k];
    if (opcode < 2)
      for (int i = 4 * k; i < 4 * k + 4; ++i) exact += a->u8[i] * b->s8[i];
    else
      for (int i = 2 * k; i < 2 * k + 2; ++i) exact += (int64_t)a->s16[i] * b->s16[i];
    if (opcode & 1) exact = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
    sum.s32[k] = k < count ? (int32_t)(uint32_t)exact : 0;
  }
  return sum;
}

// Each form of one instruction as a function: registers below and above 8, sources that are the destination, memory.
#define FORMS(name)                                                                                                       \
  static __m256i name##_low(__m256i s, __m256i a, const __m256i* b) {                                                     \
    __asm__ volatile("vmovdqu %2, %%ymm3\n vmovdqa %1, %%ymm2\n vmovdqa %0, %%ymm1\n %{vex%} " #name                        \
                     " %%ymm3, %%ymm2, %%ymm1\n vmovdqa %%ymm1, %0"                                                       \
                     : "+x"(s) : "x"(a), "m"(*b) : "xmm1", "xmm2", "xmm3");                                               \
    return s;                                                                                                             \
  }                                                                                                                       \
  static __m256i name##_high(__m256i s, __m256i a, const __m256i* b) {                                                    \
    __asm__ volatile("vmovdqu %2, %%ymm15\n vmovdqa %1, %%ymm9\n vmovdqa %0, %%ymm12\n %{vex%} " #name                      \
                     " %%ymm15, %%ymm9, %%ymm12\n vmovdqa %%ymm12, %0"                                                    \
                     : "+x"(s) : "x"(a), "m"(*b) : "xmm15", "xmm9", "xmm12");                                             \
    return s;                                                                                                             \
  }                                                                                                                       \
  static __m256i name##_half(__m256i s, __m256i a, const __m256i* b) {                                                    \
    __asm__ volatile("vmovdqu %2, %%ymm3\n vmovdqa %1, %%ymm2\n vmovdqa %0, %%ymm10\n %{vex%} " #name                       \
                     " %%xmm3, %%xmm2, %%xmm10\n vmovdqa %%ymm10, %0"                                                     \
                     : "+x"(s) : "x"(a), "m"(*b) : "xmm10", "xmm2", "xmm3");                                              \
    return s;                                                                                                             \
  }                                                                                                                       \
  static __m256i name##_memory(__m256i s, __m256i a, const __m256i* b) {                                                  \
    __asm__ volatile("%{vex%} " #name " (%2), %1, %0" : "+x"(s) : "x"(a), "r"(b), "m"(*b));                                 \
    return s;                                                                                                             \
  }                                                                                                                       \
  static __m256i name##_indexed(__m256i s, __m256i a, const __m256i* b) {                                                 \
    register const char* base __asm__("r13") = (const char*)b - 24 - 0x1234;                                              \
    register long index __asm__("r12") = 3;                                                                               \
    __asm__ volatile("%{vex%} " #name " 0x1234(%2,%3,8), %1, %0" : "+x"(s) : "x"(a), "r"(base), "r"(index), "m"(*b));       \
    return s;                                                                                                             \
  }                                                                                                                       \
  static __m256i name##_near(__m256i s, __m256i a, const __m256i* b) {                                                    \
    register const char* base __asm__("rbx") = (const char*)b + 16;                                                       \
    __asm__ volatile("%{vex%} " #name " -16(%2), %1, %0" : "+x"(s) : "x"(a), "r"(base), "m"(*b));                           \
    return s;                                                                                                             \
  }                                                                                                                       \
  static __m256i name##_stack(__m256i s, __m256i a, const __m256i* b) {                                                   \
    __asm__ volatile("lea -512(%%rsp), %%rsp\n vmovdqu (%2), %%ymm7\n vmovdqu %%ymm7, 64(%%rsp)\n %{vex%} " #name           \
                     " 64(%%rsp), %1, %0\n lea 512(%%rsp), %%rsp"                                                         \
                     : "+x"(s) : "x"(a), "r"(b), "m"(*b) : "xmm7", "memory");                                             \
    return s;                                                                                                             \
  }                                                                                                                       \
  static __m256i name##_relative(__m256i s, __m256i a, const __m256i* b) {                                                \
    (void)b;                                                                                                              \
    __asm__ volatile("%{vex%} " #name " 32+%c2(%%rip), %1, %0" : "+x"(s) : "x"(a), "i"(table) : "memory");                  \
    return s;                                                                                                             \
  }

FORMS(vpdpbusd)
FORMS(vpdpbusds)
FORMS(vpdpwssd)
FORMS(vpdpwssds)

typedef __m256i (*form)(__m256i, __m256i, const __m256i*);
#define ALL(name) {name##_low, name##_high, name##_memory, name##_indexed, name##_near, name##_stack, name##_relative, name##_half}
enum { kForms = 8, kRelative = 6, kHalf = 7, kRounds = 1500 };
static const form forms[4][kForms] = {ALL(vpdpbusd), ALL(vpdpbusds), ALL(vpdpwssd), ALL(vpdpwssds)};

static uint64_t next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static void fill(lanes* to, uint64_t* state, int extreme) {
  for (int k = 0; k < 8; ++k) to->s32[k] = (int32_t)(next(state) << 16 ^ next(state));
  if (extreme)
    for (int k = 0; k < 32; ++k) to->u8[k] = "\x7f\x80\xff\x00"[next(state) & 3];
}

static void* check(void* seed) {
  uint64_t state = (uint64_t)(uintptr_t)seed;
  long wrong = 0;
  for (int round = 0; round < kRounds; ++round)
    for (int opcode = 0; opcode < 4; ++opcode)
      for (int k = 0; k < kForms; ++k) {
        lanes sum, a, b;
        fill(&sum, &state, round & 1);
        fill(&a, &state, round & 2);
        fill(&b, &state, round & 4);
        lanes got;
        got.v = forms[opcode][k](sum.v, a.v, &b.v);
        const lanes want = expected(opcode, sum, &a, k == kRelative ? &table[1] : &b, k == kHalf ? 4 : 8);
        if (memcmp(&got, &want, sizeof got) != 0 && wrong++ < 4) printf("instruction %d, form %d: wrong\n", opcode, k);
      }
  return (void*)(intptr_t)wrong;
}

int main(void) {
  uint64_t state = 7;
  for (int k = 0; k < 4; ++k) fill(&table[k], &state, k & 1);
  pthread_t threads[4];
  for (intptr_t k = 0; k < 4; ++k) pthread_create(&threads[k], NULL, check, (void*)(k + 1));
  long wrong = 0;
  for (int k = 0; k < 4; ++k) {
    void* found;
    pthread_join(threads[k], &found);
    wrong += (long)(intptr_t)found;
  }
  printf("%d results of each form on 4 threads, %ld wrong\n", kRounds, wrong);
  return wrong != 0;
}
