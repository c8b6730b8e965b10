/* SPDX-License-Identifier: MIT */
/*
 * The smallest possible engine: runs a program with the descriptor ledger preloaded, takes the segments that it sends,
 * waits for its end, and sorts all records by time. For tests of code inside targets; it shares no code with the real
 * engine, so that each checks the other.
 */
#ifndef TESTS_TINY_ENGINE_H
#define TESTS_TINY_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "corotracer/ctp.h"

/* One record, with its thread and its segment (from 0, in order of arrival). */
struct tiny_event {
	struct ctp_record record;
	uint64_t tid; /* of the last THREAD_START before it in its ring; 0: none */
	unsigned segment;
	size_t order; /* the order in which records were read: ring by ring, as written */
};

#define TINY_SEGMENTS 4

struct tiny_run {
	/* For tiny_start. */
	const char *preload; /* the ledger's path; NULL: none */
	bool without_engine; /* do not set COROTRACER_SOCKET */

	/* Set by tiny_start. */
	pid_t pid;
	int output;   /* the program's standard output, for reading */
	int listener; /* -1: none */

	/* Set by tiny_finish. */
	int status; /* as from waitpid */
	unsigned nr_segments;
	const struct ctp_header *segments[TINY_SEGMENTS];
	struct tiny_event *events; /* in order of time */
	size_t nr_events;
	uint64_t nr_lost; /* dropped, nested or without a ring */
};

/* tiny_start: runs arguments[0]. Ends the test program on failure. */
void tiny_start(struct tiny_run *run, char *const arguments[]);

/* tiny_finish: waits for the program, then fills in the rest of `run`. */
void tiny_finish(struct tiny_run *run);

/* tiny_fini: frees everything. */
void tiny_fini(struct tiny_run *run);

/* tiny_next: finds the first event of a kind at or after *index, and moves *index behind it; NULL: none. */
const struct tiny_event *tiny_next(const struct tiny_run *run, size_t *index, enum ctp_kind kind);

/* tiny_count: the number of events of a kind. */
size_t tiny_count(const struct tiny_run *run, enum ctp_kind kind);

/* tiny_site: the site that an event names; NULL: none. */
const struct ctp_site *tiny_site(const struct tiny_run *run, const struct tiny_event *event);

#endif
