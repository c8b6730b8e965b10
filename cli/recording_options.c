/* SPDX-License-Identifier: MIT */
/*
 * Parses categories, lists and bounds of a recording from the command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording.h"

static const enum option list_options[] = {
	OPTION_RECORD_LEAVE_OUT_SITE, OPTION_RECORD_LEAVE_OUT_NAME, OPTION_RECORD_LEAVE_OUT_TASK};
#define NR_LISTS (sizeof(list_options) / sizeof(list_options[0]))

/* ---------------------------------------------------------------- categories */

#define CATEGORIES \
	"scheduling, resources, descriptors, tasks, regions, logs, counters, runtime or samples"

/* *ret_bits is not changed if the option was not given (NULL). */
static bool read_categories(const char *list, uint32_t *ret_bits, char complaint[COMPLAINT_BYTES])
{
	const char *at = list;
	uint32_t bits = 0;
	unsigned category;
	size_t length;

	for (; at; at = at[length] ? at + length + 1 : NULL) {
		length = strcspn(at, ",");
		if (!ct_category_find(at, length, &category)) {
			snprintf(complaint, COMPLAINT_BYTES,
				"there is no category '%.*s'; a category is " CATEGORIES,
				(int)(length < 40 ? length : 40), at);
			return false;
		}
		bits |= UINT32_C(1) << category;
	}
	if (list)
		*ret_bits = bits;
	return true;
}

static bool take_categories(struct ct_wanted *wanted, const struct arguments *arguments,
	char complaint[COMPLAINT_BYTES])
{
	uint32_t on = UINT32_MAX, off = 0;
	uint32_t scheduling = UINT32_C(1) << CTP_CATEGORY_SCHEDULING;

	if (!read_categories(arguments->value[OPTION_RECORD_CATEGORIES], &on, complaint) ||
		!read_categories(arguments->value[OPTION_RECORD_NO_CATEGORY], &off, complaint))
		return false;
	if (off & scheduling) {
		snprintf(complaint, COMPLAINT_BYTES,
			"category scheduling cannot be left out: without it there are no "
			"coroutines");
		return false;
	}
	wanted->categories_off = (~on | off) & ~scheduling;
	return true;
}

/* ---------------------------------------------------------------- lists */

static bool take_lists(struct recording_options *options, const struct arguments *arguments)
{
	size_t i;

	for (i = 0; i < NR_LISTS; i++) {
		options->lists[i] = arguments_list(arguments, list_options[i]);
		if (arguments->value[list_options[i]] && !options->lists[i])
			return false;
	}
	options->wanted.leave_out_sites = options->lists[0];
	options->wanted.leave_out_names = options->lists[1];
	options->wanted.leave_out_tasks = options->lists[2];
	options->conditions = arguments_all(arguments, OPTION_RECORD_ON);
	options->flight.conditions = options->conditions;
	return options->conditions != NULL;
}

/* ---------------------------------------------------------------- all */

static int64_t time_of(const struct arguments *arguments, enum option option)
{
	return (int64_t)arguments->meaning[option].number;
}

bool recording_options_read(struct recording_options *options, const struct arguments *arguments,
	char complaint[COMPLAINT_BYTES])
{
	const struct meaning *meaning = arguments->meaning;

	*options = (struct recording_options){
		.wanted = {.size = sizeof(options->wanted),
			.sample = (uint32_t)meaning[OPTION_RECORD_SAMPLE].number,
			.start_after_ns = time_of(arguments, OPTION_RECORD_START_AFTER),
			.duration_ns = time_of(arguments, OPTION_RECORD_DURATION),
			.wait_for_start = arguments->value[OPTION_RECORD_WAIT_FOR_START] != NULL},
		.orders = {.size = sizeof(options->orders),
			.coarse_step_ns = time_of(arguments, OPTION_RUN_CLOCK),
			.ring_bytes = meaning[OPTION_RECORD_RING_BUDGET].number,
			.overwrites = meaning[OPTION_RECORD_WHEN_FULL].number == 1},
		.flight = {.size = sizeof(options->flight),
			.window_ns = time_of(arguments, OPTION_RECORD_FLIGHT),
			.window_bytes = meaning[OPTION_RECORD_FLIGHT].second,
			.max_dumps = arguments_count(arguments, OPTION_RECORD_MAX_DUMPS)},
	};
	if (!take_categories(&options->wanted, arguments, complaint))
		return false;
	if (!take_lists(options, arguments)) {
		snprintf(complaint, COMPLAINT_BYTES, "out of memory");
		return false;
	}
	return true;
}

void recording_options_fini(struct recording_options *options)
{
	size_t i;

	for (i = 0; i < NR_LISTS; i++)
		free(options->lists[i]);
	free(options->conditions);
}
