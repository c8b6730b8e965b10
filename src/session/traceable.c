/* SPDX-License-Identifier: MIT */
/* The processes that have a probe, found by their descriptors, because there is no list of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/vec.h"
#include "collect/probe_files.h"
#include "corotracer/control.h"
#include "kernel/procfs.h"

#define WRITTEN ".partial"

struct listing {
	VEC(struct ct_traceable) found;
	bool is_broken;
};

/* One process, while its descriptors are examined. */
struct visit {
	struct ct_traceable seen;
	bool has_probe;
};

const char *ct_traceable_name(enum ct_traceable_state state)
{
	switch (state) {
#define X(NAME, text, meaning)    \
	case CT_TRACEABLE_##NAME: \
		return text;
#include "corotracer/def/traceable.def"
#undef X
	}
	return "unknown";
}

static void link_of(pid_t pid, int number, char *buffer, size_t nr_bytes)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", number);
	procfs_link(pid, name, buffer, nr_bytes);
}

/* An engine that was killed leaves its process id in the segment. */
static void note_segment(struct visit *visit, int segment)
{
	struct procfs_stat engine;
	pid_t owner = collect_segment_owner(segment);

	if (!collect_is_open_probe(segment))
		return;
	visit->has_probe = true;
	if (owner <= 0 || !procfs_stat(owner, &engine) || engine.state == 'Z')
		return;
	visit->seen.state = CT_TRACEABLE_RECORDED;
	visit->seen.engine_pid = owner;
}

static bool look_at(void *context, int number)
{
	struct visit *visit = context;
	pid_t pid = (pid_t)visit->seen.pid;
	char link[sizeof(visit->seen.file)];
	int segment;

	link_of(pid, number, link, sizeof(link));
	segment = collect_open_segment(pid, number, link);
	if (segment >= 0) {
		note_segment(visit, segment);
		close(segment);
	} else if (*link == '/' && !*visit->seen.file &&
		   collect_is_flight_file(pid, procfs_descriptor(pid, number).text)) {
		memcpy(visit->seen.file, link, sizeof(link));
	}
	return true;
}

static bool is_written(void *context, int number)
{
	struct ct_traceable *seen = context;
	size_t length;

	link_of((pid_t)seen->engine_pid, number, seen->file, sizeof(seen->file));
	length = strlen(seen->file);
	if (*seen->file == '/' && length > strlen(WRITTEN) &&
		strcmp(seen->file + length - strlen(WRITTEN), WRITTEN) == 0)
		return false;
	*seen->file = '\0';
	return true;
}

static bool visit_process(void *context, int pid)
{
	struct listing *listing = context;
	struct visit visit = {.seen = {.pid = pid, .state = CT_TRACEABLE_WAITS}};

	procfs_numbers(pid, "fd", look_at, &visit);
	if (!visit.has_probe && !*visit.seen.file)
		return true;
	if (!visit.has_probe)
		visit.seen.state = CT_TRACEABLE_KEEPS_PAST;
	if (visit.seen.state == CT_TRACEABLE_RECORDED)
		procfs_numbers((pid_t)visit.seen.engine_pid, "fd", is_written, &visit.seen);
	procfs_command_line(pid, visit.seen.command, sizeof(visit.seen.command));
	listing->is_broken |= !vec_push(&listing->found, visit.seen);
	return !listing->is_broken;
}

static int compare_ids(const void *left, const void *right)
{
	const struct ct_traceable *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

enum ct_status ct_traceables_find(
	struct ct_traceable **ret_found, size_t *ret_count, struct ct_error *reterr)
{
	struct listing listing = {.is_broken = false};

	errno = 0;
	if (!procfs_numbers_at(AT_FDCWD, "/proc", visit_process, &listing)) {
		vec_fini(&listing.found);
		return listing.is_broken ? ct_fail_memory(reterr)
					 : ct_fail_errno(reterr, "reading '/proc'");
	}
	if (listing.found.count)
		qsort(listing.found.at, listing.found.count, sizeof(*listing.found.at),
			compare_ids);
	*ret_found = listing.found.at;
	*ret_count = listing.found.count;
	return CT_OK;
}

void ct_traceables_free(struct ct_traceable *found)
{
	free(found);
}
