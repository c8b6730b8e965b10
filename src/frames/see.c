/* SPDX-License-Identifier: MIT */
/* Makes sentences of what was found in memory (see.h). */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "frames/see.h"
#include "say/say.h"

#define PLACES_MAX 16u  /* of which it is said how many coroutines wait there */
#define OF_A_PLACE 2u   /* coroutines that no number tells apart, at one place */
#define WITHOUT_MAX 32u /* and in all */

struct seeing {
	const struct found *found;
	const struct found *before;
	const struct frames_seeing *how;
	struct map by_place; /* coroutines without a number that were told, at a place */
	uint32_t nr_without;
	bool is_over;
};

static void take(struct seeing *seeing, uint64_t coro, const char *text)
{
	if (!seeing->is_over)
		seeing->is_over = !seeing->how->take(seeing->how->context, coro, text);
}

static const struct found_place *place_of(
	const struct found *found, const struct found_coroutine *coroutine)
{
	return &found->places.at[coroutine->place];
}

static bool is_same_text(const char *one, const char *other)
{
	return one == other || (one && other && strcmp(one, other) == 0);
}

/* Not all readers make a sum of all that a coroutine has. */
static bool is_same(const struct seeing *seeing, const struct found_coroutine *before,
	const struct found_coroutine *now)
{
	const struct found_place *former = place_of(seeing->before, before);
	const struct found_place *place = place_of(seeing->found, now);

	return before->state == now->state && before->content == now->content &&
	       former->line == place->line && strcmp(former->file, place->file) == 0 &&
	       former->module_offset == place->module_offset &&
	       is_same_text(before->variables, now->variables) &&
	       is_same_text(before->awaits, now->awaits);
}

/* In a program that goes on, what does so is seen in part. */
static bool is_whole(const struct seeing *seeing, const struct found_coroutine *coroutine)
{
	uint32_t index;

	if (!seeing->how->goes_on)
		return true;
	if (coroutine->state != FRAME_WAITS)
		return false;
	if (!seeing->how->again)
		return coroutine->identity != 0;
	if (!map_get(&seeing->before->by_address, coroutine->address, &index))
		return false;
	return is_same(seeing, &seeing->before->coroutines.at[index], coroutine);
}

/* Is there room for one more at its place? */
static bool is_told(struct seeing *seeing, const struct found_coroutine *coroutine)
{
	uint32_t count = 0;

	map_get(&seeing->by_place, coroutine->place, &count);
	if (coroutine->state != FRAME_WAITS || count == OF_A_PLACE ||
		seeing->nr_without == WITHOUT_MAX)
		return false;
	seeing->nr_without++;
	return map_put(&seeing->by_place, coroutine->place, count + 1);
}

static void take_at_place(
	struct seeing *seeing, const struct found_coroutine *coroutine, const char *text)
{
	const struct found_place *place = place_of(seeing->found, coroutine);
	struct text words = {0};

	if (!text)
		return;
	text_add(&words, "a coroutine at ");
	found_place_say(&words, place);
	text_format(
		&words, "%s%s: %s", coroutine->name[0] ? ", called " : "", coroutine->name, text);
	take(seeing, 0, text_peek(&words));
	text_fini(&words);
}

static void see_coroutine(struct seeing *seeing, const struct found_coroutine *coroutine)
{
	const char *texts[] = {coroutine->variables, coroutine->awaits};
	size_t i;

	if ((!texts[0] && !texts[1]) || !is_whole(seeing, coroutine))
		return;
	if (!coroutine->identity && !is_told(seeing, coroutine))
		return;
	for (i = 0; i < 2; i++)
		if (!coroutine->identity)
			take_at_place(seeing, coroutine, texts[i]);
		else if (texts[i])
			take(seeing, coroutine->identity, texts[i]);
}

/* ---------------------------------------------------------------- how many wait where */

static void see_place(struct seeing *seeing, const struct found_place *at, uint32_t count)
{
	struct text words = {0};

	text_format(&words, "%" PRIu32 " coroutine%s at ", count, count == 1 ? " waits" : "s wait");
	if (at->function[0]) {
		say_function(&words, at->function);
		text_add(&words, " (");
	}
	found_place_say(&words, at);
	text_add(&words, at->function[0] ? ")" : "");
	take(seeing, 0, text_peek(&words));
	text_fini(&words);
}

/* What is awaited may tell two places on one line apart, which is not said. */
static uint64_t key_of(const struct found *found, const struct found_coroutine *coroutine)
{
	const struct found_place *place = place_of(found, coroutine);
	uint64_t key = hash_bytes(HASH_START, place->function, strlen(place->function));

	if (place->module)
		key = hash_bytes(hash_text(key, place->module), &place->module_offset,
			sizeof(place->module_offset));
	return hash_bytes(hash_bytes(key, place->file, strlen(place->file)), &place->line,
		sizeof(place->line));
}

/* How many there are, and where most of them wait. */
static void see_all(struct seeing *seeing, const struct map *counts, uint32_t nr_seen)
{
	const struct found *found = seeing->found;
	const struct found_place *at = NULL;
	uint32_t count, most = 0;
	struct text words = {0};
	size_t i;

	for (i = 0; i < found->coroutines.count; i++)
		if (map_get(counts, key_of(found, &found->coroutines.at[i]), &count) &&
			count > most) {
			most = count;
			at = place_of(found, &found->coroutines.at[i]);
		}
	if (!at)
		return;
	text_format(&words,
		"%" PRIu32 " coroutine%s seen in memory that wait%s, %" PRIu32 " of them at ",
		nr_seen, nr_seen == 1 ? " was" : "s were", nr_seen == 1 ? "s" : "", most);
	found_place_say(&words, at);
	take(seeing, 0, text_peek(&words));
	text_fini(&words);
}

/* No event tells where coroutines wait that no probe knows. */
static void see_places(struct seeing *seeing)
{
	const struct found *found = seeing->found;
	struct map counts = {0};
	uint32_t count, nr_told = 0, nr_seen = 0;
	bool is_well = true;
	size_t i;

	for (i = 0; i < found->coroutines.count && is_well; i++) {
		const struct found_coroutine *coroutine = &found->coroutines.at[i];
		uint64_t key = key_of(found, coroutine);

		count = 0;
		if (coroutine->state != FRAME_WAITS || !is_whole(seeing, coroutine))
			continue;
		map_get(&counts, key, &count);
		is_well = map_put(&counts, key, count + 1);
		nr_seen++;
	}
	see_all(seeing, &counts, nr_seen);
	for (i = 0; i < found->coroutines.count && nr_told < PLACES_MAX; i++) {
		const struct found_coroutine *coroutine = &found->coroutines.at[i];
		uint64_t key = key_of(found, coroutine);

		if (!map_get(&counts, key, &count))
			continue;
		see_place(seeing, place_of(found, coroutine), count);
		map_remove(&counts, key);
		nr_told++;
	}
	map_fini(&counts);
}

void see_found(
	const struct found *found, const struct found *before, const struct frames_seeing *how)
{
	struct seeing seeing = {.found = found, .before = before, .how = how};
	size_t i;

	if (!how->is_recorded)
		see_places(&seeing);
	for (i = 0; i < found->sights.count && !how->goes_on; i++)
		take(&seeing, 0, found->sights.at[i]);
	for (i = 0; i < found->coroutines.count && !seeing.is_over; i++)
		see_coroutine(&seeing, &found->coroutines.at[i]);
	map_fini(&seeing.by_place);
}
