/* SPDX-License-Identifier: MIT */
/*
 * The coarse clock: a word in each segment that a thread of the engine advances, for probes to which
 * reading the processor's counter is too dear.
 *
 * The word counts nanoseconds of CLOCK_MONOTONIC. The clock advances once a step, and later where the thread is kept
 * from running: how much later is known, and is the clock's uncertainty. Words are added and removed by one thread.
 */
#ifndef COLLECT_COARSE_H
#define COLLECT_COARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"

#define COARSE_STEP_NS UINT64_C(100000) /* where nothing else is asked for */

struct coarse;

/* collect_coarse_open: nothing runs before the first word is added. */
enum ct_status collect_coarse_open(
	uint64_t step_ns, uint32_t max_words, struct coarse **ret_coarse, struct ct_error *reterr);

/* collect_coarse_close: ends the thread. NULL is allowed. */
void collect_coarse_close(struct coarse *coarse);

/*
 * collect_coarse_add: advances the word, from now on and at least until collect_coarse_remove returns; it showed
 * `since_ns` up to now. False: there is no room for it, or the thread could not be started.
 */
bool collect_coarse_add(struct coarse *coarse, uint64_t *word, uint64_t since_ns);

/* collect_coarse_remove: lets go of a word; one that was never added is nothing. */
void collect_coarse_remove(struct coarse *coarse, const uint64_t *word);

/* collect_coarse_lag_ns: the furthest that any word has been behind, so far. Any thread may ask. */
uint64_t collect_coarse_lag_ns(struct coarse *coarse);

#endif
