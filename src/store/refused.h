/* SPDX-License-Identifier: MIT */
/*
 * The losses of an output after it has failed, summed up so that a few definitions can report all of them, however much
 * was refused and for however long. Private to src/store.
 */
#ifndef STORE_REFUSED_H
#define STORE_REFUSED_H

#include "base/text.h"
#include "base/vec.h"
#include "stream/definition.h"

#define STORE_REFUSED_MOST 1024u

/* Zeroed: no losses. */
struct store_refused {
	VEC(struct ct_define_loss) losses; /* one for each process, thread and reason */
};

/*
 * store_refused_add: adds a loss to an earlier one of the same process, thread and reason, whose interval grows. If
 * there are STORE_REFUSED_MOST losses, or no memory for another, the loss is added to any loss of the same process,
 * which then belongs to no thread, and whose interval covers both. No count is dropped, unless there is no memory even
 * for the first loss.
 */
void store_refused_add(struct store_refused *refused, const struct ct_define_loss *loss);

/* store_refused_write: writes all losses as definitions, and empties the list. */
void store_refused_write(struct store_refused *refused, struct text *definitions);

void store_refused_fini(struct store_refused *refused);

#endif
