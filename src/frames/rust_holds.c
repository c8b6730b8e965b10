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

/*
 * How far behind the word in a guard the semaphore may lie; 0: the variable is no guard. The guard of a writer leads to
 * the semaphore itself, and to the data, behind which other locks may lie. Readers hold a lock together, so that none
 * of them is told to have it: they are leads, like who has a permit of a semaphore (shared.c).
 */
static uint64_t reach_of(const struct found_variable *variable)
{
	if (strstr(variable->type, "MutexGuard<"))
		return LOCK_BYTES;
	return strstr(variable->type, "RwLockWriteGuard<") ? 1 : 0;
}

/* The lock for which a coroutine waits, and which is the first one from the word on; 0: none is near. */
static uint64_t lock_at(const struct found *found, uint64_t word, uint64_t reach)
{
	uint64_t least = reach, nearest = 0;
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
	uint64_t reach = reach_of(variable);
	size_t i, count, nr_bytes = sizeof(words);

	if (variable->bytes < nr_bytes)
		nr_bytes = (size_t)variable->bytes;
	count = image_read(image, variable->address, words, nr_bytes) / WORD;
	for (i = 0; i < count && !holding.object; i++)
		holding.object = words[i] ? lock_at(found, words[i], reach) : 0;
	if (holding.object &&
		map_get(&found->by_address, variable->coroutine, &holding.coroutine) &&
		!vec_push(&found->holdings, holding))
		found->is_out_of_memory = true;
}

void rust_holds_link(struct found *found, const struct image *image)
{
	size_t i;

	for (i = 0; i < found->variables.count; i++)
		if (reach_of(&found->variables.at[i]))
			take_guard(found, image, &found->variables.at[i]);
}
