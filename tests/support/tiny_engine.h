/* SPDX-License-Identifier: MIT */
/*
 * The smallest engine that can be: runs a program with the descriptor ledger before it, takes the
 * segments that it hands over, waits for its end, and lays out all records in order of time. For tests
 * of what runs inside targets; it shares no code with the real engine, so that each checks the other.
 */
#ifndef TESTS_TINY_ENGINE_H
#define TESTS_TINY_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "corotracer/ctp.h"

/* One record, with the thread and the segment (from 0, as they arrived) that it came from. */
struct tiny_event {
	struct ctp_record record;
	uint64_t tid; /* of the last THREAD_START before it in its ring; 0: none */
	unsigned segment;
	size_t order; /* as read: ring by ring, as written */
};

#define TINY_SEGMENTS 4

struct tiny_run {
	/* for tiny_start */
	const char *preload; /* the ledger's path; NULL: none */
	bool without_engine; /* no COROTRACER_SOCKET */

	/* after tiny_start */
	pid_t pid;
	int output;   /* the program's standard output, for reading */
	int listener; /* -1: none */

	/* after tiny_finish */
	int status; /* as of waitpid */
	unsigned nr_segments;
	const struct ctp_header *segments[TINY_SEGMENTS];
	struct tiny_event *events; /* in order of time */
	size_t nr_events;
	uint64_t nr_lost; /* dropped, nested or without a ring */
};

/* tiny_start: runs arguments[0]. Ends the test program where that fails. */
void tiny_start(struct tiny_run *run, char *const arguments[]);

/* tiny_finish: waits for the program, then fills in the rest of `run`. */
void tiny_finish(struct tiny_run *run);

/* tiny_fini: gives everything back. */
void tiny_fini(struct tiny_run *run);

/* tiny_next: the first event of a kind at or after *index, and *index behind it; NULL: none. */
const struct tiny_event *tiny_next(const struct tiny_run *run, size_t *index, enum ctp_kind kind);

/* tiny_count: how many events of a kind there are. */
size_t tiny_count(const struct tiny_run *run, enum ctp_kind kind);

/* tiny_site: the site that an event names; NULL: none. */
const struct ctp_site *tiny_site(const struct tiny_run *run, const struct tiny_event *event);

#endif
