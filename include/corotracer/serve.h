/* SPDX-License-Identifier: MIT */
/*
 * A trace, or a recording while it goes on, served over HTTP: a page for browsers, and JSON for programs
 * (docs/spec/http-api.md).
 *
 * The server works on threads of its own, with a lower priority than the traced program (nice), and never makes a
 * recording wait.
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

/* The names below are exported by the library, which hides all others. */
#pragma GCC visibility push(default)

struct ct_serve;
struct ct_trace;
struct ct_record;

struct ct_serve_options {
	size_t size;
	/*
	 * "ADDRESS:PORT", "ADDRESS" or ":PORT"; an IPv6 address stands in brackets. Port 0: any free port. NULL:
	 * localhost and port 8080, or the next free port.
	 */
	const char *listen;
	/*
	 * The trace, which may still grow. With a recording: its output, whose name the page shows; NULL: it has no
	 * output.
	 */
	const char *path;
	/*
	 * A recording that goes on: the caller calls ct_record_step again and again, until ct_serve_let_go or
	 * ct_serve_close has returned. NULL: none
	 */
	struct ct_record *record;
	/* for judging; lent until ct_serve_close; NULL: all defaults */
	const struct ct_thresholds *thresholds;
	uint64_t memory_bytes; /* as in ct_open_options */
	/*
	 * Instead of a path: the windows of a folder or a bucket (ct_traces_list), whose keys are
	 * SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace. The page has the services, and leads to each window. NULL: none
	 */
	const char *fleet;
};

/*
 * ct_serve_open: begins to listen, and answers until ct_serve_close. The trace is read and judged afterwards, on
 * another thread. CT_ERR_UNSUPPORTED: this build has no server, or no page of a fleet; CT_ERR_USAGE: `listen` cannot be
 * understood; CT_ERR_SYSTEM: listening there is not possible.
 */
enum ct_status ct_serve_open(const struct ct_serve_options *options, struct ct_serve **ret_serve,
	struct ct_error *reterr);

/*
 * ct_serve_check: checks whether ct_serve_open could listen there, as far as the text shows, for callers that want to
 * know before they start anything. Fails as ct_serve_open does, except with CT_ERR_SYSTEM.
 */
enum ct_status ct_serve_check(const char *listen, struct ct_error *reterr);

/*
 * ct_serve_url: returns the address for a browser, with the token that is required to change anything; valid until
 * ct_serve_close. Everyone who has this text can control the recording.
 */
const char *ct_serve_url(const struct ct_serve *serve);

/* ct_serve_has_moved: returns whether port 8080 was taken, so that another port is used. */
bool ct_serve_has_moved(const struct ct_serve *serve);

/* ct_serve_is_open_to_others: returns whether other machines can connect. */
bool ct_serve_is_open_to_others(const struct ct_serve *serve);

/*
 * ct_serve_let_go: says that the recording has ended and may be closed: the last judgement is still shown. NULL is
 * allowed.
 * ct_serve_turn_to: from now on judges and shows the trace of this path, which must be whole. Neither function waits
 * for a judgement. Call both from the thread that steps.
 */
void ct_serve_let_go(struct ct_serve *serve);
enum ct_status ct_serve_turn_to(struct ct_serve *serve, const char *path, struct ct_error *reterr);

/* ct_serve_close: tells all readers that the server ends, and frees everything. NULL is allowed. */
void ct_serve_close(struct ct_serve *serve);

/*
 * ct_page_write: writes one page that contains the whole trace and the code that shows it, and that opens from a disk
 * without a network; whole or not at all; "-" is standard output. `name`: the name of the trace's file, for commands on
 * the page; NULL: it has none. CT_ERR_UNSUPPORTED if this build cannot make such pages.
 */
enum ct_status ct_page_write(
	struct ct_trace *trace, const char *name, const char *path, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
