/* SPDX-License-Identifier: MIT */
/*
 * The machine that this process runs on.
 */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdint.h>

/*
 * machine_memory: returns the bytes of memory that the machine has, or that the control group of this process may use;
 * 0: not known.
 */
uint64_t machine_memory(void);

#endif
