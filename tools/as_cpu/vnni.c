// A signal for each instruction would take microseconds. So the first signal of an instruction replaces it with a jump to a few
// AVX2 instructions that compute the same, and back. Where that can't be done (an operand relative to RSP or RIP, words with
// saturation) the instruction is emulated in C, each time.
#define _GNU_SOURCE
#include "vnni.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- vector registers in a signal frame: 16 bytes of each in the FXSAVE area, the upper 16 in the AVX area of XSAVE

enum { kXmm = 160, kXstate = 512, kYmmHigh = 576, kSse = 2, kAvx = 4 };

typedef union {
  uint8_t u8[32];
  int8_t s8[32];
  int16_t s16[16];
  int32_t s32[8];
} vector;

// A component in its initial state is not saved: its registers are zero, and what lies there is not theirs.
static void require_component(uint8_t* frame, uint64_t component, size_t offset) {
  uint64_t saved;
  memcpy(&saved, frame + kXstate, sizeof saved);
  if (saved & component) return;
  memset(frame + offset, 0, 256);
  saved |= component;
  memcpy(frame + kXstate, &saved, sizeof saved);
}

static vector vector_register(const uint8_t* frame, unsigned k) {
  vector v;
  memcpy(v.u8, frame + kXmm + 16 * k, 16);
  memcpy(v.u8 + 16, frame + kYmmHigh + 16 * k, 16);
  return v;
}

// ---- VEX.128/256.66.0F38.W0 50 to 53 /r

static const int kRegisters[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

// The address of a memory operand whose ModRM byte is at `at`; *end is behind the operand. The instruction has no immediate.
static const uint8_t* memory_operand(const greg_t* registers, const uint8_t* at, unsigned x, unsigned b, const uint8_t** end) {
  const unsigned mod = *at >> 6, rm = *at & 7;
  ++at;
  int64_t address = 0;
  int32_t displacement = 0;
  int relative = 0, wide = mod == 2;
  if (rm == 4) {
    const unsigned scale = *at >> 6, index = ((*at >> 3) & 7) | x << 3, base = (*at & 7) | b << 3;
    if ((base & 7) == 5 && mod == 0)
      wide = 1;
    else
      address = registers[kRegisters[base]];
    if (index != 4) address += registers[kRegisters[index]] * (1 << scale);
    ++at;
  } else if (rm == 5 && mod == 0) {
    relative = wide = 1;
  } else {
    address = registers[kRegisters[rm | b << 3]];
  }
  if (wide) {
    memcpy(&displacement, at, 4);
    at += 4;
  } else if (mod == 1) {
    displacement = (int8_t)*at++;
  }
  *end = at;
  return (const uint8_t*)(uintptr_t)(address + displacement + (relative ? (int64_t)(uintptr_t)at : 0));
}

// sum[k] += the products of 4 bytes (unsigned in a, signed in b) or of 2 signed words.
static void multiply_add(vector* sum, const vector* a, const vector* b, unsigned opcode, int lanes) {
  for (int k = 0; k < lanes; ++k) {
    int64_t exact = sum->s32[k];
    if (opcode < 0x52)
      for (int i = 4 * k; i < 4 * k + 4; ++i) exact += a->u8[i] * b->s8[i];
    else
      for (int i = 2 * k; i < 2 * k + 2; ++i) exact += (int64_t)a->s16[i] * b->s16[i];
    if (opcode & 1) exact = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
    sum->s32[k] = (int32_t)(uint32_t)(uint64_t)exact;
  }
}

// Emulates the instruction at `at`, which is one of the four.
static void emulate(ucontext_t* context, const uint8_t* at) {
  greg_t* registers = context->uc_mcontext.gregs;
  uint8_t* frame = (uint8_t*)context->uc_mcontext.fpregs;
  require_component(frame, kSse, kXmm);
  require_component(frame, kAvx, kYmmHigh);
  const unsigned r = !(at[1] & 0x80), x = !(at[1] & 0x40), b = !(at[1] & 0x20);
  const unsigned first = (~at[2] >> 3) & 15, destination = ((at[4] >> 3) & 7) | r << 3, opcode = at[3];
  const int lanes = at[2] & 4 ? 8 : 4;
  const uint8_t* end = at + 5;
  vector second = {{0}};
  if (at[4] >> 6 == 3)
    second = vector_register(frame, (at[4] & 7) | b << 3);
  else
    memcpy(second.u8, memory_operand(registers, at + 4, x, b, &end), 4 * (size_t)lanes);
  const vector a = vector_register(frame, first);
  vector sum = vector_register(frame, destination);
  multiply_add(&sum, &a, &second, opcode, lanes);
  if (lanes == 4) memset(sum.u8 + 16, 0, 16);
  memcpy(frame + kXmm + 16 * destination, sum.u8, 16);
  memcpy(frame + kYmmHigh + 16 * destination, sum.u8 + 16, 16);
  registers[REG_RIP] = (greg_t)(uintptr_t)end;
}

// ---- replacements

enum { kJump = 0xE9, kInvalid = 0x06, kJumpBytes = 5, kChunkBytes = 1 << 18, kMostCode = 512, kFrame = 0x100 };
enum { k0F = 1, k0F38 = 2, k0F3A = 3 };          // opcode maps
enum { k66 = 1, kF3 = 2 };                       // prefixes
enum { kNone = 0 };                              // vvvv of an instruction without a second source

struct chunk {
  uint8_t *begin, *end;
};

static struct chunk chunks[64];
static int chunk_count;
static atomic_flag patching = ATOMIC_FLAG_INIT;

static uint8_t* put_vex(uint8_t* to, unsigned map, unsigned prefix, int wide, unsigned opcode, unsigned reg, unsigned source,
                        unsigned rm) {
  *to++ = 0xC4;
  *to++ = (uint8_t)((reg < 8) << 7 | 1 << 6 | (rm < 8) << 5 | map);
  *to++ = (uint8_t)((~source & 15) << 3 | (unsigned)wide << 2 | prefix);
  *to++ = (uint8_t)opcode;
  *to++ = (uint8_t)(0xC0 | (reg & 7) << 3 | (rm & 7));
  return to;
}

// destination = source shifted: an opcode with an extension in the reg field, and an immediate.
static uint8_t* put_shift(uint8_t* to, int wide, unsigned opcode, unsigned extension, unsigned destination, unsigned source, int by) {
  to = put_vex(to, k0F, k66, wide, opcode, extension, destination, source);
  *to++ = (uint8_t)by;
  return to;
}

// Moves a whole register to (7F) or from (6F) [RSP + offset].
static uint8_t* put_spill(uint8_t* to, unsigned opcode, unsigned reg, int offset) {
  to = put_vex(to, k0F, kF3, 1, opcode, reg, kNone, 4);
  to[-1] = (uint8_t)(0x44 | (reg & 7) << 3);
  *to++ = 0x24;
  *to++ = (uint8_t)offset;
  return to;
}

static uint8_t* put_move_stack(uint8_t* to, int32_t by) {  // LEA keeps the flags
  static const uint8_t kLea[] = {0x48, 0x8D, 0xA4, 0x24};
  memcpy(to, kLea, sizeof kLea);
  memcpy(to + sizeof kLea, &by, sizeof by);
  return to + sizeof kLea + sizeof by;
}

static uint8_t* put_jump(uint8_t* to, const uint8_t* target) {
  const int32_t distance = (int32_t)(target - (to + kJumpBytes));
  *to = kJump;
  memcpy(to + 1, &distance, sizeof distance);
  return to + kJumpBytes;
}

enum { kSllWord = 6, kSraWord = 4, kSrlWord = 2, kShiftWords = 0x71, kShiftDwords = 0x72, kSrad = 4, kSrld = 2 };
enum { kMaddwd = 0xF5, kAddDwords = 0xFE, kXor = 0xEF, kAnd = 0xDB, kEqualDwords = 0x76, kBlendSigns = 0x4A };

// What the instruction at `at` does, then a jump behind it. Returns null where that is not possible.
static uint8_t* put_replacement(uint8_t* to, const uint8_t* at) {
  const unsigned r = !(at[1] & 0x80), b = !(at[1] & 0x20), opcode = at[3], mod = at[4] >> 6, rm = at[4] & 7;
  const unsigned a = (~at[2] >> 3) & 15, sum = ((at[4] >> 3) & 7) | r << 3;
  const int wide = (at[2] & 4) != 0, in_memory = mod != 3;
  const int on_stack = rm == 4 && (at[5] & 7) == 4 && !b, relative = rm == 5 && mod == 0;
  if (opcode == 0x53 || (in_memory && (on_stack || relative))) return NULL;

  unsigned factor = rm | b << 3, t[4];
  for (unsigned k = 0, found = 0; found < 4; ++k)
    if (k != a && k != sum && (in_memory || k != factor)) t[found++] = k;
  to = put_move_stack(to, -kFrame);  // past the red zone
  for (int k = 0; k < 4; ++k) to = put_spill(to, 0x7F, t[k], 32 * k);
  const uint8_t* end = at + 5;
  if (in_memory) {
    static const greg_t kNoRegisters[NGREG];
    memory_operand(kNoRegisters, at + 4, 0, b, &end);  // for its length
    factor = t[3];
    to = put_vex(to, k0F, kF3, wide, 0x6F, factor, kNone, 0);
    to[-4] = (uint8_t)((to[-4] & 0x9F) | (at[1] & 0x60));
    to[-1] = (uint8_t)((at[4] & 0xC7) | (factor & 7) << 3);
    memcpy(to, at + 5, (size_t)(end - at - 5));
    to += end - at - 5;
  }
  if (opcode == 0x52) {
    to = put_vex(to, k0F, k66, wide, kMaddwd, t[0], a, factor);
  } else {
    to = put_shift(to, wide, kShiftWords, kSllWord, t[0], factor, 8);
    to = put_shift(to, wide, kShiftWords, kSraWord, t[0], t[0], 8);
    to = put_shift(to, wide, kShiftWords, kSllWord, t[1], a, 8);
    to = put_shift(to, wide, kShiftWords, kSrlWord, t[1], t[1], 8);
    to = put_vex(to, k0F, k66, wide, kMaddwd, t[0], t[1], t[0]);
    to = put_shift(to, wide, kShiftWords, kSrlWord, t[1], a, 8);
    to = put_shift(to, wide, kShiftWords, kSraWord, t[2], factor, 8);
    to = put_vex(to, k0F, k66, wide, kMaddwd, t[1], t[1], t[2]);
    to = put_vex(to, k0F, k66, wide, kAddDwords, t[0], t[0], t[1]);
  }
  if (opcode == 0x51) {
    to = put_vex(to, k0F, k66, wide, kAddDwords, t[1], sum, t[0]);
    to = put_vex(to, k0F, k66, wide, kXor, t[2], sum, t[1]);
    to = put_vex(to, k0F, k66, wide, kXor, t[0], t[0], t[1]);
    to = put_vex(to, k0F, k66, wide, kAnd, t[2], t[2], t[0]);  // its sign: the sum has overflowed
    to = put_shift(to, wide, kShiftDwords, kSrad, t[0], sum, 31);
    to = put_vex(to, k0F, k66, wide, kEqualDwords, t[3], t[3], t[3]);
    to = put_shift(to, wide, kShiftDwords, kSrld, t[3], t[3], 1);
    to = put_vex(to, k0F, k66, wide, kXor, t[0], t[0], t[3]);  // the limit on the side of the old sum
    to = put_vex(to, k0F3A, k66, wide, kBlendSigns, sum, t[1], t[0]);
    *to++ = (uint8_t)(t[2] << 4);
  } else {
    to = put_vex(to, k0F, k66, wide, kAddDwords, sum, sum, t[0]);
  }
  for (int k = 0; k < 4; ++k) to = put_spill(to, 0x6F, t[k], 32 * k);
  to = put_move_stack(to, kFrame);
  return put_jump(to, end);
}

// Memory for a replacement within the reach of a jump from `at`.
static struct chunk* chunk_near(const uint8_t* at) {
  for (int k = 0; k < chunk_count; ++k) {
    const ptrdiff_t distance = chunks[k].begin - at;
    if (chunks[k].end - chunks[k].begin >= kMostCode && distance > -0x70000000 && distance < 0x70000000) return &chunks[k];
  }
  if (chunk_count == sizeof chunks / sizeof chunks[0]) return NULL;
  for (intptr_t step = 1; step < 0x60; ++step)
    for (int side = -1; side <= 1; side += 2) {
      uint8_t* const wanted = (uint8_t*)(((intptr_t)at & -(intptr_t)kChunkBytes) + side * step * 0x1000000);
      uint8_t* const got = mmap(wanted, kChunkBytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (got == MAP_FAILED) continue;
      if (got == wanted) {
        chunks[chunk_count] = (struct chunk){got, got + kChunkBytes};
        return &chunks[chunk_count++];
      }
      munmap(got, kChunkBytes);
    }
  return NULL;
}

static void synchronize_cores(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0); }

static int make_writable(uint8_t* at) {
  const uintptr_t page = 4096, begin = (uintptr_t)at & -page, end = ((uintptr_t)at + kJumpBytes + page - 1) & -page;
  return mprotect((void*)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

// While one thread replaces an instruction others may come to it. They see the old instruction, an invalid one, which leads them
// here and back, or the jump.
static int replace(uint8_t* at) {
  struct chunk* chunk = chunk_near(at);
  uint8_t* const end = chunk ? put_replacement(chunk->begin, at) : NULL;
  if (!end || !make_writable(at)) return 0;
  uint8_t jump[kJumpBytes];
  const int32_t distance = (int32_t)(chunk->begin - (at + kJumpBytes));
  jump[0] = kJump;
  memcpy(jump + 1, &distance, sizeof distance);
  chunk->begin = end;
  *(volatile uint8_t*)at = kInvalid;
  synchronize_cores();
  memcpy(at + 1, jump + 1, sizeof distance);
  synchronize_cores();
  *(volatile uint8_t*)at = kJump;
  synchronize_cores();
  return 1;
}

void prepare_vnni(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0); }

int run_vnni(ucontext_t* context) {
  uint8_t* const at = (uint8_t*)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  while (atomic_flag_test_and_set(&patching)) {
  }
  int done = *at == kJump;  // another thread has replaced it since the signal was sent
  if (!done && at[0] == 0xC4 && (at[1] & 0x1F) == k0F38 && (at[2] & 0x83) == k66 && at[3] >= 0x50 && at[3] <= 0x53) {
    done = 1;
    if (!replace(at)) emulate(context, at);
  }
  atomic_flag_clear(&patching);
  return done;
}
