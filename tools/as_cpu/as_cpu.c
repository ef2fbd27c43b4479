// as_cpu.c: makes patched programs and libraries see another x86 CPU. Preloaded by as_cpu.py.
//
// as_cpu.py replaces each CPUID instruction (0F A2) with UD0 (0F FF): the same length, undefined on every x86, and emitted by no
// compiler. The SIGILL handler below answers those, according to the environment variable OCTET_AS_CPU:
//
//   avx2       AVX2 and FMA, without AVX-512, AVX-VNNI, AVX10 and AMX.
//   avx2-vnni  the same with AVX-VNNI. Its instructions, which an older CPU does not have, raise SIGILL as well: see vnni.c.
//
// Any other SIGILL ends the process as usual.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "vnni.h"

#define BIT(n) (1u << (n))

static int has_vnni;

struct answer {
  unsigned eax, ebx, ecx, edx;
};

static struct answer cpuid_of_other(unsigned leaf, unsigned subleaf) {
  struct answer a;
  __cpuid_count(leaf, subleaf, a.eax, a.ebx, a.ecx, a.edx);
  if (leaf == 0 && a.eax > 0x1C) a.eax = 0x1C;  // no leaves of AMX (1D, 1E) and AVX10 (24)
  if (leaf == 7 && subleaf == 0) {
    if (has_vnni && a.eax == 0) a.eax = 1;  // the largest subleaf
    // AVX-512 F, DQ, IFMA, PF, ER, CD, BW, VL
    a.ebx &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
    // AVX-512 VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
    a.ecx &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));
    // AVX-512 4VNNIW, 4FMAPS, VP2INTERSECT, FP16; AMX BF16, TILE, INT8
    a.edx &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25));
  }
  if (leaf == 7 && subleaf == 1) {
    a.eax &= ~(BIT(4) | BIT(5) | BIT(21) | BIT(23));            // AVX-VNNI, AVX-512 BF16, AMX-FP16, AVX-IFMA
    a.edx &= ~(BIT(4) | BIT(5) | BIT(8) | BIT(10) | BIT(19));  // AVX-VNNI-INT8 and -INT16, NE-CONVERT, AMX-COMPLEX, AVX10
    if (has_vnni) a.eax |= BIT(4);
  }
  if (leaf == 0xD && subleaf == 0) a.eax &= ~(BIT(5) | BIT(6) | BIT(7) | BIT(17) | BIT(18));  // states of AVX-512 and AMX
  return a;
}

static void on_undefined_instruction(int signal_number, siginfo_t* info, void* context) {
  (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const unsigned char* instruction = (const unsigned char*)registers[REG_RIP];
  if (has_vnni && run_vnni((ucontext_t*)context)) return;
  if (instruction[0] != 0x0F || instruction[1] != 0xFF) {
    signal(signal_number, SIG_DFL);  // the instruction runs again, and ends the process
    return;
  }
  const struct answer a = cpuid_of_other((unsigned)registers[REG_RAX], (unsigned)registers[REG_RCX]);
  registers[REG_RAX] = a.eax;
  registers[REG_RBX] = a.ebx;
  registers[REG_RCX] = a.ecx;
  registers[REG_RDX] = a.edx;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void start(void) {
  const char* cpu = getenv("OCTET_AS_CPU");
  has_vnni = cpu && strcmp(cpu, "avx2-vnni") == 0;
  if (has_vnni) prepare_vnni();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_undefined_instruction;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
