/* SPDX-License-Identifier: MIT */
/* Names of the numbers in events, from the lists in include/corotracer/def. */
#include <string.h>

#include "corotracer/event.h"

const char *ct_kind_name(unsigned kind)
{
	switch (kind) {
#define X(name, number, text, category, object, argument, meaning) \
	case number:                                               \
		return text;
#include "corotracer/def/kinds.def"
#undef X
	default:
		return "unknown";
	}
}

const char *ct_kind_meaning(unsigned kind)
{
	switch (kind) {
#define X(name, number, text, category, object, argument, meaning) \
	case number:                                               \
		return meaning;
#include "corotracer/def/kinds.def"
#undef X
	default:
		return "an event that this version does not know";
	}
}

#define X(name, number, text, meaning) \
	case number:                   \
		return text;

const char *ct_resource_name(unsigned resource)
{
	switch (resource) {
#include "corotracer/def/resources.def"
	default:
		return "unknown";
	}
}

const char *ct_outcome_name(unsigned outcome)
{
	switch (outcome) {
#include "corotracer/def/outcomes.def"
	default:
		return "unknown";
	}
}

const char *ct_point_name(unsigned point)
{
	switch (point) {
#include "corotracer/def/points.def"
	default:
		return "unknown";
	}
}

const char *ct_form_name(unsigned form)
{
	switch (form) {
#include "corotracer/def/forms.def"
	default:
		return "unknown";
	}
}

const char *ct_ending_name(unsigned ending)
{
	switch (ending) {
#include "corotracer/def/endings.def"
	default:
		return "unknown";
	}
}

const char *ct_life_name(unsigned life)
{
	switch (life) {
#include "corotracer/def/lives.def"
	default:
		return "unknown";
	}
}

const char *ct_mark_name(unsigned mark)
{
	switch (mark) {
#include "corotracer/def/marks.def"
	default:
		return "unknown";
	}
}

const char *ct_loss_name(unsigned loss)
{
	switch (loss) {
#include "corotracer/def/losses.def"
	default:
		return "unknown";
	}
}

const char *ct_call_name(unsigned call)
{
	switch (call) {
#include "corotracer/def/calls.def"
	default:
		return "unknown";
	}
}

const char *ct_processor_name(unsigned processor)
{
	switch (processor) {
#include "corotracer/def/processors.def"
	default:
		return "unknown";
	}
}

const char *ct_descriptor_type_name(unsigned type)
{
	switch (type) {
#include "corotracer/def/descriptors.def"
	default:
		return "unknown";
	}
}
#undef X

const char *ct_range_name(unsigned range)
{
	switch (range) {
#define X(name, number, text, scope, meaning) \
	case number:                          \
		return text;
#include "corotracer/def/ranges.def"
#undef X
	default:
		return "unknown";
	}
}

bool ct_category_find(const char *word, size_t length, unsigned *ret_category)
{
	static const struct {
		const char *name;
		unsigned number;
	} categories[] = {
#define X(name, number, text, is_evidence, meaning) {text, number},
#include "corotracer/def/categories.def"
#undef X
	};
	size_t i;

	for (i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		if (strlen(categories[i].name) != length ||
			memcmp(categories[i].name, word, length) != 0)
			continue;
		*ret_category = categories[i].number;
		return true;
	}
	return false;
}
