/* SPDX-License-Identifier: MIT */
/*
 * Requests of a page, as texts: read, checked, and answered by a view. The server passes on the arguments of an
 * address; a page that is a file passes on the same as one line. Both get the same bytes.
 *
 * Requests come from outside and may contain anything. A request that cannot be understood gets an error with a
 * sentence. Any thread may call these functions.
 */
#ifndef ASK_ASK_H
#define ASK_ASK_H

#include "corotracer/ct.h"

#define ASK_ARGUMENTS_MAX 64u /* of one request */
#define ASK_COLUMNS_MAX 64u
#define ASK_LANES_MAX 4096u
#define ASK_SLICES_MAX 262144u /* of all lanes together */
#define ASK_ROWS_MAX 65536u    /* of one page of rows */

struct ask_argument {
	const char *key;
	const char *value;
};

struct ask_request {
	const char *name; /* in requests.def */
	const struct ask_argument *arguments;
	uint32_t nr_arguments;
};

struct ask_answer {
	const char *type; /* "application/json", "application/octet-stream" */
	uint8_t *bytes;   /* to be freed by free() */
	size_t nr_bytes;
};

/*
 * ask_view: answers one request. CT_ERR_NOT_FOUND: there is no request of this name, or no such coroutine;
 * CT_ERR_USAGE: an argument is missing, unknown or cannot be understood; otherwise the error of reading the trace.
 */
enum ct_status ask_view(struct ct_view *view, const struct ask_request *request,
	struct ask_answer *ret_answer, struct ct_error *reterr);

/*
 * ask_line: answers a request given as one line, "select?table=waits&limit=100", whose arguments are escaped as in an
 * address (RFC 3986).
 */
enum ct_status ask_line(struct ct_view *view, const char *line, struct ask_answer *ret_answer,
	struct ct_error *reterr);

#endif
