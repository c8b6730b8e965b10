/* SPDX-License-Identifier: MIT */
/*
 * The segments, streams and clocks defined so far: for sinks that must know whose a record is, and when it was.
 */
#ifndef STREAM_DIRECTORY_H
#define STREAM_DIRECTORY_H

#include "stream/stream.h"
#include "base/timeline.h"
#include "base/vec.h"

#define DIRECTORY_CLOCKS 4 /* enum ctp_clock */

struct directory_segment {
	uint32_t process;
	uint32_t role;
	uint32_t clock; /* below DIRECTORY_CLOCKS; CTP_CLOCK_NONE: not known */
};

/* Zeroed is empty. Segments and streams are found by their numbers. */
struct directory {
	VEC(struct directory_segment) segments;
	VEC(uint32_t) segment_of; /* a stream's segment; 0: the stream is not defined */
	struct timeline timelines[DIRECTORY_CLOCKS];
};

/* directory_note: takes up a definition, whatever it defines. False: out of memory. */
bool directory_note(struct directory *directory, const struct ct_definition *definition);
void directory_fini(struct directory *directory);

/* directory_has: is the stream defined? */
static inline bool directory_has(const struct directory *directory, uint32_t stream)
{
	return stream < directory->segment_of.count && directory->segment_of.at[stream];
}

/* directory_segment: of a stream that is defined. */
static inline const struct directory_segment *directory_segment(
	const struct directory *directory, uint32_t stream)
{
	return &directory->segments.at[directory->segment_of.at[stream]];
}

/* directory_ns: CLOCK_MONOTONIC of a raw time of this clock, as the readings so far tell. */
uint64_t directory_ns(const struct directory *directory, uint32_t clock, uint64_t raw);

#endif
