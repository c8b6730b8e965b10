/* SPDX-License-Identifier: MIT */
/*
 * Which of the processes of a trace is the program that is asked whether it attaches its probe.
 */
#ifndef EVENT_ATTACHING_H
#define EVENT_ATTACHING_H

#include <stdint.h>

#include "corotracer/event.h"

/* attaching_find_process: the first one that is no launcher of others; 0: there is none. */
uint32_t attaching_find_process(const struct ct_tables *tables);

#endif
