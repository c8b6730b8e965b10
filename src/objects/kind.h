/* SPDX-License-Identifier: MIT */
/* What each kind of store does for the functions of objects.h, which have checked the key. */
#ifndef OBJECTS_KIND_H
#define OBJECTS_KIND_H

#include "objects/objects.h"

typedef bool objects_visit(void *context, const struct object *object);

struct objects_kind {
	void (*close)(struct objects *objects);
	enum ct_status (*put)(
		struct objects *objects, const char *key, int descriptor, struct ct_error *reterr);
	enum ct_status (*get)(
		struct objects *objects, const char *key, int descriptor, struct ct_error *reterr);
	enum ct_status (*remove)(struct objects *objects, const char *key, struct ct_error *reterr);
	enum ct_status (*list)(struct objects *objects, const char *prefix, const char *after,
		objects_visit *visit, void *context, struct ct_error *reterr);
};

/* The first member of each kind's own struct. */
struct objects {
	const struct objects_kind *kind;
	struct objects_options options; /* complete */
	struct objects_counts counts;
	char *place;
};

/* kind_new_folder, kind_new_bucket: open a store; the caller fills in `options` and `place` at once. */
enum ct_status kind_new_folder(
	const char *folder, struct objects **ret_objects, struct ct_error *reterr);
enum ct_status kind_new_bucket(
	const char *address, struct objects **ret_objects, struct ct_error *reterr);

#endif
