/* SPDX-License-Identifier: MIT */
/*
 * What the words of a record hold, by its kind, as def/kinds.def says.
 */
#ifndef EVENT_KIND_WORDS_H
#define EVENT_KIND_WORDS_H

#include "corotracer/event.h"

enum kind_object {
	KIND_OBJECT_UNKNOWN, /* of a kind that this version does not know */
	KIND_OBJECT_NONE,
	KIND_OBJECT_RESOURCE,
	KIND_OBJECT_ADDRESS,
	KIND_OBJECT_CORO,
	KIND_OBJECT_NUMBER,
};

enum kind_argument {
	KIND_ARGUMENT_NONE,
	KIND_ARGUMENT_POINT,
	KIND_ARGUMENT_OUTCOME,
	KIND_ARGUMENT_LIFE,
	KIND_ARGUMENT_MARK,
	KIND_ARGUMENT_RANGE,
	KIND_ARGUMENT_PROCESSOR,
	KIND_ARGUMENT_SMALL,
};

/* kind_object: what the third word holds. */
static inline enum kind_object kind_object(unsigned kind)
{
	switch (kind) {
#define X(name, number, text, category, object, argument, meaning) \
	case number:                                               \
		return KIND_OBJECT_##object;
#include "corotracer/def/kinds.def"
#undef X
	default:
		return KIND_OBJECT_UNKNOWN;
	}
}

/* kind_argument: what the argument holds. */
static inline enum kind_argument kind_argument(unsigned kind)
{
	switch (kind) {
#define X(name, number, text, category, object, argument, meaning) \
	case number:                                               \
		return KIND_ARGUMENT_##argument;
#include "corotracer/def/kinds.def"
#undef X
	default:
		return KIND_ARGUMENT_SMALL;
	}
}

/* kind_category: enum ctp_category; SCHEDULING of what is not known. For a detail, that of its event counts. */
static inline enum ctp_category kind_category(unsigned kind)
{
	switch (kind) {
#define X(name, number, text, category, object, argument, meaning) \
	case number:                                               \
		return CTP_CATEGORY_##category;
#include "corotracer/def/kinds.def"
#undef X
	default:
		return CTP_CATEGORY_SCHEDULING;
	}
}

/* Whom a range concerns, as def/ranges.def says. */
enum kind_scope {
	KIND_SCOPE_PROCESS,
	KIND_SCOPE_PROCESSOR,
	KIND_SCOPE_THREAD,
	KIND_SCOPE_COROUTINE,
};

/* kind_range_scope: of a range that this version does not know, the thread. */
static inline enum kind_scope kind_range_scope(unsigned range)
{
	switch (range) {
#define X(name, number, text, scope, meaning) \
	case number:                          \
		return KIND_SCOPE_##scope;
#include "corotracer/def/ranges.def"
#undef X
	default:
		return KIND_SCOPE_THREAD;
	}
}

/* kind_is_observed: is it the engine that says so, and not the thread of the record itself? */
static inline bool kind_is_observed(unsigned kind)
{
	return kind == CTP_KIND_THREAD_STATE || kind == CTP_KIND_THREAD_TIME ||
	       kind == CTP_KIND_THREAD_POLL;
}

/* kind_coro_key: what the second word holds, in a word, where it names no coroutine; else NULL. */
static inline const char *kind_coro_key(unsigned kind)
{
	switch (kind) {
	case CTP_KIND_DESCRIPTOR_ARM:
	case CTP_KIND_DESCRIPTOR_READY:
		return "data";
	case CTP_KIND_DESCRIPTOR_IO:
		return "result";
	case CTP_KIND_BLOCK_BEGIN:
		return "resource";
	case CTP_KIND_DESCRIPTOR_TIMER:
		return "expires";
	case CTP_KIND_LOST:
		return "first";
	case CTP_KIND_THREAD_STATE:
	case CTP_KIND_THREAD_POLL:
		return "tid";
	case CTP_KIND_THREAD_TIME:
		return "ran";
	default:
		return NULL;
	}
}

/* kind_has_coro: does the second word name a coroutine? */
static inline bool kind_has_coro(unsigned kind)
{
	return !kind_coro_key(kind);
}

/* kind_is_annotation: does the program tell something of itself? Its site then has the name. */
static inline bool kind_is_annotation(unsigned kind)
{
	return (kind >= CTP_KIND_TASK_BEGIN && kind <= CTP_KIND_MARK) ||
	       kind == CTP_KIND_TASK_SET || kind == CTP_KIND_NAME;
}

#endif
