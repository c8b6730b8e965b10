/* SPDX-License-Identifier: MIT */
/*
 * A recording, asked and told while it goes on: by threads beside the one that steps it, and by other programs.
 */
#ifndef COROTRACER_CONTROL_H
#define COROTRACER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names below are the library's; all others are hidden in it. */
#pragma GCC visibility push(default)

struct ct_open_options;
struct ct_record;
struct ct_trace;

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("X")
#undef X

/* The present state of a recording (def/now.def). */
struct ct_record_now {
#define X(type, name, unit, meaning) type name;
#include "corotracer/def/now.def"
#undef X
};

/*
 * ct_record_now: the state as of the last ct_record_step, which publishes it every 100 ms while somebody asks. Any
 * thread may call it, until ct_record_close is called; nothing waits for the recording.
 */
void ct_record_now(struct ct_record *record, struct ct_record_now *ret_now);

/*
 * ct_record_order: asks for something (def/orders.def) in words: "stop", "sample=1/10", "leave-out-site=health*,ping".
 * Any thread may call it but the one that steps the recording: the next ct_record_step carries it out. Returns when
 * that is done, or after 5 s: CT_ERR_BUSY. CT_ERR_USAGE: the words mean nothing, or nothing here. "status" does
 * nothing.
 *
 * What is left out from then on is counted, and the trace tells of the order and of its time.
 */
enum ct_status ct_record_order(
	struct ct_record *record, const char *order, struct ct_error *reterr);

/*
 * ct_control_send: asks the recording of a process, or one that a process makes, in another program: of the same user,
 * or by the superuser. The answer is lines of text, "key value", cut off at nr_bytes. CT_ERR_NOT_FOUND: the process is
 * not recorded, or its recording takes no orders; CT_ERR_REFUSED: it is another user's; otherwise as ct_record_order.
 */
enum ct_status ct_control_send(
	int64_t pid, const char *order, char *ret_answer, size_t nr_bytes, struct ct_error *reterr);

/*
 * ct_record_open_trace: the trace of a recording as it is so far, a trace of the caller's own, which does not grow; of
 * a flight recorder, what it keeps. Any thread may call it but the one that steps the recording, while steps go on.
 * CT_AGAIN: there is none at present: nothing was written yet, or the recording is over. `options` may be NULL.
 */
enum ct_status ct_record_open_trace(struct ct_record *record, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr);

/* How a process can be traced, or is (def/traceable.def). */
enum ct_traceable_state {
#define X(NAME, text, meaning) CT_TRACEABLE_##NAME,
#include "corotracer/def/traceable.def"
#undef X
};

#pragma pop_macro("X")

/* ct_traceable_name: one word; never NULL. */
const char *ct_traceable_name(enum ct_traceable_state state);

/* A process that has a probe. */
struct ct_traceable {
	int64_t pid;
	enum ct_traceable_state state;
	int64_t engine_pid; /* that records it; 0: none does */
	char command[256];  /* its words, separated by blanks, as far as they fit */
	/* That the recording writes, as far as that can be seen, or that the process fills by itself; "": not known */
	char file[256];
};

/*
 * ct_traceables_find: the processes with a probe that may be looked into, by id: those of the same user, or all for the
 * superuser. Nothing is changed in them. A process may have ended, and a recording may have begun or ended, when the
 * call returns. CT_ERR_SYSTEM: there is no /proc.
 *
 * ct_traceables_free: frees the list; NULL is allowed.
 */
enum ct_status ct_traceables_find(
	struct ct_traceable **ret_found, size_t *ret_count, struct ct_error *reterr);
void ct_traceables_free(struct ct_traceable *found);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
