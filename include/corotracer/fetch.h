/* SPDX-License-Identifier: MIT */
/* Fetching traces that a program hands out over HTTP, as Go programs with net/http/pprof do. A part of ct.h. */
#ifndef COROTRACER_FETCH_H
#define COROTRACER_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define CT_FETCH_LIMIT_BYTES (UINT64_C(1) << 30)

struct ct_fetch_options {
	size_t size;
	/* http://HOST:PORT/PATH, or https; without a path, /debug/pprof/trace. */
	const char *address;
	const char *output; /* path; "-" is standard output */
	/* how long the program is asked to trace (seconds=N); 0: as the address says */
	int64_t duration_ns;
	uint64_t limit_bytes; /* most bytes to take; 0: CT_FETCH_LIMIT_BYTES */
	int wake_descriptor;  /* when readable, ends the transfer; the caller's; 0: none */
	/* Called now and then with the number of bytes so far; NULL: no calls. */
	void (*tell)(void *context, uint64_t nr_bytes);
	void *tell_context;
};

enum ct_fetch_ending {
	CT_FETCH_WHOLE = 0,
	CT_FETCH_LIMITED, /* there was more than limit_bytes */
	CT_FETCH_WOKEN,   /* wake_descriptor ended the transfer */
	CT_FETCH_BROKEN,  /* the connection ended too soon */
};

struct ct_fetched {
	uint64_t nr_bytes;
	enum ct_fetch_ending ending;
	char trouble[256]; /* for CT_FETCH_BROKEN: one sentence */
};

/*
 * ct_fetch: writes the Go execution trace that a program sends into a file, byte by byte as it comes; the file gets its
 * name at the end. If the transfer ends early, the bytes so far are kept if they begin as such a trace does:
 * `ret_fetched` says so. The proxies of the environment are used.
 * CT_ERR_FORMAT: the answer is not such a trace. CT_ERR_NOT_FOUND, CT_ERR_REFUSED: the answer is an error.
 * CT_ERR_SYSTEM: the transfer failed. CT_ERR_UNSUPPORTED: this build has no libcurl. A failure leaves the output as it
 * was.
 */
enum ct_status ct_fetch(const struct ct_fetch_options *options, struct ct_fetched *ret_fetched,
	struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
