/* SPDX-License-Identifier: MIT */
/* Chooses the process of a trace that is asked whether it attaches its probe. */
#ifndef EVENT_ATTACHING_H
#define EVENT_ATTACHING_H

#include <stdint.h>

#include "corotracer/event.h"

/* attaching_find_process: returns the first process that is not a launcher of others; 0: there is none. */
uint32_t attaching_find_process(const struct ct_tables *tables);

#endif
