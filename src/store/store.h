/* SPDX-License-Identifier: MIT */
/*
 * The trace file (.ctrace): written as the engine drains, read as a source.
 *
 * A file is a header and blocks, each guarded by a checksum and written by one call: whatever ends
 * the writer, all whole blocks can be read. The rules are in docs/spec/trace-format.md.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/input.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

/* How a trace is written. All zero is the default; NULL, too. */
struct store_options {
	uint64_t generation_ns;    /* a generation lasts at least so long; 0: a second */
	uint64_t generation_bytes; /* and ends when it has so many bytes; 0: 16 MiB */
	int pack_level;            /* of zstd, 1 to 19; 0: blocks are not packed */
};

/*
 * store_sink_open: a sink that writes a trace file. Bytes go to "PATH.partial", which can be read at
 * any time up to its last whole block, and gets its name at close; "-" is standard output, and what
 * is no regular file is written in place. SIGPIPE and SIGXFSZ must be ignored by the process where
 * the output may be a pipe or limited: the library changes no signal.
 *
 * When writing fails (a full disk, a closed pipe), put and flush return the failure, then and from then on; what was
 * written stays valid. The caller counts the records of batches that failed; store_sink_lost tells how many the sink
 * had taken before, and could not write. The file tells of both, with END, as losses with the reason OUTPUT; losses
 * that are defined after the failure are summed up by thread. Definitions of processes, losses, endings and the end are
 * still taken, and close writes them, into room that was kept for them where the output is a file. A sink is used by
 * one thread at a time.
 */
enum ct_status store_sink_open(const char *path, const struct store_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/* store_sink_lost: records taken with success that did not reach the file after all. */
uint64_t store_sink_lost(const struct ct_sink *sink);

/*
 * store_source_open: a source over a trace file of which nothing is trusted. The input is taken over, also on failure.
 * The whole file is looked through: its tables are complete when this returns, and their notes and losses say what
 * is damaged or missing. CT_ERR_FORMAT: no trace, or a newer format. A failure names the input, here and later.
 *
 * Events come by time. Within a stream they come as they were written: where a time goes back, the
 * event has the place of the latest time before it. At one instant they come by process, thread and
 * stream. Times are since the first clock reading.
 */
enum ct_status store_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * store_source_open_last: the same of the generations that begin within the last bytes of the file (0: all), which is a
 * part of the recording as store_cut would make it. The bytes before are not looked at. CT_ERR_UNSUPPORTED: none begins
 * there.
 */
enum ct_status store_source_open_last(struct input *input, uint64_t last_bytes,
	struct ct_source **ret_source, struct ct_error *reterr);

/*
 * store_follow_open: a source over a file that grows (input_open_growing), which is taken over, also on failure. Where
 * there is nothing more at present, next returns CT_AGAIN; CT_END once END was read, or nobody writes the file
 * any more: then `is_complete` of the tables says which. Events come up to the last heartbeat, in the order in
 * which store_source_open has them. Tables grow, and are valid until the next call of next; times of processes
 * and losses in them do not hold. A followed file cannot be read again from the beginning.
 */
enum ct_status store_follow_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * store_cut: the generations of a trace file that touch an interval, as a trace file of their own.
 * store_merge: parts of one recording, in any order; a generation that several of them have is taken once.
 * store_recover: every whole block; what is missing becomes a loss and notes, and an end is written.
 *
 * Blocks are copied as they lie, in a new file at `output` (see store_sink_open); `pack_level` not 0 packs
 * those that are not packed. A failure names the input. CT_ERR_USAGE: nothing lies in the interval, or the parts
 * are not of one recording, or contradict each other.
 */
enum ct_status store_cut(const char *path, ct_time from, ct_time to, int pack_level,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr);
enum ct_status store_merge(const char *const *paths, size_t nr_paths, int pack_level,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr);
enum ct_status store_recover(const char *path, int pack_level, const char *output,
	struct ct_part *ret_part, struct ct_error *reterr);

/* store_is_ours: does a file that begins so claim to be a trace file? */
bool store_is_ours(const void *first_bytes, size_t nr_bytes);

#endif
