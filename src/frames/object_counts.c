/* SPDX-License-Identifier: MIT */
/* Counts objects that are awaited (object_counts.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "frames/object_counts.h"
#include "say/say.h"

bool object_counts_add(struct object_counts *counts, uint64_t address, size_t waiting)
{
	struct object_count fresh = {.address = address, .first = waiting};
	uint32_t index = (uint32_t)counts->list.count;

	if (!map_get(&counts->by_address, address, &index) &&
		(!vec_push(&counts->list, fresh) || !map_put(&counts->by_address, address, index)))
		return false;
	counts->list.at[index].nr_coroutines++;
	return true;
}

static int by_coroutines(const void *a, const void *b)
{
	const struct object_count *one = a, *other = b;

	if (one->nr_coroutines != other->nr_coroutines)
		return one->nr_coroutines > other->nr_coroutines ? -1 : 1;
	return one->first > other->first ? 1 : -1;
}

void object_counts_sort(struct object_counts *counts)
{
	if (counts->list.count > 0)
		qsort(counts->list.at, counts->list.count, sizeof(*counts->list.at), by_coroutines);
}

const struct object_counts_words object_counts_await = {"awaits the", "await the"};

void object_counts_say(const struct object_count *object, const struct found_place *place,
	const struct object_counts_words *words, const char *type, struct text *text)
{
	if (object->nr_coroutines == 1)
		text_add(text, "a coroutine at ");
	else
		text_format(text, "%" PRIu64 " coroutines, one of them at ", object->nr_coroutines);
	say_file(text, place->file);
	text_format(text, ":%" PRIu32 "%s %s ", place->line, object->nr_coroutines == 1 ? "" : ",",
		object->nr_coroutines == 1 ? words->of_one : words->of_several);
	say_name(text, type);
	text_format(text, " at 0x%" PRIx64 ": ", object->address);
}

void object_counts_fini(struct object_counts *counts)
{
	vec_fini(&counts->list);
	map_fini(&counts->by_address);
}
