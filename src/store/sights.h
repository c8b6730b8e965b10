/* SPDX-License-Identifier: MIT */
/* Which sights a trace has: those of the last look, and all that are of none (F-39). */
#ifndef STORE_SIGHTS_H
#define STORE_SIGHTS_H

#include "store/tables.h"

/* store_sights_apply: false: out of memory. store_sights_settle: makes their times those of the trace, once. */
bool store_sights_apply(struct store_tables *all, const struct ct_define_note *from);
void store_sights_settle(struct store_tables *all);

#endif
