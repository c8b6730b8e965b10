/* SPDX-License-Identifier: MIT */
/*
 * The records behind wakers.h, shared by its files: the watcher with its queries, circles of wakers, and the evidence.
 */
#ifndef ANALYZE_WAKERS_KEPT_H
#define ANALYZE_WAKERS_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/wakers.h"
#include "corotracer/ct.h"

struct analysis;
struct model_coro;

#define WAKERS_SILENT 4u /* ends that are kept by name */
#define WAKERS_OWN 3u    /* places for which a coroutine's own waits are kept */

/* How the waits of one coroutine at one place ended, but for the first wait that it ever had. */
struct wakers_own {
	uint64_t by; /* id of the coroutine that ended all of them; 0: several did, or threads */
	uint32_t nr_ended;
	uint32_t longest_us; /* UINT32_MAX: or longer */
	uint32_t site;
};

/* The places at which a coroutine, or a descendant of it, woke a coroutine; 0: none. */
struct wakers_woken_at {
	uint32_t at[WAKERS_PLACES];
	bool is_own[WAKERS_PLACES]; /* the coroutine itself did */
	bool is_more;               /* further places */
	bool has_woken;    /* the coroutine itself has woken another one, wherever that waited */
	uint32_t woken_at; /* the place at which it was itself woken by another coroutine last */
};

/*
 * Coroutines that were started at one place, and ended without having woken any that waited at another one. The
 * first record serves for all places until one of those coroutines wakes another one.
 */
struct wakers_ends {
	uint32_t at; /* where woken coroutines had waited; 0: none was woken yet */
	uint32_t nr_silent;
	uint64_t silent[WAKERS_SILENT]; /* ids of the first ones; 0: not known */
	ct_time times[WAKERS_SILENT];
};

/* How waits at one place ended. */
struct wakers_place {
	/* id of the ancestor, started by no coroutine, that all wakers of this place have in common; 0: none yet */
	uint64_t root;
	uint64_t nr_woken;
	uint64_t nr_again; /* of these: the woken coroutine had been woken there before */
	int64_t longest_ns;
	/* a thread woke a coroutine there, or the wakers have no common ancestor */
	bool has_others;
	bool has_threads; /* the first of the two */
	/* answers, once computed: for the wakers of the place, and for all living coroutines */
	uint8_t verdicts[2];
	uint8_t silence;     /* the same for analyze_wakers_fell_silent */
	uint32_t spawn_site; /* where the wakers were started; 0: at several places */
	/* The next three are for a place at which coroutines are started: the last such coroutine that ended. */
	uint64_t ended;
	ct_time ended_time;
	struct wakers_woken_at ended_at;
	uint64_t nr_ended;
	struct wakers_ends ends[WAKERS_PLACES];
	bool has_busy; /* one of them woke coroutines at more places than are kept */
	uint64_t by;   /* id of the coroutine that ended the last wait there; 0: none did */
	bool has_more; /* another one ended a wait there before */
	ct_time last;  /* when a wait there was ended last */
	int64_t longest_gap_ns; /* between the ends of two waits there */
};

/*
 * analyze_wakers_has_mark: is this place among those of the record? analyze_wakers_ends_of: the record of ends as to
 * waits at `at`; NULL: there is none, and no room.
 */
bool analyze_wakers_has_mark(const struct wakers_woken_at *of, uint32_t place);
struct wakers_ends *analyze_wakers_ends_of(struct wakers_place *of_start, uint32_t at);

/*
 * analyze_wakers_note_own: notes that the coroutine is woken at the place where it waits. analyze_wakers_own: the
 * record of the place where the coroutine waits, if one coroutine ended all of its waits there, ten or more, that are
 * known. NULL: none did.
 */
void analyze_wakers_note_own(struct model_watch *watch, const struct model_sight *sight);
const struct wakers_own *analyze_wakers_own(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_wakers_place: the record of the place at which the coroutine waits, or waited last. NULL: there is none. */
struct wakers_place *analyze_wakers_place(
	const struct analysis *analysis, const struct model_coro *coro);

#endif
