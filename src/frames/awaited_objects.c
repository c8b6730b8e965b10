/* SPDX-License-Identifier: MIT */
/* Says what is in objects that are awaited, and who else leads to them (awaited_objects.h). */
#include <inttypes.h>
#include <stdio.h>

#include "frames/awaited.h"
#include "frames/awaited_objects.h"
#include "say/say.h"

#define WORD sizeof(uint64_t)
#define NAME_MAX_BYTES 400
#define HOLDERS_TOLD 2u
#define VARIABLE_WORDS_MAX 16u

static const struct frame *frame_at(const struct awaited_objects *objects, size_t at)
{
	return &objects->scan->frames.at[at];
}

static const struct code_function *function_of(const struct awaited_objects *objects, size_t at)
{
	return scan_function(objects->scan, frame_at(objects, at));
}

static const struct code_awaiter *awaiter_of(const struct awaited_objects *objects, size_t at)
{
	return scan_awaiter(objects->scan, frame_at(objects, at));
}

/* The frame in which the address lies; false: in none. */
static bool find_frame(const struct awaited_objects *objects, uint64_t address, size_t *ret_frame)
{
	size_t nr = vec_count_while(
		objects->scan->frames.count, i, objects->scan->frames.at[i].address <= address);

	*ret_frame = nr - 1;
	return nr > 0 && address - frame_at(objects, nr - 1)->address <
				 function_of(objects, nr - 1)->shape.bytes;
}

/* "(in a frame of fetch)": whose handle a pointer is, or who is the first in a list of those that wait. */
static void say_memory(void *context, uint64_t address, struct text *text)
{
	const struct awaited_objects *objects = context;
	size_t frame;

	if (!find_frame(objects, address, &frame))
		return;
	text_add(text, " (in a frame of ");
	say_function(text, function_of(objects, frame)->name);
	text_char(text, ')');
}

/* ---------------------------------------------------------------- of each frame */

static void count(struct awaited_objects *objects, const struct code_awaiter *awaiter, size_t at)
{
	uint64_t address =
		awaited_object(awaiter, objects->scan->image, frame_at(objects, at)->address);

	if (address && !object_counts_add(&objects->counts, address, at))
		objects->found->is_out_of_memory = true;
}

static void add_type(struct text *words, const char *type)
{
	char name[NAME_MAX_BYTES + 1];
	int nr_chars = awaited_name(&type, NAME_MAX_BYTES);

	snprintf(name, sizeof(name), "%.*s", nr_chars, type);
	say_name(words, name);
}

const char *awaited_objects_take(struct awaited_objects *objects, size_t frame)
{
	const struct code_awaiter *awaiter = awaiter_of(objects, frame);
	struct text words = {0};
	size_t nr_before;

	if (!awaiter)
		return NULL;
	count(objects, awaiter, frame);
	text_add(&words, "awaits ");
	add_type(&words, code_point_of(function_of(objects, frame), frame_at(objects, frame)->index)
				 ->awaiter);
	text_add(&words, ": ");
	nr_before = words.length;
	awaited_tell(awaiter, objects->scan->image, frame_at(objects, frame)->address, false,
		say_memory, objects, &words);
	return found_words(objects->found, &words, nr_before);
}

/* ---------------------------------------------------------------- who else leads there */

/* The frames besides those that await it which lead to an object that is told. */
struct holders {
	const struct object_count *object;
	size_t frames[HOLDERS_TOLD];
	const struct code_variable *variables[HOLDERS_TOLD];
	uint32_t count;
};

/* What the frame awaits; 0: nothing that is known. */
static uint64_t awaited_at(const struct awaited_objects *objects, size_t at)
{
	const struct code_awaiter *awaiter = awaiter_of(objects, at);

	return awaiter ? awaited_object(
				 awaiter, objects->scan->image, frame_at(objects, at)->address)
		       : 0;
}

static bool has_word(const uint64_t *words, size_t count, uint64_t word)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (words[i] == word)
			return true;
	return false;
}

static void look_at_variable(const struct awaited_objects *objects, size_t at,
	const struct code_variable *variable, uint64_t awaited, struct holders *holders,
	size_t nr_told)
{
	uint64_t words[VARIABLE_WORDS_MAX];
	size_t nr_bytes = variable->bytes < sizeof(words) ? variable->bytes : sizeof(words);
	size_t count = image_read(objects->scan->image,
			       frame_at(objects, at)->address + variable->offset, words, nr_bytes) /
		       WORD;
	size_t i;

	for (i = 0; i < nr_told; i++) {
		struct holders *held = &holders[i];

		if (held->count == HOLDERS_TOLD || held->object->address == awaited ||
			(held->count && held->frames[held->count - 1] == at) ||
			!has_word(words, count, held->object->address))
			continue;
		held->frames[held->count] = at;
		held->variables[held->count++] = variable;
	}
}

/* Each frame is read once, for all objects. */
static void find_holders(
	const struct awaited_objects *objects, struct holders *holders, size_t nr_told)
{
	size_t i, j;

	for (i = 0; i < objects->scan->frames.count && i < FOUND_TOLD; i++) {
		const struct code_shape *shape = &function_of(objects, i)->shape;
		enum frame_state state = frame_at(objects, i)->state;
		uint64_t awaited;

		if (state != FRAME_WAITS && state != FRAME_RUNS)
			continue;
		awaited = awaited_at(objects, i);
		for (j = 0; j < shape->variables.count; j++)
			look_at_variable(
				objects, i, &shape->variables.at[j], awaited, holders, nr_told);
	}
}

static const struct found_place *place_of(const struct awaited_objects *objects, size_t at)
{
	uint32_t index;

	if (!map_get(&objects->found->by_address, frame_at(objects, at)->address, &index))
		return &objects->found->places.at[0];
	return &objects->found->places.at[objects->found->coroutines.at[index].place];
}

static void add_holder(const struct awaited_objects *objects, size_t at,
	const struct code_variable *variable, struct text *words)
{
	text_format(words, "; '%s' (", variable->name);
	say_name(words, variable->type);
	text_add(words, ") of ");
	say_function(words, function_of(objects, at)->name);
	if (frame_at(objects, at)->state == FRAME_RUNS)
		text_add(words, ", which runs");
	else {
		const struct found_place *place = place_of(objects, at);

		text_add(words, ", which waits at ");
		say_file(words, place->file);
		text_format(words, ":%" PRIu32, place->line);
	}
	text_add(words, ", leads there, too");
}

/* ---------------------------------------------------------------- all of them */

static void tell(struct awaited_objects *objects, const struct holders *holders)
{
	const struct object_count *object = holders->object;
	const struct code_awaiter *awaiter = awaiter_of(objects, object->first);
	struct text words = {0};
	size_t nr_before;
	uint32_t i;

	object_counts_say(object, place_of(objects, object->first), &object_counts_await,
		awaiter->object_type, &words);
	nr_before = words.length;
	awaited_tell(awaiter, objects->scan->image, frame_at(objects, object->first)->address, true,
		say_memory, objects, &words);
	for (i = 0; i < holders->count; i++)
		add_holder(objects, holders->frames[i], holders->variables[i], &words);
	found_words_sight(objects->found, &words, nr_before);
}

/* What a coroutine alone awaits, and has in a frame itself, is no object that others know. */
static bool is_own(const struct awaited_objects *objects, const struct object_count *object)
{
	size_t frame;

	return object->nr_coroutines == 1 && find_frame(objects, object->address, &frame) &&
	       frame == object->first;
}

void awaited_objects_tell(struct awaited_objects *objects)
{
	struct holders holders[OBJECT_COUNTS_SAID] = {{.count = 0}};
	size_t i, nr_told = 0;

	object_counts_sort(&objects->counts);
	for (i = 0; i < objects->counts.list.count && nr_told < OBJECT_COUNTS_SAID; i++)
		if (!is_own(objects, &objects->counts.list.at[i]))
			holders[nr_told++].object = &objects->counts.list.at[i];
	if (nr_told > 0)
		find_holders(objects, holders, nr_told);
	for (i = 0; i < nr_told; i++)
		tell(objects, &holders[i]);
}

void awaited_objects_fini(struct awaited_objects *objects)
{
	object_counts_fini(&objects->counts);
}
