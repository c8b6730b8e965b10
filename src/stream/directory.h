/* SPDX-License-Identifier: MIT */
/* The segments, streams and clocks defined so far, for sinks that must know the process and the time of a record. */
#ifndef STREAM_DIRECTORY_H
#define STREAM_DIRECTORY_H

#include "stream/stream.h"
#include "base/timeline.h"
#include "base/vec.h"

#define DIRECTORY_CLOCKS 4 /* number of clocks in enum ctp_clock */

struct directory_segment {
	uint32_t process;
	uint32_t clock; /* below DIRECTORY_CLOCKS; CTP_CLOCK_NONE: not known */
};

/* Zeroed: empty. Segments and streams are found by their numbers. */
struct directory {
	VEC(struct directory_segment) segments;
	VEC(uint32_t) segment_of; /* a stream's segment; 0: the stream is not defined */
	struct timeline timelines[DIRECTORY_CLOCKS];
};

/* directory_note: notes a definition, of any type. Returns false if out of memory. */
bool directory_note(struct directory *directory, const struct ct_definition *definition);
void directory_fini(struct directory *directory);

/* directory_has: returns whether the stream is defined. */
static inline bool directory_has(const struct directory *directory, uint32_t stream)
{
	return stream < directory->segment_of.count && directory->segment_of.at[stream];
}

/* directory_segment: returns the segment of a stream, which must be defined. */
static inline const struct directory_segment *directory_segment(
	const struct directory *directory, uint32_t stream)
{
	return &directory->segments.at[directory->segment_of.at[stream]];
}

/* directory_ns: converts a raw time of this clock to CLOCK_MONOTONIC, by the readings so far. */
uint64_t directory_ns(const struct directory *directory, uint32_t clock, uint64_t raw);

#endif
