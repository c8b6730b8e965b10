/* SPDX-License-Identifier: MIT */
/*
 * The trace file (.ctrace): the engine writes it while it drains rings, and a reader reads it as a source.
 *
 * A file is a header and blocks. A checksum guards each block, and one call writes it: however the writer ends, all
 * whole blocks can be read. The rules are in docs/spec/trace-format.md.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/input.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

/* How a trace is written. All zero is the default, and so is NULL. */
struct store_options {
	uint64_t generation_ns;    /* least duration of a generation; 0: a second */
	uint64_t generation_bytes; /* a generation ends when it has this many bytes; 0: 16 MiB */
	int pack_level;            /* level of zstd, 1 to 19; 0: blocks are not packed */
};

/*
 * store_sink_open: opens a sink that writes a trace file. Bytes go to "PATH.partial", which can be read at any time up
 * to its last whole block, and gets its name at close; "-" is standard output, and anything that is not a regular file
 * is written in place. If the output may be a pipe or limited in size, the process must ignore SIGPIPE and SIGXFSZ: the
 * library changes no signal.
 *
 * When writing fails (a full disk, a closed pipe), put and flush return the failure, then and from then on; what was
 * written stays valid. The caller counts the records of batches that failed; store_sink_lost returns how many records
 * the sink had taken before the failure and could not write. The file reports both at its end, with END, as losses with
 * the reason OUTPUT; losses that are defined after the failure are summed up by thread. Definitions of processes,
 * losses, endings and the end are still taken, and close writes them, into space that was reserved for them if the
 * output is a file. One thread at a time uses a sink.
 */
enum ct_status store_sink_open(const char *path, const struct store_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/* store_sink_lost: returns the number of records that were taken with success but did not reach the file. */
uint64_t store_sink_lost(const struct ct_sink *sink);

/*
 * store_source_open: opens a source over a trace file, which is not trusted in anything. The source owns the input from
 * now on, even if opening fails. The whole file is scanned: the tables are complete when this returns, and their notes
 * and losses say what is damaged or missing. CT_ERR_FORMAT: not a trace, or a newer format. A failure names the input,
 * here and later.
 *
 * Events come in order of time. Within a stream they come in the order in which they were written: if a time goes back,
 * the event has the place of the latest time before it. At the same time events come by process, thread and stream.
 * Times count from the first clock reading.
 */
enum ct_status store_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * store_source_open_last: opens a source over the generations that begin within the last bytes of the file (0: all),
 * which is a part of the recording as store_cut would make it. The bytes before are not read. CT_ERR_UNSUPPORTED: no
 * generation begins there.
 */
enum ct_status store_source_open_last(struct input *input, uint64_t last_bytes,
	struct ct_source **ret_source, struct ct_error *reterr);

/*
 * store_follow_open: opens a source over a file that grows (input_open_growing). The source owns the input from now on,
 * even if opening fails. If there are no more events at present, next returns CT_AGAIN; CT_END after END was read, or
 * when no process writes the file any more: `is_complete` of the tables says which. Events come up to the last
 * heartbeat, in the order of store_source_open. The tables grow, and are valid until the next call of next; the times
 * of processes and losses in them are not final. A followed file cannot be read again from the beginning.
 */
enum ct_status store_follow_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * store_cut: writes the generations of a trace file that touch an interval into a trace file of their own.
 * store_merge: joins parts of one recording, in any order; a generation that several parts have is taken once.
 * store_recover: copies every whole block; what is missing becomes a loss and notes, and an end is written.
 *
 * Blocks are copied unchanged into a new file at `output` (see store_sink_open); if `pack_level` is not 0, unpacked
 * blocks are packed. A failure names the input. CT_ERR_USAGE: nothing lies in the interval, or the parts are not of one
 * recording, or contradict each other.
 */
enum ct_status store_cut(const char *path, ct_time from, ct_time to, int pack_level,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr);
enum ct_status store_merge(const char *const *paths, size_t nr_paths, int pack_level,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr);
enum ct_status store_recover(const char *path, int pack_level, const char *output,
	struct ct_part *ret_part, struct ct_error *reterr);

/* store_is_ours: returns whether a file that begins with these bytes claims to be a trace file. */
bool store_is_ours(const void *first_bytes, size_t nr_bytes);

#endif
