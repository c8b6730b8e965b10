/* SPDX-License-Identifier: MIT */
/*
 * One pass over a trace for somebody who hands it on: which part of it is wanted, how much was left out, and how far
 * the pass has come. A writer of rows asks for each one whether it is wanted; NULL in place of a pass means that all
 * are, and that nobody asks how far it has come. One thread uses a pass at a time.
 */
#ifndef STREAM_PASS_H
#define STREAM_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"

struct pass {
	ct_time from;  /* INT64_MIN: from the beginning */
	ct_time until; /* INT64_MAX: to the end */
	/* The frame is told by events: pass_restart forgets it. */
	struct ct_followed followed;
	uint8_t *is_place; /* by number of a site; NULL: any place */
	uint32_t nr_sites;
	bool has_kinds; /* some kinds only: */
	bool is_kind[256];
	struct ct_exported rows; /* asked for so far, and of these left out */
	void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
	void *context;
	const char *what; /* the phase, a word that lives as long as the program */
	uint64_t done;
	uint64_t told; /* of `done` */
	uint64_t total;
};

/*
 * pass_init: the part that `options` ask for, of the trace with these tables. CT_ERR_USAGE: there is no such kind, or
 * no such place in the trace, or the time ends before it begins. pass_fini: frees what init took, also after a failure.
 */
enum ct_status pass_init(struct pass *pass, const struct ct_export_options *options,
	const struct ct_tables *tables, struct ct_error *reterr);
void pass_fini(struct pass *pass);

/* pass_is_all: is the whole trace wanted? */
bool pass_is_all(const struct pass *pass);

/*
 * pass_takes_time: of something that lasts (from and until; CT_NO_TIME: before all, and after all): does it touch the
 * wanted time? What lies at `until` itself is behind it. pass_takes_coro, pass_takes_site: of a row with such a cell.
 */
bool pass_takes_time(const struct pass *pass, ct_time from, ct_time until);
bool pass_takes_coro(const struct pass *pass, uint64_t coro);
bool pass_takes_site(const struct pass *pass, uint64_t site);

/* pass_takes_event: ask of each event, from the first one on, in order; pass_restart: from the first one again. */
bool pass_takes_event(struct pass *pass, const struct ct_event *event);
void pass_restart(struct pass *pass);

/* pass_count: a row was asked for, and taken or not. Returns is_taken. */
bool pass_count(struct pass *pass, bool is_taken);

/*
 * pass_begin: a phase ("reading", or the name of a table) of so many steps; 0: not known. pass_advance: so many are
 * done.
 */
void pass_begin(struct pass *pass, const char *what, uint64_t total);
void pass_advance(struct pass *pass, uint64_t count);

/* pass_is_about: see ct_event_is_about. */
bool pass_is_about(const struct ct_event *event, struct ct_followed *followed);

#endif
