/* SPDX-License-Identifier: MIT */
/*
 * A store of objects: bytes under keys. A folder of this machine is one, and so is a bucket of S3 or of a server that
 * speaks as S3 does.
 *
 * A key is one or more names with '/' between them, such as "checkout/web-3/20260102/030405-4711.ctrace". An object is
 * there whole or not at all, and another one of the same key replaces it. One thread at a time may use a store;
 * different stores are independent, also of the same place.
 */
#ifndef OBJECTS_OBJECTS_H
#define OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"

#define OBJECTS_KEY_BYTES 1024 /* of the longest key, with its NUL */

struct objects;

/* Zero means the default. */
struct objects_options {
	int wake_descriptor; /* when readable, ends what is going on with CT_ERR_STOPPED; the caller's; 0: none */
	uint32_t nr_attempts; /* of each request, before it fails; 0: 5 */
	uint32_t pause_ms;    /* before the second attempt; doubled for each further one; 0: 200 */
	uint32_t
		silence_ms; /* an answer that brings less than 1 KiB in this time is given up; 0: 30 s */
	uint64_t whole_bytes; /* larger objects are sent to S3 in parts; 0: 16 MiB */
	uint64_t part_bytes;  /* of such a part, as long as 10,000 suffice; 0: 8 MiB */
};

/* What has been done since the store was opened. */
struct objects_counts {
	uint64_t nr_requests; /* to a server, with the repeated ones */
	uint64_t nr_repeated;
	uint64_t nr_bytes_sent; /* of objects */
	uint64_t nr_bytes_got;
};

struct object {
	const char *key;
	uint64_t nr_bytes;
};

/*
 * objects_is_remote: returns whether the text is the address of a bucket (s3://) and not a folder's name.
 *
 * objects_open: opens the store at `place`. A folder's name: the folder is made by the first put. An address is
 * s3://BUCKET, s3://BUCKET/PREFIX or, of another server, s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION;
 * all keys then lie below PREFIX. Nothing is asked of the server yet. The credentials are those that programs for S3
 * take: AWS_ACCESS_KEY_ID and others of the environment, ~/.aws/credentials with AWS_PROFILE, or the address that the
 * environment of a container names. CT_ERR_USAGE: the address is not of this form; CT_ERR_UNSUPPORTED: this build has
 * no libcurl; CT_ERR_REFUSED: there are no credentials.
 * objects_close: frees the store. NULL is allowed.
 */
bool objects_is_remote(const char *place);
enum ct_status objects_open(const char *place, const struct objects_options *options,
	struct objects **ret_objects, struct ct_error *reterr);
void objects_close(struct objects *objects);

/* objects_place: returns where the store is, for messages: without what follows '?'. Valid until the close. */
const char *objects_place(const struct objects *objects);

/* objects_counts: returns what was done so far. */
struct objects_counts objects_counts(const struct objects *objects);

/*
 * The following four fail with CT_ERR_USAGE if the key is not one, CT_ERR_REFUSED if the store does not allow it,
 * CT_ERR_NOT_FOUND if there is no such object (or bucket), CT_ERR_STOPPED if the wake descriptor ended it, and
 * CT_ERR_SYSTEM if the store cannot be reached, or failed as often as was attempted: it may work later.
 *
 * objects_put: stores the whole file `descriptor` under the key; when it returns, the object is on the store's disks.
 * objects_get: writes the object into the file `descriptor`, in place of what that holds.
 * objects_remove: removes the object. One that is not there counts as removed.
 */
enum ct_status objects_put(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr);
enum ct_status objects_get(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr);
enum ct_status objects_remove(struct objects *objects, const char *key, struct ct_error *reterr);

/*
 * objects_list: visits the objects whose keys begin with `prefix` ("": all) and are behind `after` ("": all), sorted by
 * the bytes of their keys; false of the visit ends it. A visit may not use the store. What is stored or removed
 * meanwhile may be visited or not.
 */
enum ct_status objects_list(struct objects *objects, const char *prefix, const char *after,
	bool (*visit)(void *context, const struct object *object), void *context,
	struct ct_error *reterr);

/* objects_is_key: returns whether the text can be a key: no empty name, none of dots only, no control characters. */
bool objects_is_key(const char *text);

#endif
