/* SPDX-License-Identifier: MIT */
/*
 * The state of the sink, for the files that write: write.c (records and definitions) and generation.c (generations).
 * Private to src/store.
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
	struct store_open_block *block; /* NULL: no block is open */
	uint32_t origin; /* the snapshot's number for origin_thread; 0: not asked for yet */
	uint32_t origin_thread;
};

/* The generation that is being written. */
struct generation {
	bool is_told; /* its beginning is in the file */
	uint64_t began_ns;
	uint64_t began_bytes;    /* length of the output after its repeated and carried data */
	uint64_t repeated_bytes; /* bytes of that data */
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
	uint64_t nr_lost;             /* records taken, but not written */
	uint64_t nr_refused;          /* events of batches that came after the failure */
	struct store_refused refused; /* both of these, and losses defined since, until END comes */
	uint64_t nr_lost_within;      /* losses that records and definitions report */
	uint64_t nr_not_folded;       /* records that the snapshot could not take */
	struct text definitions;      /* definitions that wait to be written */
	struct directory directory;
	VEC(struct stream) streams; /* indexed by the stream's number */
	struct store_open_block *spares;

	struct generation generation;
	uint64_t first_beat_ns; /* of the first heartbeat */
	struct store_repeated repeated;
	struct snapshot *snapshot;
};

/*
 * store_sink_open_output: opens a sink that writes to this output. The output is closed with the sink, and also if
 * opening fails.
 */
enum ct_status store_sink_open_output(struct store_output *output,
	const struct store_options *options, struct ct_sink **ret_sink, struct ct_error *reterr);

/* store_write_definitions: writes the definitions that wait. */
enum ct_status store_write_definitions(struct store_sink *store, struct ct_error *reterr);

/* store_take_spare: returns a block that is not in use; NULL: out of memory. */
struct store_open_block *store_take_spare(struct store_sink *store);
void store_give_spare(struct store_sink *store, struct store_open_block *block);

/*
 * store_generation_beat: everything up to this moment is written: ends the generation and begins the next one if it is
 * time. store_generation_end: ends the last generation.
 */
enum ct_status store_generation_beat(
	struct store_sink *store, uint64_t now_ns, struct ct_error *reterr);
void store_generation_end(struct store_sink *store, uint64_t now_ns);

/* store_generation_continue: continues the recording of which this file is a part, from this generation on. */
enum ct_status store_generation_continue(struct store_sink *store,
	const struct ct_define_generation *generation, struct ct_error *reterr);

#endif
