// vnni.h: VPDPBUSD, VPDPBUSDS, VPDPWSSD and VPDPWSSDS in VEX encoding (AVX-VNNI) on CPUs without them.
#pragma once

#include <ucontext.h>

// Once, before the first instruction.
void prepare_vnni(void);

// For the SIGILL handler: returns whether the instruction at RIP is one of the four. Then the thread can go on from `context`.
int run_vnni(ucontext_t* context);
