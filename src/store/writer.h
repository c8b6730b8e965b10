/* SPDX-License-Identifier: MIT */
/*
 * The sink's state, for the files that write: write.c (records and definitions) and generation.c (parts that
 * can be understood alone). Private to src/store.
 */
#ifndef STORE_WRITER_H
#define STORE_WRITER_H

#include "stream/directory.h"
#include "snapshot/snapshot.h"
#include "store/store.h"
#include "store/open_block.h"
#include "store/output.h"
#include "store/refused.h"
#include "store/repeated.h"
#include "base/vec.h"

struct stream {
	struct store_open_block *block; /* NULL: none open */
	uint32_t origin; /* the snapshot's number for its present thread; 0: not asked for yet */
	uint32_t origin_thread;
};

/* The part that is being written. */
struct generation {
	bool is_told; /* its beginning is in the file */
	uint64_t began_ns;
	uint64_t began_bytes;    /* of the output, behind what it repeats and carries */
	uint64_t repeated_bytes; /* of that */
	uint64_t began_events;
	uint64_t began_lost;
};

struct store_sink {
	struct ct_sink sink;
	struct store_options options;
	struct store_output *output;
	bool has_failed;
	struct ct_error failure;
	uint64_t nr_taken;
	uint64_t nr_lost;             /* taken, and not written */
	uint64_t nr_refused;          /* events of batches that came after the failure */
	struct store_refused refused; /* both of these, and losses told since, until END comes */
	uint64_t nr_lost_within;      /* that records and definitions tell of */
	uint64_t nr_not_folded;       /* records that the snapshot could not take */
	struct text definitions;      /* bytes that wait to be written */
	struct directory directory;
	VEC(struct stream) streams; /* by number */
	struct store_open_block *spares;

	struct generation generation;
	uint64_t first_beat_ns; /* of the first heartbeat */
	struct store_repeated repeated;
	struct snapshot *snapshot;
};

/* store_sink_open_output: a sink into this output, which is closed with it, also where this fails. */
enum ct_status store_sink_open_output(struct store_output *output,
	const struct store_options *options, struct ct_sink **ret_sink, struct ct_error *reterr);

/* store_write_definitions: those that wait. */
enum ct_status store_write_definitions(struct store_sink *store, struct ct_error *reterr);

/* store_take_spare: a block that is not in use; NULL: out of memory. */
struct store_open_block *store_take_spare(struct store_sink *store);
void store_give_spare(struct store_sink *store, struct store_open_block *block);

/*
 * store_generation_beat: everything up to this moment is written: ends the generation and begins the
 * next one if it is time. store_generation_end: the last one ends here.
 */
enum ct_status store_generation_beat(
	struct store_sink *store, uint64_t now_ns, struct ct_error *reterr);
void store_generation_end(struct store_sink *store, uint64_t now_ns);

/* store_generation_continue: what is written is a part of a recording, from this generation on. */
enum ct_status store_generation_continue(struct store_sink *store,
	const struct ct_define_generation *generation, struct ct_error *reterr);

#endif
