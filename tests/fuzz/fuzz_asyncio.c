/* SPDX-License-Identifier: MIT */
/*
 * The memory of an interpreter of Python with any content, which changes while it is read. The input is a list of
 * stores into a sound memory: a byte that says of which version, and what else is in memory, then each with two bytes
 * of time, two of position, and eight of value. The harness checks that reading ends, that what is found refers only to
 * what is there, and that nothing is lost of a memory without a store. The question who could still be
 * woken is asked as well.
 */
#include "frames/follow.h"
#include "made_python.h"
#include "memory_file.h"

#define STORE_BYTES 12u
#define HAS_THREAD 0x10u
#define HAS_ENDED 0x20u
#define HAS_POOLS 0x40u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static size_t sum; /* over every text */

static void check_places(const struct found *found)
{
	size_t i;

	for (i = 0; i < found->places.count; i++) {
		const struct found_place *place = &found->places.at[i];

		require(place->stack < found->calls.count);
		sum += strlen(place->function) + strlen(place->file) + strlen(place->reason);
	}
	for (i = 1; i < found->calls.count; i++) {
		require(found->calls.at[i].site < found->places.count);
		require(found->calls.at[i].caller < i);
	}
}

static void check_coroutines(const struct found *found, size_t nr_threads)
{
	size_t i;

	for (i = 0; i < found->coroutines.count; i++) {
		const struct found_coroutine *coroutine = &found->coroutines.at[i];

		require(coroutine->place < found->places.count);
		require(coroutine->function < found->places.count);
		require(coroutine->thread == FOUND_NO_THREAD || coroutine->thread < nr_threads);
		sum += strlen(coroutine->name);
	}
}

static void check_sights(const struct found *found)
{
	size_t i;

	for (i = 0; i < found->sights.count; i++)
		sum += strlen(found->sights.at[i]);
	for (i = 0; i < found->coroutines.count; i++)
		require(!found->coroutines.at[i].is_unreached ||
			found->coroutines.at[i].state == FRAME_WAITS);
}

/* Pools come last, as they say of memory that was made what it is. */
static void make_more(struct made_python *made, uint8_t form)
{
	if (form & HAS_THREAD)
		made_thread(made);
	if (form & HAS_ENDED)
		made_ended(made);
	if (form & HAS_POOLS)
		made_pools(made, form);
}

static void look(struct made_python *made)
{
	bool is_sound = made->memory->nr_stores == 0;
	struct found_reader *reader;
	struct arena arena;
	struct found found;
	char words[256];

	arena_init(&arena);
	found_init(&found, &arena);
	require(found_python.open(&made->image, NULL, &reader, NULL) == CT_OK);
	require(found_python.look(reader, &made->image, &found, NULL) == CT_OK);
	check_places(&found);
	check_coroutines(&found, made->image.threads.count);
	require(!is_sound || found.coroutines.count == 2);
	require(follow_judge(&found, &made->image));
	check_sights(&found);
	if (found_python.why_not(reader, words, sizeof(words)))
		sum += strlen(words);
	found_python.close(reader);
	found_fini(&found);
	arena_fini(&arena);
}

static void take_store(struct made_memory *memory, const uint8_t *bytes)
{
	struct made_store *store = &memory->stores[memory->nr_stores++];
	uint16_t words[2];

	memcpy(words, bytes, sizeof(words));
	store->after = words[0];
	store->position = words[1] % (MADE_BYTES / 8) * 8;
	memcpy(&store->word, bytes + sizeof(words), sizeof(store->word));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct made_python made;

	if (nr_bytes == 0)
		return 0;
	made_python(&made, &made_layouts[bytes[0] % MADE_LAYOUTS]);
	make_more(&made, bytes[0]);
	made.image.is_moving = true;
	for (bytes++, nr_bytes--;
		nr_bytes >= STORE_BYTES && made.memory->nr_stores < MADE_STORES_MAX;
		bytes += STORE_BYTES, nr_bytes -= STORE_BYTES)
		take_store(made.memory, bytes);
	look(&made);
	vec_fini(&made.image.regions);
	vec_fini(&made.image.threads);
	arena_fini(&made.image.arena);
	free(made.memory);
	return 0;
}
