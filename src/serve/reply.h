/* SPDX-License-Identifier: MIT */
/*
 * Answers. Each has the headers that keep a page to itself: no script but ours, no frame around it, no guess of a type,
 * nothing kept by anybody.
 */
#ifndef SERVE_REPLY_H
#define SERVE_REPLY_H

#include "serve/server.h"

/* The results are for libmicrohttpd: NO closes the connection. */

/* serve_reply_text: takes over the text. serve_reply_json: the same, as JSON. */
enum MHD_Result serve_reply_text(
	struct serve_call *call, unsigned status, const char *type, struct text *text);
enum MHD_Result serve_reply_json(struct serve_call *call, unsigned status, struct text *text);

/* serve_reply_lasting: bytes that live for ever. */
enum MHD_Result serve_reply_lasting(
	struct serve_call *call, const char *type, const void *bytes, size_t nr_bytes);

/* serve_reply_error: one sentence: a page for browsers that want one, else JSON: {"error": "..."}. */
enum MHD_Result serve_reply_error(struct serve_call *call, unsigned status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* serve_reply_failure: the same of a failure of the library's, with the status that fits. */
enum MHD_Result serve_reply_failure(struct serve_call *call, const struct ct_error *error);

/* serve_reply_response: any response, which is given back. `type` NULL: it has one. */
enum MHD_Result serve_reply_response(
	struct serve_call *call, unsigned status, const char *type, struct MHD_Response *response);

#endif
