/* SPDX-License-Identifier: MIT */
/*
 * Definitions that each generation repeats, so that it can be understood without the generations before it: all
 * definitions so far, the clock readings that relate its times to the recording's, and the losses.
 */
#ifndef STORE_REPEATED_H
#define STORE_REPEATED_H

#include "base/map.h"
#include "store/output.h"
#include "stream/stream.h"
#include "base/text.h"
#include "base/vec.h"

/* Zeroed: empty. */
struct store_repeated {
	/* definitions, each text with room for a block header at its start */
	VEC(struct text) blocks;
	/* keys (see key_of) of the definitions in `blocks`, to hashes of their bytes */
	struct map seen;
	uint64_t nr_forgotten; /* definitions for which there was no room (64 MiB) */
	struct ct_define_clock epoch;
	/* the last reading of each clock; clock 0: none */
	struct ct_define_clock clocks[STORE_CLOCKS];
	VEC(struct ct_define_loss) losses; /* summed up by process, thread, reason and coroutine */
	struct map loss_at;
};

/* store_repeated_keep: keeps what a definition says for later generations. Returns false if out of memory. */
bool store_repeated_keep(struct store_repeated *repeated, const struct ct_definition *definition);

/* store_repeated_write: writes the definitions into the output's present generation. */
enum ct_status store_repeated_write(
	struct store_repeated *repeated, struct store_output *output, struct ct_error *reterr);

void store_repeated_fini(struct store_repeated *repeated);

#endif
