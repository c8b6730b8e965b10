/* SPDX-License-Identifier: MIT */
/*
 * Reads the ids of threads in their own namespace from /proc (thread_ids.h).
 */
#include <stdio.h>

#include "kernel/procfs.h"
#include "kernel/thread_ids.h"

struct search {
	struct thread_ids *ids;
	pid_t pid;
	uint64_t told;
	uint64_t found; /* 0: not found yet */
	struct map there;
};

static uint64_t ask(pid_t pid, uint64_t here)
{
	char name[48];

	snprintf(name, sizeof(name), "task/%llu/status", (unsigned long long)here);
	return procfs_inner_id(pid, name);
}

void thread_ids_init(struct thread_ids *ids, pid_t pid)
{
	uint64_t inner = procfs_inner_id(pid, "status");

	ids->are_own = inner != 0 && inner != (uint64_t)pid;
}

void thread_ids_fini(struct thread_ids *ids)
{
	map_fini(&ids->here);
	map_fini(&ids->there);
}

/*
 * A thread keeps its ids, so a thread whose other id is already known is not read again. Threads that are gone are
 * forgotten, because the kernel reuses their ids.
 */
static bool look_at(void *context, int here)
{
	struct search *search = context;
	struct thread_ids *ids = search->ids;
	uint32_t known;
	uint64_t there;

	if (map_get(&ids->there, (uint64_t)here, &known) && known != search->told) {
		map_put(&search->there, (uint64_t)here, known);
		return true;
	}
	there = ask(search->pid, (uint64_t)here);
	if (there == 0 || there > UINT32_MAX)
		return true;
	map_put(&search->there, (uint64_t)here, (uint32_t)there);
	map_put(&ids->here, there, (uint32_t)here);
	if (there == search->told)
		search->found = (uint64_t)here;
	return true;
}

uint64_t thread_ids_here(struct thread_ids *ids, pid_t pid, uint64_t told)
{
	struct search search = {.ids = ids, .pid = pid, .told = told};
	uint32_t known = 0;

	if (!ids->are_own || told == 0)
		return told;
	if (map_get(&ids->here, told, &known) && ask(pid, known) == told)
		return known;
	procfs_numbers(pid, "task", look_at, &search);
	map_fini(&ids->there);
	ids->there = search.there;
	if (search.found)
		return search.found;
	/* Events that the thread wrote before it ended belong to the last thread that had the id. */
	return known ? known : told;
}
