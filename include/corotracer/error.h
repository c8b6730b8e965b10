/* SPDX-License-Identifier: MIT */
/*
 * How libcorotracer reports what went wrong: a status, and a sentence for the user.
 *
 * Every function either reports to its caller or returns the result, never both, and none prints.
 */
#ifndef COROTRACER_ERROR_H
#define COROTRACER_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names below are the library's; all others are hidden in it. */
#pragma GCC visibility push(default)

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("X")
#undef X

/* Zero is success, positive values are flow, negative ones are failures: see def/status.def. */
enum ct_status {
#define X(name, value, exit_code, text, meaning) CT_##name = value,
#include "corotracer/def/status.def"
#undef X
};

#pragma pop_macro("X")

/*
 * One failure. The caller owns it and need not initialise it; it is written only by a function that
 * fails. Wherever a function takes a `struct ct_error *`, NULL is allowed: the status is returned
 * all the same. `offset` is the byte offset in the input, or CT_NO_OFFSET.
 */
#define CT_NO_OFFSET UINT64_MAX

struct ct_error {
	enum ct_status status;
	int system_errno;
	uint64_t offset;
	char text[240];
};

/* ct_status_name: the name of a status in lower case, such as "not-found"; never NULL. */
const char *ct_status_name(enum ct_status status);

/* ct_status_exit_code: what the command line returns for this status (def/status.def). */
int ct_status_exit_code(enum ct_status status);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
