/* SPDX-License-Identifier: MIT */
/* Distinguishing threads when the kernel uses their ids again. */
#include "collect/threads.h"

void collect_threads_fini(struct threads *threads)
{
	map_fini(&threads->by_id);
	vec_fini(&threads->entries);
}

static struct threads_entry *find_entry(struct threads *threads, uint64_t tid)
{
	uint32_t index;

	if (!map_get(&threads->by_id, tid, &index))
		return NULL;
	return &threads->entries.at[index];
}

static uint32_t add_entry(struct threads *threads, uint64_t tid, uint32_t fresh, bool *ret_is_new)
{
	struct threads_entry entry = {.newest = {fresh, THREADS_RUNNING}};

	if (threads->entries.count >= THREADS_MAX || !vec_push(&threads->entries, entry))
		return 0;
	if (!map_put(&threads->by_id, tid, (uint32_t)(threads->entries.count - 1))) {
		threads->entries.count--;
		return 0;
	}
	*ret_is_new = true;
	return fresh;
}

uint32_t collect_threads_find(
	struct threads *threads, uint64_t tid, uint64_t time, uint32_t fresh, bool *ret_is_new)
{
	struct threads_entry *entry = find_entry(threads, tid);

	*ret_is_new = false;
	if (!entry)
		return add_entry(threads, tid, fresh, ret_is_new);
	if (entry->older.number && time <= entry->older.stopped)
		return entry->older.number;
	if (time <= entry->newest.stopped)
		return entry->newest.number;
	entry->older = entry->newest;
	entry->newest = (struct threads_life){fresh, THREADS_RUNNING};
	*ret_is_new = true;
	return fresh;
}

/* The later stop holds: after the probe has left, the ledger still writes for the same thread. */
static void stop_life(struct threads_life *life, uint64_t time)
{
	if (life->stopped == THREADS_RUNNING || life->stopped < time)
		life->stopped = time;
}

void collect_threads_stopped(struct threads *threads, uint32_t number, uint64_t tid, uint64_t time)
{
	struct threads_entry *entry = find_entry(threads, tid);

	if (!entry || number == 0)
		return;
	if (entry->newest.number == number)
		stop_life(&entry->newest, time);
	else if (entry->older.number == number)
		stop_life(&entry->older, time);
}
