/* SPDX-License-Identifier: MIT */
/*
 * The words of the text form, from the lists in include/corotracer/def.
 */
#include <string.h>

#include "event/kind_words.h"
#include "textrace/names.h"

#define NUMBERS 96 /* in any list; a larger number does not compile */

static const char *const names[TEXTRACE_NR_LISTS][NUMBERS] = {
#define X(name, number, text, category, object, argument, meaning) [TEXTRACE_KINDS][number] = text,
#include "corotracer/def/kinds.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_RESOURCES][number] = text,
#include "corotracer/def/resources.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_OUTCOMES][number] = text,
#include "corotracer/def/outcomes.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_POINTS][number] = text,
#include "corotracer/def/points.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_LIVES][number] = text,
#include "corotracer/def/lives.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_MARKS][number] = text,
#include "corotracer/def/marks.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_LOSSES][number] = text,
#include "corotracer/def/losses.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_CALLS][number] = text,
#include "corotracer/def/calls.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_DETAILS][number] = text,
#include "corotracer/def/details.def"
#undef X
#define X(name, number, text, scope, meaning) [TEXTRACE_RANGES][number] = text,
#include "corotracer/def/ranges.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_PROCESSORS][number] = text,
#include "corotracer/def/processors.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_DESCRIPTOR_TYPES][number] = text,
#include "corotracer/def/descriptors.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_SITE_FORMS][number] = text,
#include "corotracer/def/forms.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_SITE_KINDS][number] = text,
#include "corotracer/def/sites.def"
#undef X
#define X(name, number, text, meaning) [TEXTRACE_ENDINGS][number] = text,
#include "corotracer/def/endings.def"
#undef X
};

const char *textrace_name(enum textrace_list list, uint64_t number)
{
	return number < NUMBERS ? names[list][number] : NULL;
}

bool textrace_number(enum textrace_list list, const char *name, uint64_t *ret_number)
{
	uint64_t i;

	for (i = 0; i < NUMBERS; i++) {
		if (names[list][i] && strcmp(names[list][i], name) == 0) {
			*ret_number = i;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *key;
	enum textrace_list list;
} argument_keys[] = {
	{"point", TEXTRACE_POINTS},
	{"outcome", TEXTRACE_OUTCOMES},
	{"life", TEXTRACE_LIVES},
	{"mark", TEXTRACE_MARKS},
	{"loss", TEXTRACE_LOSSES},
	{"call", TEXTRACE_CALLS},
	{"detail", TEXTRACE_DETAILS},
	{"range", TEXTRACE_RANGES},
	{"state", TEXTRACE_PROCESSORS},
};

#define NR_ARGUMENT_KEYS (sizeof(argument_keys) / sizeof(argument_keys[0]))

bool textrace_argument_list(const char *key, enum textrace_list *ret_list)
{
	size_t i;

	for (i = 0; i < NR_ARGUMENT_KEYS; i++) {
		if (strcmp(argument_keys[i].key, key) == 0) {
			*ret_list = argument_keys[i].list;
			return true;
		}
	}
	return false;
}

/* The key of a small argument that also comes from a list. */
static const char *small_argument(unsigned kind)
{
	switch (kind) {
	case CTP_KIND_LOST:
		return "loss";
	case CTP_KIND_BLOCK_BEGIN:
	case CTP_KIND_BLOCK_END:
		return "call";
	case CTP_KIND_DETAIL:
		return "detail";
	default:
		return NULL;
	}
}

const char *textrace_argument(unsigned kind, enum textrace_list *ret_list)
{
	static const char *const keys[] = {[KIND_ARGUMENT_POINT] = "point",
		[KIND_ARGUMENT_OUTCOME] = "outcome",
		[KIND_ARGUMENT_LIFE] = "life",
		[KIND_ARGUMENT_MARK] = "mark",
		[KIND_ARGUMENT_RANGE] = "range",
		[KIND_ARGUMENT_PROCESSOR] = "state",
		[KIND_ARGUMENT_SMALL] = NULL};
	enum kind_argument argument = kind_argument(kind);
	const char *key = argument == KIND_ARGUMENT_SMALL ? small_argument(kind) : keys[argument];

	return key && textrace_argument_list(key, ret_list) ? key : NULL;
}

const char *textrace_line_name(enum textrace_line line)
{
	static const char *const line_names[] = {
		[TEXTRACE_TRACE] = "trace",
		[TEXTRACE_PROCESS] = "process",
		[TEXTRACE_THREAD] = "thread",
		[TEXTRACE_SITE] = "site",
		[TEXTRACE_STACK] = "stack",
		[TEXTRACE_MAPPING] = "mapping",
		[TEXTRACE_LOSS] = "loss",
		[TEXTRACE_NOTE] = "note",
		[TEXTRACE_SIGHT] = "sight",
		[TEXTRACE_END] = "end",
	};

	return line_names[line];
}

static const struct textrace_field fields[] = {
#define X(line, type, key, field, form) \
	{TEXTRACE_##line, key, TEXTRACE_FORM_##form, offsetof(struct type, field)},
#include "textrace/fields.def"
#undef X
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

const struct textrace_field *textrace_fields(size_t *ret_count)
{
	*ret_count = NR_FIELDS;
	return fields;
}

const struct textrace_field *textrace_field(enum textrace_line line, const char *key)
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++) {
		if (fields[i].line == line && strcmp(fields[i].key, key) == 0)
			return &fields[i];
	}
	return NULL;
}
