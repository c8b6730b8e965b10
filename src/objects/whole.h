/* SPDX-License-Identifier: MIT */
/* One object by its own address, for whoever only reads it. */
#ifndef OBJECTS_WHOLE_H
#define OBJECTS_WHOLE_H

#include "objects/objects.h"

/* objects_is_address: returns whether the text begins as s3://, http:// or https:// does, and is no file's name. */
bool objects_is_address(const char *text);

/*
 * objects_open_address: reads what the address names, which is the object of s3://BUCKET/KEY, with credentials as
 * objects_open has them, or the answer to a GET without any; `wake_descriptor` is that of objects_options. Returns a
 * file without a name that holds it, and that the caller closes. -1: failed as objects_get does; *ret_status says how.
 */
int objects_open_address(const char *address, int wake_descriptor, enum ct_status *ret_status,
	struct ct_error *reterr);

#endif
