/* SPDX-License-Identifier: MIT */
/*
 * A profile as pprof reads it: the messages of profile.proto in the encoding of Protocol Buffers.
 * https://github.com/google/pprof/blob/main/proto/profile.proto
 *
 * A place becomes a location, and the functions into which it was inlined become its lines. There are no addresses,
 * because all names are in the file.
 */
#include <inttypes.h>

#include "base/interning.h"
#include "base/protobuf.h"
#include "profile/stacks.h"

/* Numbers of fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	VALUE_TYPE_TYPE = 1,
	VALUE_TYPE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE = 2,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
};

struct writing {
	const struct profile *profile;
	struct text out;
	struct interning strings;
	struct map function_at; /* by name and file */
	struct map location_at; /* locations that were written */
	bool is_broken;
};

/* ---------------------------------------------------------------- strings and functions */

static uint64_t string_of(struct writing *writing, const char *value)
{
	uint32_t number = interning_number(&writing->strings, value, strlen(value));

	writing->is_broken |= number == INTERNING_NONE;
	return number == INTERNING_NONE ? 0 : number;
}

static uint64_t function_of(struct writing *writing, const struct profile_line *line)
{
	uint64_t name = string_of(writing, line->function), file = string_of(writing, line->file);
	uint64_t key = name << 32 | file;
	uint32_t number = (uint32_t)writing->function_at.count + 1;
	struct text function = {0};

	if (map_get(&writing->function_at, key, &number))
		return number;
	writing->is_broken |= !map_put(&writing->function_at, key, number);
	protobuf_number(&function, FUNCTION_ID, number);
	protobuf_number(&function, FUNCTION_NAME, name);
	protobuf_number(&function, FUNCTION_SYSTEM_NAME, name);
	protobuf_number(&function, FUNCTION_FILENAME, file);
	protobuf_part(&writing->out, PROFILE_FUNCTION, &function);
	text_fini(&function);
	return number;
}

/* ---------------------------------------------------------------- the profile */

static void put_type(struct writing *writing, const char *type, const char *unit)
{
	struct text value_type = {0};

	protobuf_number(&value_type, VALUE_TYPE_TYPE, string_of(writing, type));
	protobuf_number(&value_type, VALUE_TYPE_UNIT, string_of(writing, unit));
	protobuf_part(&writing->out, PROFILE_SAMPLE_TYPE, &value_type);
	text_fini(&value_type);
}

static void put_location(struct writing *writing, const struct profile_names *names)
{
	struct text location = {0}, line = {0};
	uint32_t i;

	protobuf_number(&location, LOCATION_ID, names->first);
	for (i = 0; i < names->nr_lines; i++) {
		protobuf_number(&line, LINE_FUNCTION_ID, function_of(writing, &names->lines[i]));
		protobuf_number(&line, LINE_LINE, names->lines[i].line);
		protobuf_part(&location, LOCATION_LINE, &line);
	}
	protobuf_part(&writing->out, PROFILE_LOCATION, &location);
	text_fini(&location);
	text_fini(&line);
}

/* The number of a place, which is written at its first use. */
static uint64_t location_of(struct writing *writing, const struct profile_names *names)
{
	uint32_t is_there;

	if (map_get(&writing->location_at, names->first, &is_there))
		return names->first;
	writing->is_broken |= !map_put(&writing->location_at, names->first, true);
	put_location(writing, names);
	return names->first;
}

static void put_sample(struct writing *writing, const struct profile_stack *stack)
{
	const struct profile *profile = writing->profile;
	const struct profile_stack *all = profile->stacks.all.at;
	struct text sample = {0}, numbers = {0};
	uint32_t at;

	for (at = (uint32_t)(stack - all); at; at = all[at].parent)
		protobuf_varint(&numbers, location_of(writing, &profile->names[at]));
	protobuf_part(&sample, SAMPLE_LOCATION_ID, &numbers);
	protobuf_varint(&numbers, stack->count);
	protobuf_varint(&numbers, (uint64_t)stack->ns);
	protobuf_part(&sample, SAMPLE_VALUE, &numbers);
	protobuf_part(&writing->out, PROFILE_SAMPLE, &sample);
	text_fini(&sample);
	text_fini(&numbers);
}

static void put_stacks(struct writing *writing)
{
	const struct profile *profile = writing->profile;
	uint32_t i;

	for (i = 1; i < profile->stacks.all.count; i++)
		if (profile->stacks.all.at[i].count || profile->stacks.all.at[i].ns)
			put_sample(writing, &profile->stacks.all.at[i]);
}

/* Writes when the trace was made, and what it lacks. */
static void put_times(struct writing *writing, struct text *comment)
{
	const struct ct_tables *tables = writing->profile->tables;

	if (tables->observed_from != CT_NO_TIME) {
		protobuf_number(&writing->out, PROFILE_TIME_NANOS,
			(uint64_t)(tables->epoch_realtime_ns + tables->observed_from));
		if (tables->observed_until > tables->observed_from)
			protobuf_number(&writing->out, PROFILE_DURATION_NANOS,
				(uint64_t)(tables->observed_until - tables->observed_from));
	}
	if (!writing->profile->nr_lost)
		return;
	text_format(comment, "%" PRIu64 " events are lost", writing->profile->nr_lost);
	protobuf_number(&writing->out, PROFILE_COMMENT, string_of(writing, text_peek(comment)));
}

static void put_all(struct writing *writing)
{
	const char *type = ct_profile_name(writing->profile->options.profile);
	struct text comment = {0};
	const char *value;
	uint32_t i, nr_bytes;

	string_of(writing, "");
	put_type(writing, "count", "count");
	put_type(writing, type, profile_is_of_samples(writing->profile) ? "count" : "nanoseconds");
	protobuf_number(&writing->out, PROFILE_DEFAULT_SAMPLE_TYPE, string_of(writing, type));
	put_stacks(writing);
	put_times(writing, &comment);
	for (i = 0; i < writing->strings.ends.count; i++) {
		value = interning_bytes(&writing->strings, i, &nr_bytes);
		protobuf_bytes(&writing->out, PROFILE_STRING_TABLE, value, nr_bytes);
	}
	writing->is_broken |= comment.is_broken;
	text_fini(&comment);
}

void profile_write_pprof(struct text *text, const struct profile *profile)
{
	struct writing writing = {.profile = profile};

	put_all(&writing);
	profile_gzip(text, text_peek(&writing.out), writing.out.length);
	text->is_broken |= writing.is_broken || writing.out.is_broken;
	text_fini(&writing.out);
	interning_fini(&writing.strings);
	map_fini(&writing.function_at);
	map_fini(&writing.location_at);
}
