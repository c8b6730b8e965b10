/* SPDX-License-Identifier: MIT */
/*
 * Asking and steering a recording while it goes on: by other threads than the one that steps it, and by other programs.
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

/* The names below are exported by the library, which hides all others. */
#pragma GCC visibility push(default)

struct ct_open_options;
struct ct_record;
struct ct_trace;

/* The tables use the macro X: a caller's own X is saved here and restored after the tables. */
#pragma push_macro("X")
#undef X

/* The present state of a recording (def/now.def). */
struct ct_record_now {
#define X(type, name, unit, meaning) type name;
#include "corotracer/def/now.def"
#undef X
};

/*
 * ct_record_now: returns the state as of the last ct_record_step, which publishes the state every 100 ms while it is
 * asked for. Any thread may call this, until ct_record_close is called; the call does not wait for the recording.
 */
void ct_record_now(struct ct_record *record, struct ct_record_now *ret_now);

/*
 * ct_record_order: gives an order (def/orders.def) in words: "stop", "sample=1/10", "leave-out-site=health*,ping". Any
 * thread may call this except the one that steps the recording: the next ct_record_step carries the order out. Returns
 * when the order is carried out, or after 5 s with CT_ERR_BUSY. CT_ERR_USAGE: the words are not an order, or not one
 * for this recording. "status" does nothing.
 *
 * Events that an order leaves out are counted, and the trace records the order and its time.
 */
enum ct_status ct_record_order(
	struct ct_record *record, const char *order, struct ct_error *reterr);

/*
 * ct_control_send: gives an order to a recording in another program, named by the process that is recorded or by the
 * process that records; the recording must belong to the same user, unless the caller is the superuser. The answer is
 * lines of text, "key value", cut off at nr_bytes. CT_ERR_NOT_FOUND: the process is not recorded, or its recording
 * takes no orders; CT_ERR_REFUSED: the recording is another user's; otherwise as ct_record_order.
 */
enum ct_status ct_control_send(
	int64_t pid, const char *order, char *ret_answer, size_t nr_bytes, struct ct_error *reterr);

/*
 * ct_record_open_trace: opens what a recording has recorded so far as a trace of the caller's own, which does not grow;
 * for a flight recorder, what it keeps. Any thread may call this except the one that steps the recording, while steps
 * go on. CT_AGAIN: there is no trace at present: nothing was written yet, or the recording is over. `options` may be
 * NULL.
 */
enum ct_status ct_record_open_trace(struct ct_record *record, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr);

/* Whether and how a process can be traced, or is traced (def/traceable.def). */
enum ct_traceable_state {
#define X(NAME, text, meaning) CT_TRACEABLE_##NAME,
#include "corotracer/def/traceable.def"
#undef X
};

#pragma pop_macro("X")

/* ct_traceable_name: returns the word for the state; never NULL. */
const char *ct_traceable_name(enum ct_traceable_state state);

/* A process that has a probe. */
struct ct_traceable {
	int64_t pid;
	enum ct_traceable_state state;
	int64_t engine_pid; /* the engine that records the process; 0: none does */
	char command[256];  /* words of its command line, separated by blanks, as far as they fit */
	/*
	 * The file that the recording writes, if that can be seen, or the file that the process fills itself; "": not
	 * known
	 */
	char file[256];
};

/*
 * ct_traceables_find: finds the processes with a probe that may be looked into, sorted by id: those of the same user,
 * or all processes for the superuser. The processes are not changed. By the time the call returns, a process may have
 * ended, and a recording may have begun or ended. CT_ERR_SYSTEM: there is no /proc.
 * ct_traceables_free: frees the list. NULL is allowed.
 */
enum ct_status ct_traceables_find(
	struct ct_traceable **ret_found, size_t *ret_count, struct ct_error *reterr);
void ct_traceables_free(struct ct_traceable *found);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
