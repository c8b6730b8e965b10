/* SPDX-License-Identifier: MIT */
/*
 * Definitions that each generation repeats, so that it can be understood without those before it: everything
 * that was defined, the clock readings that tie its times to the recording's, and what was lost.
 */
#ifndef STORE_REPEATED_H
#define STORE_REPEATED_H

#include "base/map.h"
#include "store/output.h"
#include "stream/stream.h"
#include "base/text.h"
#include "base/vec.h"

/* Zeroed is empty. */
struct store_repeated {
	VEC(struct text) blocks; /* definitions, behind room for a block's header */
	struct map seen;         /* what is in there, to hashes of the words: see key_of */
	uint64_t nr_forgotten;   /* that found no room (64 MiB) */
	struct ct_define_clock epoch;
	struct ct_define_clock clocks[STORE_CLOCKS]; /* the last reading of each; clock 0: none */
	VEC(struct ct_define_loss) losses; /* added up by process, thread, reason and coroutine */
	struct map loss_at;
};

/* store_repeated_keep: takes up what a definition says for later parts. False: out of memory. */
bool store_repeated_keep(struct store_repeated *repeated, const struct ct_definition *definition);

/* store_repeated_write: into the output's present generation. */
enum ct_status store_repeated_write(
	struct store_repeated *repeated, struct store_output *output, struct ct_error *reterr);

void store_repeated_fini(struct store_repeated *repeated);

#endif
