/* SPDX-License-Identifier: MIT */
/*
 * Answers. Each has headers that isolate the page: no scripts but ours, no frame around the page, no guessing of types,
 * no caching.
 */
#ifndef SERVE_REPLY_H
#define SERVE_REPLY_H

#include "serve/server.h"

/* The results are those for libmicrohttpd: MHD_NO closes the connection. */

/* serve_reply_text: sends the text and takes it over. serve_reply_json: the same, as JSON. */
enum MHD_Result serve_reply_text(
	struct serve_call *call, unsigned status, const char *type, struct text *text);
enum MHD_Result serve_reply_json(struct serve_call *call, unsigned status, struct text *text);

/* serve_reply_lasting: sends bytes that stay valid as long as the program runs. */
enum MHD_Result serve_reply_lasting(
	struct serve_call *call, const char *type, const void *bytes, size_t nr_bytes);

/* serve_reply_error: sends one sentence: as a page if the browser wants a page, else as JSON: {"error": "..."}. */
enum MHD_Result serve_reply_error(struct serve_call *call, unsigned status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* serve_reply_failure: like serve_reply_error, for a failure of the library, with the HTTP status that fits. */
enum MHD_Result serve_reply_failure(struct serve_call *call, const struct ct_error *error);

/* serve_reply_response: sends any response and releases it. `type` NULL: the response already has its type. */
enum MHD_Result serve_reply_response(
	struct serve_call *call, unsigned status, const char *type, struct MHD_Response *response);

#endif
