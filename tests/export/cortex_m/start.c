/* What a Cortex-M needs before main: a vector table, data in RAM, and a way to say something under QEMU. */
#include <stdint.h>

int main(void);
extern uint32_t data_load[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

int semihost(int operation, const void *argument) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void reset(void) {
#if defined(__ARM_FP)
  *(volatile uint32_t *)0xE000ED88 |= 0xF00000; /* the floating-point unit */
  __asm__ volatile("dsb\nisb");
#endif
  const uint32_t *from = data_load;
  for (uint32_t *to = data_begin; to < data_end;) *to++ = *from++;
  for (uint32_t *to = bss_begin; to < bss_end;) *to++ = 0;
  main();
  semihost(0x18, (const void *)0x20026); /* the program ends */
  for (;;) {
  }
}

void fault(void) {
  semihost(0x04, "fault\n");
  semihost(0x18, (const void *)0x20023);
  for (;;) {
  }
}

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {stack_top, reset, fault, fault,
                                                                             fault,     fault, fault};

/* What compilers call by themselves. */
void *memset(void *to, int value, unsigned int count) {
  unsigned char *at = to;
  while (count-- > 0) {
    *at++ = (unsigned char)value;
    __asm__ volatile("");
  }
  return to;
}
void *memcpy(void *to, const void *from, unsigned int count) {
  unsigned char *at = to;
  const unsigned char *next = from;
  while (count-- > 0) {
    *at++ = *next++;
    __asm__ volatile("");
  }
  return to;
}
void *memmove(void *to, const void *from, unsigned int count) {
  unsigned char *at = to;
  const unsigned char *next = from;
  if (at <= next) return memcpy(to, from, count);
  while (count-- > 0) {
    at[count] = next[count];
    __asm__ volatile("");
  }
  return to;
}
