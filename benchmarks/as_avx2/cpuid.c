// Preloaded into a process whose libraries as_avx2.py has changed: answers their CPUID instructions as a CPU with AVX2 and
// without AVX-512, AVX-VNNI, AVX10 and AMX would.
//
// as_avx2.py has put UD0 (0F FF) in the place of each CPUID (0F A2): as long, undefined on every x86, and no compiler's. So
// the SIGILL of an 0F FF is one of those, and any other is what it would have been.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

struct answer {
  unsigned eax, ebx, ecx, edx;
};

#define BIT(n) (1u << (n))

static struct answer as_avx2(unsigned leaf, unsigned subleaf) {
  struct answer a;
  __cpuid_count(leaf, subleaf, a.eax, a.ebx, a.ecx, a.edx);
  if (leaf == 0 && a.eax > 0x1C) a.eax = 0x1C;  // no leaves of AMX (1D, 1E) and AVX10 (24)
  if (leaf == 7 && subleaf == 0) {
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
  }
  if (leaf == 0xD && subleaf == 0) a.eax &= ~(BIT(5) | BIT(6) | BIT(7) | BIT(17) | BIT(18));  // states of AVX-512 and AMX
  return a;
}

static void answer_cpuid(int signal_number, siginfo_t* info, void* context) {
  (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const unsigned char* instruction = (const unsigned char*)registers[REG_RIP];
  if (instruction[0] != 0x0F || instruction[1] != 0xFF) {
    signal(signal_number, SIG_DFL);  // the instruction runs again, and ends the process
    return;
  }
  const struct answer a = as_avx2((unsigned)registers[REG_RAX], (unsigned)registers[REG_RCX]);
  registers[REG_RAX] = a.eax;
  registers[REG_RBX] = a.ebx;
  registers[REG_RCX] = a.ecx;
  registers[REG_RDX] = a.edx;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void start(void) {
  struct sigaction action = {0};
  action.sa_sigaction = answer_cpuid;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
