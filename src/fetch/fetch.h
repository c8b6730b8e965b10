/* SPDX-License-Identifier: MIT */
/*
 * What an HTTP transfer writes: an answer goes into the output once its first bytes are those of a Go trace.
 */
#ifndef FETCH_FETCH_H
#define FETCH_FETCH_H

#include "base/io.h"
#include "corotracer/fetch.h"

#define FETCH_FIRST_BYTES 16u
#define FETCH_SAID_BYTES 120u

struct fetch_answer {
	struct io_output output;
	uint64_t limit_bytes;
	uint64_t nr_bytes;
	uint8_t first[FETCH_FIRST_BYTES]; /* written when all of them have arrived */
	bool is_other;                    /* the first bytes are not those of a trace */
	bool has_reached_limit;
	enum ct_status status; /* of the output */
	struct ct_error error;
	char said[FETCH_SAID_BYTES]; /* the first words of an answer that is not a trace */
	size_t nr_said;
};

/*
 * fetch_answer_take: takes the next bytes of an answer with status 200. False: no more bytes are wanted; the members
 * say why.
 */
bool fetch_answer_take(struct fetch_answer *answer, const char *bytes, size_t nr_bytes);

/* fetch_answer_hear: takes the next bytes of an answer with another status; keeps the words of its first line. */
void fetch_answer_hear(struct fetch_answer *answer, const char *bytes, size_t nr_bytes);

/* fetch_answer_is_trace: has enough arrived to be a trace? */
bool fetch_answer_is_trace(const struct fetch_answer *answer);

#endif
