/* SPDX-License-Identifier: MIT */
/*
 * What an output could not take any more, after it had failed: losses, gathered so that a few definitions tell of all
 * of them, whatever was refused and for how long. Private to src/store.
 */
#ifndef STORE_REFUSED_H
#define STORE_REFUSED_H

#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"
#include "stream/definition.h"

#define STORE_REFUSED_MOST 1024u

/* Zeroed is empty. */
struct store_refused {
	VEC(struct ct_define_loss) losses; /* one for each process, thread and reason */
};

/*
 * store_refused_add: with those of the same process, thread and reason before, whose interval grows. Where there are
 * STORE_REFUSED_MOST of these, or no memory for more, with another one of the same process, which is then of no thread,
 * and whose interval covers both; no count disappears, but where memory lacks for the first one of all.
 */
void store_refused_add(struct store_refused *refused, const struct ct_define_loss *loss);

/* store_refused_write: all of them, as definitions; nothing is left. */
void store_refused_write(struct store_refused *refused, struct text *definitions);

void store_refused_fini(struct store_refused *refused);

#endif
