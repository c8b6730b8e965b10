/* SPDX-License-Identifier: MIT */
/* A bucket: its address, and requests that are repeated as long as that is of use. */
#ifndef OBJECTS_S3_H
#define OBJECTS_S3_H

#include "base/sha256.h"
#include "objects/credentials.h"
#include "objects/kind.h"

#define S3_BUCKET_BYTES 64
#define S3_REASON_BYTES 64

struct s3 {
	struct objects base;
	struct http *http;
	char bucket[S3_BUCKET_BYTES];
	char prefix[OBJECTS_KEY_BYTES]; /* of all keys: "" or with '/' at its end */
	char region[64];                /* of the address; "": the credentials may say it */
	char endpoint[512];
	struct credentials credentials;
	bool has_credentials;
	uint32_t chance; /* of the pauses */
};

/* One request. The text of the query is sorted and encoded. */
struct s3_request {
	const char *method;
	const char *key;   /* without the store's prefix; NULL: the bucket itself */
	const char *query; /* NULL: none */
	const void *bytes;
	int descriptor;
	uint64_t offset;
	uint64_t nr_bytes;
	int into; /* -1: none */
};

/* The last answer. */
struct s3_answer {
	struct http_answer http;
	char reason[S3_REASON_BYTES]; /* the word of an error, such as NoSuchKey; "": none */
	unsigned nr_attempts;
};

/* s3_address_read: reads "BUCKET/PREFIX?endpoint=...&region=..." */
enum ct_status s3_address_read(struct s3 *s3, const char *address, struct ct_error *reterr);

/* s3_encode: appends a text with all but letters, digits and "-._~" as "%2F"; with `keeps_slashes`, also '/'. */
void s3_encode(struct text *text, const char *value, bool keeps_slashes);

/*
 * s3_perform: sends the request, again after a pause where an attempt fails for a reason that may pass. The caller
 * frees the answer's body, also after a failure. CT_OK: the answer's code is 2xx.
 */
enum ct_status s3_perform(struct s3 *s3, const struct s3_request *request,
	struct s3_answer *ret_answer, struct ct_error *reterr);

/* s3_put_parts: stores an object of that many bytes in parts. */
enum ct_status s3_put_parts(
	struct s3 *s3, const char *key, int descriptor, uint64_t nr_bytes, struct ct_error *reterr);

#endif
