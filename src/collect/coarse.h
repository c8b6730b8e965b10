/* SPDX-License-Identifier: MIT */
/*
 * The coarse clock: a word in each segment, advanced by a thread of the engine, for probes that cannot afford to read
 * the processor's counter.
 *
 * The word counts nanoseconds of CLOCK_MONOTONIC. The clock advances once a step, and later if the thread is kept from
 * running; the longest delay is measured, and is the clock's uncertainty. One thread adds and removes words.
 */
#ifndef COLLECT_COARSE_H
#define COLLECT_COARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"

#define COARSE_STEP_NS UINT64_C(100000) /* the default */

struct coarse;

/* collect_coarse_open: makes the clock; its thread starts when the first word is added. */
enum ct_status collect_coarse_open(
	uint64_t step_ns, uint32_t max_words, struct coarse **ret_coarse, struct ct_error *reterr);

/* collect_coarse_close: ends the thread. NULL is allowed. */
void collect_coarse_close(struct coarse *coarse);

/*
 * collect_coarse_add: advances the word from now on, until collect_coarse_remove returns or longer; up to now the word
 * showed `since_ns`. Returns false if there is no room for the word, or the thread could not be started.
 */
bool collect_coarse_add(struct coarse *coarse, uint64_t *word, uint64_t since_ns);

/* collect_coarse_remove: stops advancing a word. A word that was never added is ignored. */
void collect_coarse_remove(struct coarse *coarse, const uint64_t *word);

/* collect_coarse_lag_ns: returns the longest delay of any word so far. Any thread may ask. */
uint64_t collect_coarse_lag_ns(struct coarse *coarse);

#endif
