/* SPDX-License-Identifier: MIT */
/*
 * What rounds.h keeps, for its two files: the one that looks on, and the one that is asked.
 */
#ifndef ANALYZE_ROUNDS_KEPT_H
#define ANALYZE_ROUNDS_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/watcher.h"

struct lull;

#define LEAST_ROUNDS 3u /* of fewer it cannot be told whether they are even */
#define UNEVEN 4 /* the longest round of a beat is at most so many times as long as the shortest */
#define SLACK_NS INT64_C(5000000) /* that a busy machine adds to one */

/* Kept of each coroutine: what its last wait began with. */
struct of_wait {
	uint32_t nr_turns;       /* of its thread, when it came to wait: modulo */
	uint32_t nr_beside : 30; /* of those that its parent had started there were then */
	bool is_nested : 1;      /* another one resumed it last, on its own thread */
	bool is_apart : 1; /* it is at another place than before: its rounds begin with it, once it runs */
};

/* Kept of those that have waited and run since, and of those that have started others. */
struct of_coro {
	ct_time beats_since;       /* the first of its waits at `site`, with none elsewhere since */
	ct_time waits_since;       /* the last of them */
	int64_t shortest, longest; /* from one of them to the next, in ns */
	ct_time last_end;          /* of one that it had started */
	uint64_t last_id;          /* the id of that one */
	ct_time rest_from;         /* its last long wait, or the beats that this one ends */
	ct_time rest_until;
	uint64_t been_at; /* a bit for each place, or for several */
	uint32_t site;    /* 0: it is at no place */
	uint32_t nr_rounds;
	uint32_t nr_living;  /* of those that it has started */
	uint32_t nr_at_wait; /* of these there were when it came to wait */
	bool has_ended;      /* one that it had started, since it was resumed last */
	bool has_rested;
	bool is_by_child; /* one that it had started, or that these had, ended its wait; another did: */
	bool is_by_other;
};

/* Waits at one place that are over. */
struct place {
	uint64_t nr_over;
	uint64_t nr_again; /* of coroutines that had waited there before */
	uint64_t nr_joins; /* as `nr_least` were left of those that the coroutine had started */
	int64_t longest;   /* of these: from the last end, in ns */
	uint32_t nr_least;
	uint32_t nr_most; /* that ended in one wait */
	/* The same of those in which one ended that the coroutine had started, however many were left. */
	uint64_t nr_after_ends;
	int64_t longest_after_end;
	uint64_t
		nr_by_child; /* of these: by a wake of one that it had started, or that these had */
	uint32_t nr_fewest;  /* that ended in one of them */
};

/* All in the scratch arena. */
struct memory {
	struct lull *lulls;    /* by process */
	uint32_t *nr_children; /* by coroutine: of those that it has started, who live */
	uint32_t *nr_others;   /* and of these, who may end what others wait for */
	uint32_t *nr_joinable; /* and of these, who may yet end, for their parent to go on */
	uint32_t *nr_back;     /* by place: who waits there, and has waited there before */
	uint32_t *nr_beating;  /* by place: whose beat waits there */
};

static inline struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_rare(watch, coro);
}

static inline struct of_wait *wait_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

static inline bool is_even(const struct of_coro *of)
{
	return of->site && of->nr_rounds >= LEAST_ROUNDS &&
	       of->longest <= of->shortest * UNEVEN + SLACK_NS;
}

static inline bool has_been_at(const struct of_coro *of, uint32_t site)
{
	return of->been_at >> site % 64 & 1;
}

#endif
