/* SPDX-License-Identifier: MIT */
/*
 * One pass over a trace by code that exports it: which part of the trace is wanted, how much was left out, and how far
 * the pass has come. A writer of rows asks for each row whether it is wanted; NULL instead of a pass means that all
 * rows are wanted, and that progress is not reported. One thread at a time uses a pass.
 */
#ifndef STREAM_PASS_H
#define STREAM_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"

struct pass {
	ct_time from;  /* INT64_MIN: from the beginning */
	ct_time until; /* INT64_MAX: to the end */
	/* Events state the frame: pass_restart forgets it. */
	struct ct_followed followed;
	uint8_t *is_place; /* for each site; NULL: any place */
	uint32_t nr_sites;
	bool has_kinds; /* only some kinds are wanted: */
	bool is_kind[256];
	struct ct_exported rows; /* rows asked for so far, and how many of them were left out */
	void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
	void *context;
	const char *what; /* the phase, a word that lives as long as the program */
	uint64_t done;
	uint64_t told; /* value of `done` at the last report */
	uint64_t total;
};

/*
 * pass_init: prepares the part that `options` ask for, of the trace with these tables. CT_ERR_USAGE: there is no such
 * kind, or no such place in the trace, or the time ends before it begins. pass_fini: frees what pass_init allocated;
 * call it after a failure, too.
 */
enum ct_status pass_init(struct pass *pass, const struct ct_export_options *options,
	const struct ct_tables *tables, struct ct_error *reterr);
void pass_fini(struct pass *pass);

/* pass_is_all: returns whether the whole trace is wanted. */
bool pass_is_all(const struct pass *pass);

/*
 * pass_takes_time: returns whether something that lasts from `from` until `until` (CT_NO_TIME: without begin or end)
 * touches the wanted time. A time equal to the wanted end is not wanted. pass_takes_coro, pass_takes_site: return
 * whether a row with such a cell is wanted.
 */
bool pass_takes_time(const struct pass *pass, ct_time from, ct_time until);
bool pass_takes_coro(const struct pass *pass, uint64_t coro);
bool pass_takes_site(const struct pass *pass, uint64_t site);

/*
 * pass_takes_event: returns whether an event is wanted; ask for each event, from the first one on, in order.
 * pass_restart: begins again at the first event.
 */
bool pass_takes_event(struct pass *pass, const struct ct_event *event);
void pass_restart(struct pass *pass);

/* pass_count: counts a row that was asked for, and whether it was taken. Returns is_taken. */
bool pass_count(struct pass *pass, bool is_taken);

/*
 * pass_begin: begins a phase ("reading", or the name of a table) with `total` steps; 0: not known. pass_advance: says
 * that `count` more steps are done.
 */
void pass_begin(struct pass *pass, const char *what, uint64_t total);
void pass_advance(struct pass *pass, uint64_t count);

/* pass_is_about: see ct_event_is_about. */
bool pass_is_about(const struct ct_event *event, struct ct_followed *followed);

#endif
