/* SPDX-License-Identifier: MIT */
/*
 * A profile for Speedscope (https://www.speedscope.app/file-format-schema.json): a list of functions, and for each
 * stack the numbers of its functions, outermost first, and its nanoseconds.
 */
#include "base/hash.h"
#include "base/json_write.h"
#include "profile/stacks.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct frames {
	VEC(struct profile_line) all;
	/* indexed by frame: one more than the next frame with the same hash; 0: none */
	VEC(uint32_t) next;
	struct map at; /* by hash: one more than the frame */
	bool is_broken;
};

static uint64_t hash_of(const struct profile_line *line)
{
	return hash_text(hash_text(HASH_START ^ line->line, line->function), line->file);
}

static bool is_same(const struct profile_line *a, const struct profile_line *b)
{
	return a->line == b->line && strcmp(a->function, b->function) == 0 &&
	       strcmp(a->file, b->file) == 0;
}

static uint32_t frame_of(struct frames *frames, const struct profile_line *line)
{
	uint64_t hash = hash_of(line);
	uint32_t head = 0, at;

	if (!map_get(&frames->at, hash, &head))
		head = 0;
	for (at = head; at; at = frames->next.at[at - 1])
		if (is_same(&frames->all.at[at - 1], line))
			return at - 1;
	frames->is_broken |= !vec_push(&frames->all, *line) || !vec_push(&frames->next, head) ||
			     !map_put(&frames->at, hash, (uint32_t)frames->all.count);
	return (uint32_t)frames->all.count - 1;
}

static bool is_wanted(const struct profile *profile, uint32_t stack)
{
	return profile->stacks.all.at[stack].ns > 0;
}

static void put_stack(
	struct json *json, struct frames *frames, const struct profile *profile, uint32_t stack)
{
	const struct profile_names *names = &profile->names[stack];
	uint32_t parent = profile->stacks.all.at[stack].parent, i;

	if (parent)
		put_stack(json, frames, profile, parent);
	for (i = names->nr_lines; i > 0; i--)
		json_unsigned(json, frame_of(frames, &names->lines[i - 1]));
}

static void put_samples(struct json *json, struct frames *frames, const struct profile *profile)
{
	uint32_t i;

	json_key_open(json, "samples", '[');
	for (i = 1; i < profile->stacks.all.count; i++) {
		if (!is_wanted(profile, i))
			continue;
		json_open(json, '[');
		put_stack(json, frames, profile, i);
		json_close(json, ']');
	}
	json_close(json, ']');
}

/* Returns their sum. */
static int64_t put_weights(struct json *json, const struct profile *profile)
{
	int64_t sum = 0;
	uint32_t i;

	json_key_open(json, "weights", '[');
	for (i = 1; i < profile->stacks.all.count; i++) {
		if (!is_wanted(profile, i))
			continue;
		sum += profile->stacks.all.at[i].ns;
		json_number(json, profile->stacks.all.at[i].ns);
	}
	json_close(json, ']');
	return sum;
}

static void put_profile(struct json *json, struct frames *frames, const struct profile *profile)
{
	int64_t sum;

	json_key_open(json, "profiles", '[');
	json_open(json, '{');
	json_key_text(json, "type", "sampled");
	json_key_text(json, "name", ct_profile_name(profile->options.profile));
	json_key_text(json, "unit", profile_is_of_samples(profile) ? "none" : "nanoseconds");
	put_samples(json, frames, profile);
	sum = put_weights(json, profile);
	json_key_number(json, "startValue", 0);
	json_key_number(json, "endValue", sum);
	json_close(json, '}');
	json_close(json, ']');
}

static void put_frames(struct json *json, const struct frames *frames)
{
	size_t i;

	json_key_open(json, "shared", '{');
	json_key_open(json, "frames", '[');
	for (i = 0; i < frames->all.count; i++) {
		const struct profile_line *line = &frames->all.at[i];

		json_open(json, '{');
		json_key_text(json, "name", line->function);
		if (*line->file)
			json_key_text(json, "file", line->file);
		if (line->line)
			json_key_unsigned(json, "line", line->line);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

void profile_write_speedscope(struct text *text, const struct profile *profile)
{
	struct frames frames = {.is_broken = false};
	struct json json;

	json_init(&json, text, false);
	json_open(&json, '{');
	json_key_text(&json, "$schema", SCHEMA);
	json_key_text(&json, "exporter", "corotracer");
	put_profile(&json, &frames, profile);
	put_frames(&json, &frames);
	json_close(&json, '}');
	text_char(text, '\n');
	text->is_broken |= frames.is_broken;
	vec_fini(&frames.all);
	vec_fini(&frames.next);
	map_fini(&frames.at);
}
