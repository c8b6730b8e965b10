/* SPDX-License-Identifier: MIT */
/*
 * Looking at a process whose recording is about to end.
 */
#include <stdlib.h>

#include "kernel/live.h"
#include "session/look.h"

struct ct_process_look *look_new(int64_t pid, int64_t watched_ns)
{
	struct ct_process_look *look = calloc(1, sizeof(*look));
	struct live *seen;

	if (!look)
		return NULL;
	look->live.pid = (uint64_t)pid;
	look->live.watched_ns = watched_ns;
	if (live_look((pid_t)pid, &seen, NULL) == CT_OK) {
		look->live.seen = seen;
		return look;
	}
	free(look);
	return NULL;
}

void ct_process_look_free(struct ct_process_look *look)
{
	if (!look)
		return;
	live_free((struct live *)(uintptr_t)look->live.seen);
	free(look);
}
