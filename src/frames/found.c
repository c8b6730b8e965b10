/* SPDX-License-Identifier: MIT */
/* The lists of what was found (found.h). */
#include <inttypes.h>
#include <stdio.h>

#include "frames/found.h"
#include "say/say.h"

static const struct found_place no_place = {.function = "", .file = "", .reason = ""};

void found_init(struct found *found, struct arena *arena)
{
	memset(found, 0, sizeof(*found));
	found->arena = arena;
	found->is_out_of_memory = !vec_push(&found->places, no_place) ||
				  !vec_push(&found->calls, (struct ct_stack){0});
}

void found_fini(struct found *found)
{
	vec_fini(&found->places);
	vec_fini(&found->calls);
	vec_fini(&found->coroutines);
	vec_fini(&found->holdings);
	vec_fini(&found->parts);
	vec_fini(&found->knots);
	vec_fini(&found->variables);
	map_fini(&found->waker_tables);
	map_fini(&found->python.types);
	vec_fini(&found->python.stacks);
	vec_fini(&found->threads);
	vec_fini(&found->notes);
	vec_fini(&found->sights);
	map_fini(&found->by_key);
	map_fini(&found->by_call);
	map_fini(&found->by_address);
}

const char *found_text(struct found *found, const char *text)
{
	const char *kept = arena_text(found->arena, text, strlen(text));

	if (!kept)
		found->is_out_of_memory = true;
	return kept ? kept : "";
}

bool found_has_place(const struct found *found, uint64_t key, uint32_t *ret_index)
{
	return map_get(&found->by_key, key, ret_index);
}

uint32_t found_place(struct found *found, uint64_t key, const struct found_place *place)
{
	uint32_t index = (uint32_t)found->places.count;

	if (found_has_place(found, key, &index))
		return index;
	if (!vec_push(&found->places, *place) || !map_put(&found->by_key, key, index))
		found->is_out_of_memory = true;
	return index < found->places.count ? index : 0;
}

uint32_t found_call(struct found *found, uint32_t place, uint32_t caller)
{
	struct ct_stack call = {.site = place, .caller = caller};
	uint64_t key = (uint64_t)place << 32 | caller;
	uint32_t index = (uint32_t)found->calls.count;

	if (map_get(&found->by_call, key, &index))
		return index;
	if (!vec_push(&found->calls, call) || !map_put(&found->by_call, key, index))
		found->is_out_of_memory = true;
	return index < found->calls.count ? index : 0;
}

void found_coroutine(struct found *found, const struct found_coroutine *coroutine)
{
	uint32_t index = (uint32_t)found->coroutines.count;

	if (map_get(&found->by_address, coroutine->address, &index))
		return;
	if (!vec_push(&found->coroutines, *coroutine) ||
		!map_put(&found->by_address, coroutine->address, index))
		found->is_out_of_memory = true;
}

const char *found_who(const struct found *found, size_t index, char words[FOUND_WHO_BYTES])
{
	uint64_t number = found->is_by_probe ? found->coroutines.at[index].identity : index + 1;

	if (number)
		snprintf(words, FOUND_WHO_BYTES, "coroutine %" PRIu64, number);
	else
		snprintf(words, FOUND_WHO_BYTES, "a coroutine");
	return words;
}

void found_note(struct found *found, uint64_t count, bool is_left_out, const char *text)
{
	struct found_note note = {.count = count, .is_left_out = is_left_out};

	if (count == 0)
		return;
	note.text = found_text(found, text);
	if (!vec_push(&found->notes, note))
		found->is_out_of_memory = true;
}

void found_sight(struct found *found, const char *text)
{
	const char *kept = found_text(found, text);

	if (!vec_push(&found->sights, kept))
		found->is_out_of_memory = true;
}

void found_place_say(struct text *words, const struct found_place *place)
{
	if (place->file[0] || !place->module) {
		say_file(words, place->file);
		text_format(words, ":%" PRIu32, place->line);
		return;
	}
	say_file(words, place->module);
	text_format(words, "+0x%" PRIx64, place->module_offset);
}

void found_locals_add(struct text *words, const char *function, const char *values)
{
	if (!values[0])
		return;
	text_add(words, words->length ? "; of " : "locals of ");
	say_function(words, function);
	text_format(words, ": %s", values);
}

const char *found_words(struct found *found, struct text *words, size_t beginning)
{
	const char *kept = words->length > beginning ? found_text(found, text_peek(words)) : NULL;

	text_fini(words);
	return kept;
}

void found_words_sight(struct found *found, struct text *words, size_t beginning)
{
	if (words->length > beginning)
		found_sight(found, text_peek(words));
	text_fini(words);
}
