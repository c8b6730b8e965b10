/* SPDX-License-Identifier: MIT */
/* The process of a trace that is asked whether it attaches its probe, and programs that need none. */
#ifndef EVENT_ATTACHING_H
#define EVENT_ATTACHING_H

#include <stdint.h>

#include "corotracer/event.h"

/* attaching_go: programs of Go. Its question is a sentence: how such a program is traced, which has no probe. */
extern const struct ct_attaching attaching_go;

/* attaching_find_process: returns the first process that is not a launcher of others; 0: there is none. */
uint32_t attaching_find_process(const struct ct_tables *tables);

#endif
