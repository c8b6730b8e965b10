/* SPDX-License-Identifier: MIT */
/*
 * One HTTP request at a time, and all that is used of an HTTP library. A connection is kept for the next request.
 *
 * An attempt that fails on the way is no failure of the function: the answer says what became of it.
 */
#ifndef OBJECTS_HTTP_H
#define OBJECTS_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"

#define HTTP_BODY_BYTES (8u << 20) /* of an answer that is kept in memory; the rest is left out */
#define HTTP_ETAG_BYTES 128
#define HTTP_TROUBLE_BYTES 256

struct http;

/* Signature version 4 of AWS. The texts stay the caller's. */
struct http_signing {
	const char *key_id;
	const char *secret;
	const char *region;
};

struct http_request {
	const char *method;
	const char *
		url; /* query parameters are sorted and encoded already, as the signature needs them */
	const char *const *headers;         /* "Name: value", NULL at the end; NULL: none */
	const struct http_signing *signing; /* NULL: not signed */

	/* What is sent: bytes in memory, or else a part of a file. */
	const void *bytes;
	int descriptor;
	uint64_t offset;
	uint64_t nr_bytes; /* 0: nothing is sent */

	int into; /* a file that takes the body of an answer 200, from its beginning on; -1: the answer's `body` does */
	int wake_descriptor; /* when readable, ends the request; 0: none */
	uint32_t silence_ms; /* less than 1 KiB in this time ends the request */
};

struct http_answer {
	long code; /* 0: no answer came */
	bool is_broken; /* the connection failed, or ended too soon, or was silent for too long: `trouble` says it */
	bool was_woken;
	uint64_t nr_bytes; /* of the body */
	uint64_t length;   /* that the answer announces, as HEAD gets it; UINT64_MAX: none */
	struct text body;
	char etag[HTTP_ETAG_BYTES];
	unsigned wait_s; /* Retry-After; 0: none */
	char trouble[HTTP_TROUBLE_BYTES];
};

/* http_open: CT_ERR_UNSUPPORTED in a build without libcurl. http_close: NULL is allowed. */
enum ct_status http_open(struct http **ret_http, struct ct_error *reterr);
void http_close(struct http *http);

/* http_perform: makes one attempt. The caller frees the answer's body, also after a failure. */
enum ct_status http_perform(struct http *http, const struct http_request *request,
	struct http_answer *ret_answer, struct ct_error *reterr);

#endif
