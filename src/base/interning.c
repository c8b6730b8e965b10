/* SPDX-License-Identifier: MIT */
/* Interning (interning.h). Strings with the same hash probe on by steps, so each of them is found again. */
#include <string.h>

#include "base/hash.h"
#include "base/interning.h"

#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15) /* odd, so that probing reaches every slot */

const char *interning_bytes(
	const struct interning *interning, uint32_t number, uint32_t *ret_nr_bytes)
{
	uint32_t begin = number ? interning->ends.at[number - 1] : 0;

	*ret_nr_bytes = interning->ends.at[number] - begin;
	return text_peek(&interning->bytes) + begin;
}

static bool is_equal(
	const struct interning *interning, uint32_t number, const void *bytes, size_t nr_bytes)
{
	uint32_t nr_kept;
	const char *kept = interning_bytes(interning, number, &nr_kept);

	return nr_kept == nr_bytes && memcmp(kept, bytes, nr_bytes) == 0;
}

static bool add(struct interning *interning, const void *bytes, size_t nr_bytes, uint64_t hash)
{
	text_append(&interning->bytes, bytes, nr_bytes);
	return !interning->bytes.is_broken && interning->bytes.length <= UINT32_MAX &&
	       vec_push(&interning->ends, (uint32_t)interning->bytes.length) &&
	       map_put(&interning->by_hash, hash, (uint32_t)interning->ends.count - 1);
}

uint32_t interning_number(struct interning *interning, const void *bytes, size_t nr_bytes)
{
	uint64_t hash = hash_bytes(HASH_START, bytes, nr_bytes);
	uint32_t number;

	while (map_get(&interning->by_hash, hash, &number)) {
		if (is_equal(interning, number, bytes, nr_bytes))
			return number;
		hash += HASH_STEP;
	}
	if (!add(interning, bytes, nr_bytes, hash))
		return INTERNING_NONE;
	return (uint32_t)interning->ends.count - 1;
}

void interning_clear(struct interning *interning)
{
	text_clear(&interning->bytes);
	interning->ends.count = 0;
	map_fini(&interning->by_hash);
}

void interning_fini(struct interning *interning)
{
	interning_clear(interning);
	text_fini(&interning->bytes);
	vec_fini(&interning->ends);
}
