/* SPDX-License-Identifier: MIT */
/* One look into the memory of a process, on a thread of its own, and what is kept of it (memory_look.h). */
#ifndef SESSION_MEMORY_READING_H
#define SESSION_MEMORY_READING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "collect/collect.h"
#include "session/memory_found.h"

#define MEMORY_BETWEEN_NS 1000000000L /* from one reading to the other, without a probe */

struct memory_seen {
	const char *text; /* NULL: nothing */
	uint64_t coro;
	bool was_true; /* when the program was asked to end */
};

struct memory_reading {
	struct collect_still still;
	bool goes_on; /* other coroutines went on meanwhile */
	bool is_left_out;
	bool is_void;        /* the program ended meanwhile, or the look was cut short */
	bool has_first;      /* without a probe: the first reading is over */
	bool is_single;      /* without a probe: there was no time for the second reading */
	bool is_of_former;   /* the process runs another program by now, or has a probe since */
	bool is_gone;        /* nothing moved; the process had ended */
	uint32_t program;    /* that it ran */
	uint64_t nr_dropped; /* sights of coroutines that went on meanwhile */
	atomic_bool *is_hurried;
	uint64_t started_ns; /* debug information is read first */
	uint64_t begun_ns;   /* memory began to be read: as of then, or later, is what is seen */
	uint64_t ended_ns;
	uint64_t cost_ns;   /* time of a processor */
	uint64_t same_ns;   /* when it was last seen that the coroutines have not moved */
	uint64_t moved_ns;  /* and first seen that they have, since it started; 0: they have not */
	struct arena arena; /* of the texts */
	VEC(struct memory_seen) sights;
	struct memory_found found; /* without a probe: the coroutines */
};

/*
 * memory_reading_take: looks; `still`, `goes_on` and `is_hurried` say at what and how, all else is empty. A process
 * that has a probe is read once, and the look is void if it ends meanwhile. Any other one is read twice: if it ends
 * between the two, or has no time for the second, the first has to do, unless it goes on, when only both tell what
 * waits. memory_reading_has_ended: has the process?
 */
void memory_reading_take(struct memory_reading *look);
bool memory_reading_has_ended(const struct memory_reading *look);

#endif
