/* SPDX-License-Identifier: MIT */
/*
 * A trace, or a recording while it goes on, told over HTTP: a page for browsers, and JSON for programs
 * (docs/spec/http-api.md).
 *
 * The server works on threads of its own, behind the traced program (nice), and never makes a recording wait.
 */
#ifndef COROTRACER_SERVE_H
#define COROTRACER_SERVE_H

#include <stdbool.h>
#include <stddef.h>

#include "corotracer/error.h"
#include "corotracer/thresholds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names below are the library's; all others are hidden in it. */
#pragma GCC visibility push(default)

struct ct_serve;
struct ct_trace;
struct ct_record;

struct ct_serve_options {
	size_t size;
	/*
	 * "ADDRESS:PORT", "ADDRESS" or ":PORT"; an address of version 6 stands in brackets. Port 0: any that is free.
	 * NULL: localhost and port 8080, or the next one that is free.
	 */
	const char *listen;
	/* The trace, which may still grow. With a recording: its output, which the page names; NULL: it has none. */
	const char *path;
	/*
	 * While it goes on: ct_record_step is called again and again, until ct_serve_let_go or ct_serve_close has
	 * returned. NULL: none
	 */
	struct ct_record *record;
	/* of what is judged, until ct_serve_close; NULL: all defaults */
	const struct ct_thresholds *thresholds;
	uint64_t memory_bytes; /* of ct_open_options */
};

/*
 * ct_serve_open: listens, and answers until ct_serve_close. The trace is read and judged afterwards, on another thread.
 * CT_ERR_UNSUPPORTED: this build has no server; CT_ERR_USAGE: `listen` cannot be understood; CT_ERR_SYSTEM: nothing
 * can listen there.
 */
enum ct_status ct_serve_open(const struct ct_serve_options *options, struct ct_serve **ret_serve,
	struct ct_error *reterr);

/*
 * ct_serve_check: could ct_serve_open listen there, as far as the words tell? For those who want to know before
 * anything is started. Fails as ct_serve_open does, but for CT_ERR_SYSTEM.
 */
enum ct_status ct_serve_check(const char *listen, struct ct_error *reterr);

/*
 * ct_serve_url: the address for a browser, with the token without which nothing can be changed; valid until
 * ct_serve_close. The holder of this text may control the recording.
 */
const char *ct_serve_url(const struct ct_serve *serve);

/* ct_serve_has_moved: was port 8080 taken, so that another one serves? */
bool ct_serve_has_moved(const struct ct_serve *serve);

/* ct_serve_is_open_to_others: can other machines connect? */
bool ct_serve_is_open_to_others(const struct ct_serve *serve);

/*
 * ct_serve_let_go: the recording has ended, and may be closed: what was judged last is still shown. NULL is allowed.
 * ct_serve_turn_to: from now on the trace of this path is judged and shown, which is whole. Neither waits for a
 * judgement. Call them from the thread that steps.
 */
void ct_serve_let_go(struct ct_serve *serve);
enum ct_status ct_serve_turn_to(struct ct_serve *serve, const char *path, struct ct_error *reterr);

/* ct_serve_close: tells all readers that it ends, and frees all. NULL is allowed. */
void ct_serve_close(struct ct_serve *serve);

/*
 * ct_page_write: writes one page that holds the whole trace and what asks it, and opens from a disk with no network;
 * whole or not at all, "-" is standard output. `name`: of its file, for commands on the page; NULL: it has none.
 * CT_ERR_UNSUPPORTED where this build has no such pages.
 */
enum ct_status ct_page_write(
	struct ct_trace *trace, const char *name, const char *path, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
