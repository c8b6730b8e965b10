/* SPDX-License-Identifier: MIT */
/* What the words of a record mean, by its kind, as def/kinds.def says. */
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

/* kind_object: returns what the third word means. */
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

/* kind_object_of: the same where the argument may say it more precisely, as that of a detail and of a mark does. */
static inline enum kind_object kind_object_of(unsigned kind, unsigned argument)
{
	bool is_resource = (kind == CTP_KIND_MARK && argument == CTP_MARK_HELD) ||
			   (kind == CTP_KIND_DETAIL && (argument == CTP_DETAIL_RESOURCE ||
							       argument == CTP_DETAIL_OTHER_END ||
							       argument == CTP_DETAIL_SENDER));

	return is_resource ? KIND_OBJECT_RESOURCE : kind_object(kind);
}

/* kind_argument: returns what the argument means. */
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

/*
 * kind_category: returns the enum ctp_category; SCHEDULING for an unknown kind. A detail has the category of its event.
 */
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

/* What a range concerns, as def/ranges.def says. */
enum kind_scope {
	KIND_SCOPE_PROCESS,
	KIND_SCOPE_PROCESSOR,
	KIND_SCOPE_THREAD,
	KIND_SCOPE_COROUTINE,
};

/* kind_range_scope: returns the scope of a range; the thread for a range that this version does not know. */
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

/* kind_is_observed: returns whether the engine observed the event, rather than the record's own thread writing it. */
static inline bool kind_is_observed(unsigned kind)
{
	return kind == CTP_KIND_THREAD_STATE || kind == CTP_KIND_THREAD_TIME ||
	       kind == CTP_KIND_THREAD_POLL || kind == CTP_KIND_THREAD_OFF ||
	       kind == CTP_KIND_PAGE_FAULT || kind == CTP_KIND_FAULTS || kind == CTP_KIND_SAMPLE;
}

/* kind_coro_key: returns a name for the second word if that does not name a coroutine; else NULL. */
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
	case CTP_KIND_PAGE_FAULT:
		return "address";
	case CTP_KIND_FAULTS:
		return "ns";
	default:
		return NULL;
	}
}

/* kind_has_coro: returns whether the second word names a coroutine. */
static inline bool kind_has_coro(unsigned kind)
{
	return !kind_coro_key(kind);
}

/*
 * kind_is_annotation: returns whether the event is an annotation, by which the program describes itself. Its name is
 * the site's.
 */
static inline bool kind_is_annotation(unsigned kind)
{
	return (kind >= CTP_KIND_TASK_BEGIN && kind <= CTP_KIND_MARK) ||
	       kind == CTP_KIND_TASK_SET || kind == CTP_KIND_NAME;
}

#endif
