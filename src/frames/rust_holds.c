/* SPDX-License-Identifier: MIT */
/*
 * Which task of tokio holds a lock for which another one waits (rust_tasks.h): a guard among its variables leads to
 * where the lock lies, of which the semaphore that others wait for is a part.
 */
#include "corotracer/ctp.h"
#include "frames/rust_tasks.h"

#define WORD sizeof(uint64_t)
#define GUARD_WORDS 8u
#define LOCK_BYTES 128u /* from where a guard leads, to the semaphore */

static bool is_guard(const struct found_variable *variable)
{
	return strstr(variable->type, "MutexGuard<") != NULL;
}

/* The lock for which a coroutine waits, and which is the first one from the word on; 0: none is near. */
static uint64_t lock_at(const struct found *found, uint64_t word)
{
	uint64_t least = LOCK_BYTES, nearest = 0;
	size_t i;

	for (i = 0; i < found->coroutines.count; i++) {
		uint64_t object = found->coroutines.at[i].object;

		if (CTP_HANDLE_RESOURCE(object) != CTP_RESOURCE_LOCK ||
			CTP_HANDLE_IDENTITY(object) - word >= least)
			continue;
		least = CTP_HANDLE_IDENTITY(object) - word;
		nearest = object;
	}
	return nearest;
}

static void take_guard(
	struct found *found, const struct image *image, const struct found_variable *variable)
{
	struct found_holding holding = {.place = variable->place};
	uint64_t words[GUARD_WORDS];
	size_t i, count, nr_bytes = sizeof(words);

	if (variable->bytes < nr_bytes)
		nr_bytes = (size_t)variable->bytes;
	count = image_read(image, variable->address, words, nr_bytes) / WORD;
	for (i = 0; i < count && !holding.object; i++)
		holding.object = words[i] ? lock_at(found, words[i]) : 0;
	if (holding.object &&
		map_get(&found->by_address, variable->coroutine, &holding.coroutine) &&
		!vec_push(&found->holdings, holding))
		found->is_out_of_memory = true;
}

void rust_holds_link(struct found *found, const struct image *image)
{
	size_t i;

	for (i = 0; i < found->variables.count; i++)
		if (is_guard(&found->variables.at[i]))
			take_guard(found, image, &found->variables.at[i]);
}
