/* SPDX-License-Identifier: MIT */
/*
 * How libcorotracer reports failures: a status, and a sentence for the user.
 *
 * Every function either reports a failure to its caller or returns a result, never both, and no function prints.
 */
#ifndef COROTRACER_ERROR_H
#define COROTRACER_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names below are exported by the library, which hides all others. */
#pragma GCC visibility push(default)

/* The table uses the macro X: a caller's own X is saved here and restored after the table. */
#pragma push_macro("X")
#undef X

/* Zero is success, positive values are flow, negative values are failures: see def/status.def. */
enum ct_status {
#define X(name, value, exit_code, text, meaning) CT_##name = value,
#include "corotracer/def/status.def"
#undef X
};

#pragma pop_macro("X")

/*
 * One failure. The caller owns the struct and need not initialise it; only a function that fails writes to it. NULL is
 * allowed wherever a function takes a `struct ct_error *`: the status is returned anyway. `offset` is the byte offset
 * in the input, or CT_NO_OFFSET.
 */
#define CT_NO_OFFSET UINT64_MAX

struct ct_error {
	enum ct_status status;
	int system_errno;
	uint64_t offset;
	char text[1024]; /* a longer sentence ends with "..." */
};

/* ct_status_name: returns the name of a status in lower case, such as "not-found"; never NULL. */
const char *ct_status_name(enum ct_status status);

/* ct_status_exit_code: returns the exit code of the command line for this status (def/status.def). */
int ct_status_exit_code(enum ct_status status);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
