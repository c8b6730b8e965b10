/* SPDX-License-Identifier: MIT */
/*
 * The fields of a report in memory: what corotracer/def/report.def lists, for whoever walks over all of them.
 */
#ifndef RENDER_FIELDS_H
#define RENDER_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum render_kind {
#define KIND(name, type) RENDER_KIND_##name,
#include "corotracer/def/report.def"
	RENDER_NR_KINDS,
};

enum render_object {
#define OBJECT(name, heading, says) RENDER_OBJECT_##name,
#include "corotracer/def/report.def"
	RENDER_NR_OBJECTS,
};

struct render_field {
	const char *key;
	const char *meaning;
	enum render_kind kind;
	enum render_object object; /* of a part, or a list's elements */
	uint32_t offset;           /* in its struct */
	uint32_t size;             /* of the value; of one element of a list */
	uint32_t number_offset;    /* in the same struct, of a list's length */
};

struct render_fields {
	const char *heading; /* "": its fields are only told among those of others */
	const char *says;
	const struct render_field *fields;
	size_t nr_fields;
};

/* render_fields: of an object. */
const struct render_fields *render_fields(enum render_object object);

/* render_kind_type: what JSON calls a value of this kind; "": such a field has no key. */
const char *render_kind_type(enum render_kind kind);

#endif
