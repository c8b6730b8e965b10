/* SPDX-License-Identifier: MIT */
/* The list of windows, and what is known of each. */
#ifndef FLEET_WINDOW_H
#define FLEET_WINDOW_H

#include "base/vec.h"
#include "corotracer/ct.h"
#include "fleet/fleet.h"

enum window_state {
	WINDOW_WAITS, /* to be judged */
	WINDOW_JUDGED,
	WINDOW_FAILED, /* could not be read: `words` says why */
};

struct window {
	char *trace;   /* its name, as the store has it */
	char *service; /* copies of the parts of its key */
	char *host;
	int64_t began; /* seconds since 1970, UTC */
	uint32_t age;  /* 0: the newest of its service */
	enum window_state state;
	enum ct_grade grade; /* of the gravest finding; NONE: there is none */
	uint32_t nr_findings;
	char *words; /* title of the gravest finding, or the error; NULL: neither */
	uint64_t nr_events;
	uint64_t nr_lost;
	int64_t delay_p99_ns; /* of the scheduler; -1: there was no delay */
};

/* fleet_window_new: makes the window of a trace's name. NULL: the name has no such key, or memory is out. */
struct window *fleet_window_new(const char *trace);
void fleet_window_free(struct window *window);

struct windows {
	VEC(struct window *) all; /* sorted by service; of each service the newest first */
	uint64_t nr_strange;
	uint64_t nr_beyond;
};

/*
 * fleet_windows_take: takes over a new list, in which windows that are known already have what is known of them; the
 * former list is freed. fleet_windows_fini: frees the list.
 */
void fleet_windows_take(struct windows *windows, struct windows *fresh);
void fleet_windows_fini(struct windows *windows);

/* fleet_windows_next: returns the window to be judged next; NULL: there is none. */
struct window *fleet_windows_next(const struct windows *windows);

/* fleet_window_judge: reads and judges the trace. False: a wake broke it off, and nothing is known. */
bool fleet_window_judge(
	struct window *window, const struct fleet_options *options, int wake_descriptor);

#endif
