/* SPDX-License-Identifier: MIT */
/*
 * Lists, times and categories on the command line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantity.h"
#include "wanted.h"

/* ---------------------------------------------------------------- lists */

static void list_free(char **list)
{
	char **at;

	for (at = list; at && *at; at++)
		free(*at);
	free(list);
}

/* The words between commas; NULL: out of memory. */
static char **list_split(const char *text)
{
	size_t count = 1, i = 0;
	const char *at;
	char **list;

	for (at = text; *at; at++)
		count += *at == ',';
	list = calloc(count + 1, sizeof(*list));
	for (at = text; list && i < count; i++) {
		size_t length = strcspn(at, ",");

		list[i] = strndup(at, length);
		if (!list[i]) {
			list_free(list);
			return NULL;
		}
		at += length + (at[length] == ',');
	}
	return list;
}

static bool take_list(struct wishes *wishes, const struct arguments *arguments, enum option option,
	unsigned place, const char *const **ret_list)
{
	const char *value = arguments->value[option];

	if (!value)
		return true;
	wishes->lists[place] = list_split(value);
	if (!wishes->lists[place]) {
		snprintf(wishes->complaint, sizeof(wishes->complaint), "out of memory");
		return false;
	}
	*ret_list = (const char *const *)wishes->lists[place];
	return true;
}

/* ---------------------------------------------------------------- categories */

#define CATEGORIES "scheduling, resources, descriptors, tasks, regions, logs or counters"

static bool category_bit(const char *word, size_t length, uint32_t *ret_bit)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} categories[] = {
#define X(name, number, text, is_evidence, meaning) {text, UINT32_C(1) << (number)},
#include "corotracer/def/categories.def"
#undef X
	};
	size_t i;

	for (i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		if (strlen(categories[i].name) != length ||
			strncmp(categories[i].name, word, length) != 0)
			continue;
		*ret_bit = categories[i].bit;
		return true;
	}
	return false;
}

static bool read_categories(struct wishes *wishes, const char *list, uint32_t *ret_bits)
{
	const char *at = list;
	uint32_t bit;

	*ret_bits = 0;
	for (;;) {
		size_t length = strcspn(at, ",");

		if (!category_bit(at, length, &bit)) {
			snprintf(wishes->complaint, sizeof(wishes->complaint),
				"there is no category '%.*s'; a category is " CATEGORIES,
				(int)(length < 40 ? length : 40), at);
			return false;
		}
		*ret_bits |= bit;
		if (!at[length])
			return true;
		at += length + 1;
	}
}

static bool take_categories(struct wishes *wishes, const struct arguments *arguments)
{
	const char *wanted = arguments->value[OPTION_RECORD_CATEGORIES];
	const char *unwanted = arguments->value[OPTION_RECORD_NO_CATEGORY];
	uint32_t on = UINT32_MAX, off = 0;
	uint32_t scheduling = UINT32_C(1) << CTP_CATEGORY_SCHEDULING;

	if (wanted && !read_categories(wishes, wanted, &on))
		return false;
	if (unwanted && !read_categories(wishes, unwanted, &off))
		return false;
	if (off & scheduling) {
		snprintf(wishes->complaint, sizeof(wishes->complaint),
			"category scheduling can not be left out: without it there are no "
			"coroutines");
		return false;
	}
	wishes->wanted.categories_off = (~on | off) & ~scheduling;
	return true;
}

/* ---------------------------------------------------------------- numbers */

static bool take_time(struct wishes *wishes, const struct arguments *arguments, enum option option,
	int64_t *ret_ns)
{
	const char *value = arguments->value[option];

	if (!value || quantity_time(value, strlen(value), ret_ns))
		return true;
	snprintf(wishes->complaint, sizeof(wishes->complaint),
		"option '--%s' needs a time with its unit: 500ms, 10s, 2min, 1h",
		option_descriptions[option].name);
	return false;
}

static bool take_sample(struct wishes *wishes, const struct arguments *arguments)
{
	const char *value = arguments->value[OPTION_RECORD_SAMPLE];
	unsigned long number;
	char *end;

	if (!value)
		return true;
	errno = 0;
	if (strncmp(value, "1/", 2) == 0 && value[2] >= '0' && value[2] <= '9') {
		number = strtoul(value + 2, &end, 10);
		if (!*end && !errno && number > 0 && number <= UINT32_MAX) {
			wishes->wanted.sample = (uint32_t)number;
			return true;
		}
	}
	snprintf(wishes->complaint, sizeof(wishes->complaint),
		"option '--sample' needs a share such as 1/100");
	return false;
}

/* ---------------------------------------------------------------- all */

bool wishes_read(struct wishes *wishes, const struct arguments *arguments)
{
	struct ct_wanted *wanted = &wishes->wanted;

	*wishes = (struct wishes){.wanted = {.size = sizeof(struct ct_wanted)}};
	wanted->wait_for_start = arguments->value[OPTION_RECORD_WAIT_FOR_START] != NULL;
	return take_categories(wishes, arguments) && take_sample(wishes, arguments) &&
	       take_time(wishes, arguments, OPTION_RECORD_START_AFTER, &wanted->start_after_ns) &&
	       take_time(wishes, arguments, OPTION_RECORD_DURATION, &wanted->duration_ns) &&
	       take_list(wishes, arguments, OPTION_RECORD_LEAVE_OUT_SITE, 0,
		       &wanted->leave_out_sites) &&
	       take_list(wishes, arguments, OPTION_RECORD_LEAVE_OUT_NAME, 1,
		       &wanted->leave_out_names) &&
	       take_list(wishes, arguments, OPTION_RECORD_LEAVE_OUT_TASK, 2,
		       &wanted->leave_out_tasks);
}

void wishes_fini(struct wishes *wishes)
{
	unsigned i;

	for (i = 0; i < sizeof(wishes->lists) / sizeof(wishes->lists[0]); i++)
		list_free(wishes->lists[i]);
}
