/* SPDX-License-Identifier: MIT */
/*
 * The records behind rounds.h, shared by its two files: the watcher, and the queries.
 */
#ifndef ANALYZE_ROUNDS_KEPT_H
#define ANALYZE_ROUNDS_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/watcher.h"

struct lull;

#define FEW 3u          /* finished waits that show that such waits end */
#define LEAST_ROUNDS 3u /* fewer rounds do not show whether they are even */
#define LEAST_ANEW 32u  /* so many show it, if rounds before them were not */
/* the longest round of a beat is at most so many times as long as the shortest */
#define UNEVEN 4
/* After a stall of the machine a clock ticks at once; a coroutine that does so more often is no clock. */
#define FEW_CAUGHT_UP 8u
#define SLACK_NS INT64_C(5000000) /* added to a round by a busy machine */
#define ROUNDS_SLEEPERS 1024u     /* each wait is held against each of them */

/* Kept for each coroutine: how its last wait began. */
struct of_wait {
	uint32_t nr_turns;       /* of its thread, when the wait began; modulo 2^32 */
	uint32_t nr_beside : 29; /* siblings that lived when the wait began */
	/* one wait was for nothing but the clock: all that most of many coroutines have done */
	bool has_slept : 1;
	bool is_nested : 1; /* a coroutine on the same thread resumed it last */
	/* it waits at another place than before: its rounds begin with this wait, once it runs */
	bool is_apart : 1;
};

/* Kept for coroutines that have waited and run since, and for those that have started others. */
struct of_coro {
	/* the first of its waits at `site`, with no wait elsewhere since */
	ct_time beats_since;
	ct_time waits_since;       /* the last of these waits */
	int64_t shortest, longest; /* time from one of these waits to the next, in ns */
	int64_t before;            /* the last of these times */
	ct_time last_end;          /* the last end of a child */
	uint64_t last_id;          /* id of that child */
	/* begin of its last long wait, or of the beats that ended with it */
	ct_time rest_from;
	ct_time rest_until;
	uint64_t been_at; /* a bit for each place where it has waited; places share bits */
	uint32_t site;    /* 0: at no place */
	uint32_t nr_rounds;
	uint32_t
		nr_caught_up; /* of these, short rounds that followed a long one; `shortest` is of the others */
	/* the rounds since the last uneven one: the wait with which they began, and the same of them */
	ct_time anew_since;
	int64_t shortest_anew, longest_anew;
	uint32_t nr_anew;
	uint32_t nr_living;  /* children that live */
	uint32_t nr_at_wait; /* children that lived when the wait began */
	uint32_t nr_further; /* waits for nothing but the clock, after the first such */
	bool has_ended;      /* a child has ended since the coroutine was resumed last */
	bool has_rested;
	bool is_by_child; /* a descendant has ended its wait; is_by_other: anything else has */
	bool is_by_other;
};

/* Finished waits at one place. */
struct place {
	uint64_t nr_over;
	uint64_t nr_again;  /* of coroutines that had waited there before */
	ct_time began[FEW]; /* when the last of them had begun, in turn */
	uint64_t nr_joins;  /* ended when `nr_least` children of the coroutine were left */
	int64_t longest;    /* of these: from the last end of a child, in ns */
	uint32_t nr_least;
	uint32_t nr_most; /* most children that ended during one wait */
	/* The same for waits in which a child ended, however many were left. */
	uint64_t nr_after_ends;
	int64_t longest_after_end;
	/* of these: a wake of a child, or of a child of a child, ended them */
	uint64_t nr_by_child;
	uint32_t nr_fewest; /* fewest children that ended during one of them */
};

/* All arrays are in the scratch arena. */
struct memory {
	struct lull *lulls;    /* by process */
	uint32_t *nr_children; /* by coroutine: its children that live */
	uint32_t *nr_others;   /* by coroutine: children that may end waits of others */
	/* by coroutine: children that may still end, so that their parent goes on */
	uint32_t *nr_joinable;
	/* by place: coroutines that wait there, and have waited there before */
	uint32_t *nr_back;
	uint32_t *nr_beating; /* by place: beats that wait there */
	/* coroutines that are asleep, and no beats; of more than ROUNDS_SLEEPERS only the number is known */
	uint32_t *sleepers;
	uint32_t nr_sleepers;
};

static inline struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_rare(watch, coro);
}

static inline struct of_wait *wait_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

static inline bool is_even_from_the_first(const struct of_coro *of)
{
	return of->site && of->nr_rounds >= LEAST_ROUNDS &&
	       of->nr_caught_up <= of->nr_rounds / FEW_CAUGHT_UP &&
	       of->longest <= of->shortest * UNEVEN + SLACK_NS;
}

/* What began at an uneven rate, or was held up once, may have become even. */
static inline bool is_even(const struct of_coro *of)
{
	return is_even_from_the_first(of) || (of->site && of->nr_anew >= LEAST_ANEW);
}

/* The first wait of an even series, and its longest round. */
static inline ct_time even_since(const struct of_coro *of)
{
	return is_even_from_the_first(of) ? of->beats_since : of->anew_since;
}

static inline int64_t longest_even(const struct of_coro *of)
{
	return is_even_from_the_first(of) ? of->longest : of->longest_anew;
}

static inline bool has_been_at(const struct of_coro *of, uint32_t site)
{
	return of->been_at >> site % 64 & 1;
}

#endif
