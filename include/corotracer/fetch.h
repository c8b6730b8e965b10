/* SPDX-License-Identifier: MIT */
/*
 * Traces that a program hands out over HTTP, as programs in Go with net/http/pprof do. A part of ct.h.
 */
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
	/* http://HOST:PORT/PATH, or https; without a path /debug/pprof/trace is asked for. */
	const char *address;
	const char *output; /* path; "-" is standard output */
	int64_t duration_ns; /* so long the program is asked to trace (seconds=N); 0: as the address says */
	uint64_t limit_bytes; /* no more are taken; 0: CT_FETCH_LIMIT_BYTES */
	int wake_descriptor;  /* readable, it ends the transfer; the caller's; 0: none */
	/* Told now and then how many bytes came; NULL: nobody is told. */
	void (*tell)(void *context, uint64_t nr_bytes);
	void *tell_context;
};

enum ct_fetch_ending {
	CT_FETCH_WHOLE = 0,
	CT_FETCH_LIMITED, /* there was more */
	CT_FETCH_WOKEN,   /* by the descriptor */
	CT_FETCH_BROKEN,  /* the connection ended too soon */
};

struct ct_fetched {
	uint64_t nr_bytes;
	enum ct_fetch_ending ending;
	char trouble[256]; /* of CT_FETCH_BROKEN: one sentence */
};

/*
 * ct_fetch: writes an execution trace of Go that a program sends into a file, byte by byte as it comes; the file gets
 * its name in the end. What came before the transfer ended early is kept, where it begins as such a trace:
 * `ret_fetched` tells. The environment's proxies hold.
 * CT_ERR_FORMAT: the answer is no such trace. CT_ERR_NOT_FOUND, CT_ERR_REFUSED: the answer is an error. CT_ERR_SYSTEM:
 * nothing could be had. CT_ERR_UNSUPPORTED: this build is without libcurl. A failure leaves the output as it was.
 */
enum ct_status ct_fetch(const struct ct_fetch_options *options, struct ct_fetched *ret_fetched,
	struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
