/* SPDX-License-Identifier: MIT */
/*
 * The fields of a report in memory.
 */
#include "corotracer/ct.h"
#include "render/fields.h"

#define MEMBER(type, member) (((const struct type *)0)->member)

#define LIST(type, member, number, key, kind, object, meaning) \
	_Static_assert(sizeof(MEMBER(type, number)) == sizeof(uint32_t), "the length of " #key);
#include "corotracer/def/report.def"

#define OBJECT(name, heading, says) static const struct render_field fields_of_##name[] = {
#define FIELD(type, member, key, kind, meaning)                               \
	{#key, meaning, RENDER_KIND_##kind, 0, offsetof(struct type, member), \
		sizeof(MEMBER(type, member)), 0},
#define PART(type, member, key, kind, object, meaning)                                             \
	{#key, meaning, RENDER_KIND_##kind, RENDER_OBJECT_##object, offsetof(struct type, member), \
		sizeof(MEMBER(type, member)), 0},
#define LIST(type, member, number, key, kind, object, meaning)                                     \
	{#key, meaning, RENDER_KIND_##kind, RENDER_OBJECT_##object, offsetof(struct type, member), \
		sizeof(*MEMBER(type, member)), offsetof(struct type, number)},
#define END(name) \
	}         \
	;
#include "corotracer/def/report.def"

const struct render_fields *render_fields(enum render_object object)
{
	static const struct render_fields objects[] = {
#define OBJECT(name, heading, says) \
	{heading, says, fields_of_##name, sizeof(fields_of_##name) / sizeof(fields_of_##name[0])},
#include "corotracer/def/report.def"
	};

	return &objects[object];
}

const char *render_kind_type(enum render_kind kind)
{
	static const char *const types[] = {
#define KIND(name, type) type,
#include "corotracer/def/report.def"
	};

	return types[kind];
}
