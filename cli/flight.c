/* SPDX-License-Identifier: MIT */
/*
 * Dumps: the words about them, and the command that follows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flight.h"
#include "quantity.h"
#include "say.h"

/* ---------------------------------------------------------------- options */

/* "10s" or "64MiB". */
static bool read_bound(const char *text, size_t length, struct ct_flight_options *options)
{
	return quantity_time(text, length, &options->window_ns) ||
	       quantity_bytes(text, length, &options->window_bytes);
}

static bool read_bounds(const char *text, struct ct_flight_options *options)
{
	size_t length = strcspn(text, ",");

	if (!read_bound(text, length, options))
		return false;
	if (!text[length])
		return true;
	return read_bound(text + length + 1, strlen(text + length + 1), options);
}

bool flight_options_read(const struct arguments *arguments, struct ct_flight_options *ret_options,
	char complaint[COMPLAINT_BYTES])
{
	const char *bounds = arguments->value[OPTION_RECORD_FLIGHT];

	*ret_options = (struct ct_flight_options){
		.size = sizeof(*ret_options),
		.max_dumps = (uint32_t)arguments_number(arguments, OPTION_RECORD_MAX_DUMPS, 0),
	};
	if (!read_bounds(bounds, ret_options)) {
		snprintf(complaint, COMPLAINT_BYTES,
			"option '--flight' takes a time, a size or both, as in 10s,64MiB, not '%s'",
			bounds);
		return false;
	}
	ret_options->conditions = arguments_all(arguments, OPTION_RECORD_ON);
	if (!ret_options->conditions)
		snprintf(complaint, COMPLAINT_BYTES, "out of memory");
	return ret_options->conditions != NULL;
}

/* ---------------------------------------------------------------- dumps */

static void say_dump(const struct ct_dump *dump)
{
	if (dump->trouble) {
		say_sentence("the past could not be written (%s): %s", dump->reason, dump->trouble);
		return;
	}
	say_sentence("wrote the last %s to '%s' (%s%s): %s", said_span(dump->held_ns).text,
		dump->path, said_bytes(dump->held_bytes).text,
		dump->is_short_of_bytes ? "; more would not fit into the window" : "",
		dump->reason);
}

void flight_say(struct ct_record *record, struct flight_course *course)
{
	uint32_t count;
	const struct ct_dump *dumps = ct_record_dumps(record, &count, NULL);

	for (; course->nr_said < count; course->nr_said++) {
		say_dump(&dumps[course->nr_said]);
		if (!dumps[course->nr_said].trouble)
			after_dump_start(&course->after, &dumps[course->nr_said]);
	}
	after_dump_look(&course->after);
}

void flight_finish(struct ct_record *record, struct flight_course *course)
{
	uint64_t nr_suppressed;
	uint32_t count;

	flight_say(record, course);
	ct_record_dumps(record, &count, &nr_suppressed);
	if (nr_suppressed)
		say_sentence(
			"%s more would have come too soon after another, or beyond --max-dumps",
			said_count(nr_suppressed, "dump", "dumps").text);
	after_dump_finish(&course->after);
}
