/* SPDX-License-Identifier: MIT */
/*
 * Segments that were written before the engine came: those that waited, those that another engine has left, and flight
 * recorders, whose past is part of the recording.
 */
#ifndef COLLECT_ADOPT_H
#define COLLECT_ADOPT_H

#include "collect/segment.h"
#include "stream/stream.h"

/*
 * collect_adopt_segment: has its events wanted from now on. Losses that nobody counted for lack of an engine, besides
 * events that found a ring full, are not counted now either.
 */
void collect_adopt_segment(struct segment *segment);

/* collect_adopt_ring: goes on where the last reader stopped, or at the oldest record that is left. */
void collect_adopt_ring(
	struct segment *segment, const struct ring_space *space, struct segment_ring *ring);

/*
 * collect_adopt_first_thread: whose the records are that are left from before the ring's first word of a thread: of the
 * one that then stops there. Where a start comes first, nobody says. 0: nothing is left from before it,
 * or neither comes.
 */
uint32_t collect_adopt_first_thread(struct segment *segment, const struct segment_ring *ring);

/* collect_adopt_note_first: `raw` is when the first record that is read of the ring was written. */
void collect_adopt_note_first(
	const struct segment *segment, struct segment_ring *ring, uint64_t raw);

/*
 * collect_adopt_lost_past: of what was overwritten in the ring. Where that was before the ring was adopted, it lay
 * between the recorder's beginning and the first record that was left: so `loss` says then.
 */
void collect_adopt_lost_past(const struct segment *segment, const struct segment_ring *ring,
	struct ct_define_loss *loss);

#endif
