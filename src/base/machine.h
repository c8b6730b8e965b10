/* SPDX-License-Identifier: MIT */
/*
 * The machine that this process runs on.
 */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdint.h>

/* machine_memory: so many bytes it has, or the control group of this process may take; 0: not known. */
uint64_t machine_memory(void);

#endif
