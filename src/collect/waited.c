/* SPDX-License-Identifier: MIT */
/* Since when coroutines wait (waited.h): four slots, one line of the cache, for each value of a hash. */
#include <stdlib.h>

#include "collect/waited.h"

#define LINES 16384u /* a power of two */
#define SLOTS 4u
#define PROCESSES 256u
#define PROCESS_SHIFT 56 /* ids of coroutines are shorter */

struct slot {
	uint64_t key;
	uint64_t since_ns;
	uint64_t left_ns; /* when it went on; UINT64_MAX: it waits; else the slot can be taken */
};

struct waited {
	struct slot lines[LINES][SLOTS];
};

struct waited *collect_waited_new(void)
{
	return calloc(1, sizeof(struct waited));
}

void collect_waited_free(struct waited *waited)
{
	free(waited);
}

static uint64_t key_of(uint32_t process, uint64_t coro)
{
	return coro ^ (uint64_t)process << PROCESS_SHIFT;
}

/* Ids of neighbours stay neighbours. */
static const struct slot *line_of(const struct waited *waited, uint64_t key)
{
	return waited->lines[(key ^ key >> 20 ^ key >> 48) & (LINES - 1)];
}

static const struct slot *find(const struct waited *waited, uint64_t key)
{
	const struct slot *line = line_of(waited, key);
	size_t i;

	for (i = 0; i < SLOTS; i++)
		if (line[i].key == key && line[i].left_ns)
			return &line[i];
	return NULL;
}

static void goes_on(struct waited *waited, uint64_t key, uint64_t now_ns)
{
	struct slot *slot = (struct slot *)(uintptr_t)find(waited, key);

	if (slot && slot->left_ns == UINT64_MAX)
		slot->left_ns = now_ns;
}

static void begins(struct waited *waited, uint64_t key, uint64_t now_ns)
{
	struct slot *slot = (struct slot *)(uintptr_t)find(waited, key);
	struct slot *line = (struct slot *)(uintptr_t)line_of(waited, key);
	bool is_known = slot != NULL;
	size_t i;

	/* The one that went on first is of least use. */
	for (i = 0; i < SLOTS && !is_known; i++)
		if (!slot || line[i].left_ns < slot->left_ns)
			slot = &line[i];
	if (is_known || slot->left_ns != UINT64_MAX)
		*slot = (struct slot){key, now_ns, UINT64_MAX};
}

/* The program may change its records at any time: a wrong one concerns its own coroutines only. */
void collect_waited_note(
	struct waited *waited, uint32_t process, const struct ct_batch *batch, uint64_t now_ns)
{
	const struct ctp_record *records = batch->records;
	size_t i;

	for (i = 0; waited && i < batch->nr_records; i++) {
		uint64_t coro = ctp_load_relaxed(&records[i].coro);
		uint64_t key = key_of(process, coro);

		switch (CTP_TAIL_KIND(ctp_load_relaxed(&records[i].tail))) {
		case CTP_KIND_SUSPEND:
			begins(waited, key, now_ns);
			break;
		case CTP_KIND_SWITCH:
			if (coro)
				begins(waited, key, now_ns);
			goes_on(waited,
				key_of(process,
					CTP_HANDLE_IDENTITY(ctp_load_relaxed(&records[i].object))),
				now_ns);
			break;
		case CTP_KIND_RESUME:
		case CTP_KIND_CANCEL:
		case CTP_KIND_RETURN:
		case CTP_KIND_DESTROY:
			goes_on(waited, key, now_ns);
			break;
		default:
			break;
		}
	}
}

void collect_waited_forget(struct waited *waited, uint32_t process)
{
	size_t i, k;

	for (i = 0; waited && i < LINES; i++)
		for (k = 0; k < SLOTS; k++)
			if (waited->lines[i][k].key >> PROCESS_SHIFT == (process & 0xff))
				waited->lines[i][k].left_ns = 0;
}

uint64_t collect_waited_since(
	const struct waited *waited, uint32_t process, uint64_t coro, uint64_t at_ns)
{
	const struct slot *slot = waited ? find(waited, key_of(process, coro)) : NULL;

	return slot && slot->left_ns >= at_ns ? slot->since_ns : UINT64_MAX;
}

size_t collect_waited_count(
	const struct waited *waited, uint64_t from_ns, uint64_t until_ns, uint32_t *ret_process)
{
	size_t counts[PROCESSES] = {0}, i, k, most = 0;

	for (i = 0; waited && i < LINES; i++)
		for (k = 0; k < SLOTS; k++) {
			const struct slot *slot = &waited->lines[i][k];

			if (slot->left_ns == UINT64_MAX && slot->since_ns >= from_ns &&
				slot->since_ns <= until_ns)
				counts[slot->key >> PROCESS_SHIFT]++;
		}
	for (i = 0; i < PROCESSES; i++)
		if (counts[i] > counts[most])
			most = i;
	*ret_process = (uint32_t)most;
	return counts[most];
}
