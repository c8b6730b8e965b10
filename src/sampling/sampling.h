/* SPDX-License-Identifier: MIT */
/*
 * A sampling, and the programs of which it takes windows. Each program has a thread; what they share is behind the
 * sampling's lock, which is held for no longer than it takes to count.
 */
#ifndef SAMPLING_SAMPLING_H
#define SAMPLING_SAMPLING_H

#include <pthread.h>

#include "base/vec.h"
#include "corotracer/ct.h"
#include "sampling/ceiling.h"
#include "sampling/keys.h"
#include "sampling/schedule.h"
#include "sampling/spool.h"
#include "sampling/upload.h"

/* One program. */
struct program {
	struct ct_sampling *sampling;
	struct ct_sampled sampled; /* its texts are those below */
	char service[KEYS_NAME_BYTES];
	char *address;
	int process; /* readable when the process has ended; -1: there is none */
	int end;     /* readable when the thread is to end */
	bool is_to_end;
	bool is_over; /* the thread does nothing more */
	pthread_t thread;
	struct schedule schedule;
};

struct ct_sampling {
	struct ct_sampling_options options; /* complete */
	char *store, *spool_folder;
	char host[KEYS_NAME_BYTES];
	struct spool *spool;
	struct upload *upload;

	pthread_mutex_t lock;
	pthread_cond_t turn; /* a window has ended, or a program is to end */
	struct ct_sampling_counts counts;
	struct ceiling bytes, processor;
	uint64_t processor_seen_ns;
	uint32_t nr_recording;

	pthread_mutex_t telling;
	VEC(struct program *) programs; /* of the thread that adds and removes */
};

/* ---------------------------------------------------------------- what all threads may do */

/* sampling_count: adds to a member of `counts`. */
void sampling_count(struct ct_sampling *sampling, uint64_t *member, uint64_t by);

/* sampling_tell: fills in `size`, and tells the caller of the library. */
void sampling_tell(struct ct_sampling *sampling, struct ct_sampling_event event);

/* Why a window may not begin, or go on. */
enum sampling_reason {
	SAMPLING_MAY,
	SAMPLING_BYTES,
	SAMPLING_PROCESSOR,
	SAMPLING_LOAD,
	SAMPLING_LATE,  /* too many windows are being recorded */
	SAMPLING_BUSY,  /* another recording has the process */
	SAMPLING_PROBE, /* the process has no probe that waits */
};

/* sampling_use: notes bytes, and the processor time that was used; returns whether a ceiling is reached. */
enum sampling_reason sampling_use(struct ct_sampling *sampling, uint64_t nr_bytes);

/* sampling_skip: counts and tells a window that was not recorded. */
void sampling_skip(const struct program *program, enum sampling_reason reason);

/* sampling_is_loaded: returns whether the text of /proc/loadavg says more than this share of the processors. */
bool sampling_is_loaded(const char *text, unsigned nr_processors, unsigned percent);

#endif
