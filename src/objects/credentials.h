/* SPDX-License-Identifier: MIT */
/*
 * The credentials for S3, from where programs for S3 take them. This struct and a request's signature hold them, and
 * nothing else: no message has any.
 */
#ifndef OBJECTS_CREDENTIALS_H
#define OBJECTS_CREDENTIALS_H

#include "objects/http.h"

struct credentials {
	char key_id[256];
	char secret[256];
	char token[8192];   /* of credentials for a while; "": none */
	char region[64];    /* "": not said */
	char endpoint[512]; /* the server's address; "": that of AWS */
	uint64_t
		until_s; /* Unix time from when on they should be read again; 0: no time is known */
};

/*
 * credentials_read: reads, in this order, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the
 * environment; the section AWS_PROFILE ("default") of ~/.aws/credentials, or of the file AWS_SHARED_CREDENTIALS_FILE;
 * and the address AWS_CONTAINER_CREDENTIALS_FULL_URI, or AWS_CONTAINER_CREDENTIALS_RELATIVE_URI. Region and endpoint
 * come from AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or the profile in ~/.aws/config.
 * CT_ERR_REFUSED: there are none.
 */
enum ct_status credentials_read(
	struct http *http, struct credentials *ret_credentials, struct ct_error *reterr);

/* credentials_fini: overwrites them. */
void credentials_fini(struct credentials *credentials);

#endif
