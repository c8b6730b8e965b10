/* SPDX-License-Identifier: MIT */
/*
 * Filling in a ct_error: at the place of the failure, and with context on the way up.
 *
 * The user sees one sentence that reads as a path: "reading 'run.ctrace': block at offset 4096 is damaged". A caller
 * returns what these functions return, so that reporting a failure takes one line.
 */
#ifndef BASE_FAILURE_H
#define BASE_FAILURE_H

#include "corotracer/error.h"

/*
 * ct_fail: writes status and text to *reterr (NULL: nowhere) and returns the status.
 * ct_fail_at: the same, with the byte offset of the trouble in the input.
 * ct_fail_errno: CT_ERR_SYSTEM with the present errno; its text is appended after ": ".
 *   ENOMEM becomes CT_ERR_NO_MEMORY, ENOENT CT_ERR_NOT_FOUND.
 */
enum ct_status ct_fail(struct ct_error *reterr, enum ct_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));
enum ct_status ct_fail_at(struct ct_error *reterr, enum ct_status status, uint64_t offset,
	const char *format, ...) __attribute__((format(printf, 4, 5), cold));
enum ct_status ct_fail_errno(struct ct_error *reterr, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/* ct_fail_memory: reports a failed allocation. */
enum ct_status ct_fail_memory(struct ct_error *reterr) __attribute__((cold));

/* ct_context: puts "text: " before the message that is already there; returns status unchanged. */
enum ct_status ct_context(struct ct_error *reterr, enum ct_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));

#endif
