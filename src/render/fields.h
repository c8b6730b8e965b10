/* SPDX-License-Identifier: MIT */
/*
 * The fields of a report in memory: the list of corotracer/def/report.def, for code that walks over all fields.
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
	enum render_object object; /* the kind of the part, or of the list's elements */
	uint32_t offset;           /* offset in its struct */
	uint32_t size;             /* size of the value, or of one element of a list */
	uint32_t number_offset;    /* offset of a list's length, in the same struct */
};

struct render_fields {
	const char *heading; /* "": its fields are only listed among those of other objects */
	const char *says;
	const struct render_field *fields;
	size_t nr_fields;
};

/* render_fields: the fields of an object. */
const struct render_fields *render_fields(enum render_object object);

/* render_kind_type: the JSON type of a value of this kind; "": a field of this kind has no key. */
const char *render_kind_type(enum render_kind kind);

#endif
