/* SPDX-License-Identifier: MIT */
/* The segments of a process name its engine, and the engine has the trace open (recording.h). */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "collect/probe_files.h"
#include "session/recording.h"
#include "store/store.h"

#define FIRST_BYTES 512u

struct search {
	pid_t pid;
	pid_t engine;
	bool has_probe; /* its coroutines are recorded */
	struct procfs_path path;
};

static bool look_at_segment(void *context, int number)
{
	struct search *search = context;
	char name[32], link[256];
	int segment;

	snprintf(name, sizeof(name), "fd/%d", number);
	procfs_link(search->pid, name, link, sizeof(link));
	segment = collect_is_segment_link(link) ? collect_open_segment(search->pid, number, link)
						: -1;
	if (segment < 0)
		return true;
	search->has_probe |= collect_is_open_probe(segment);
	search->engine = collect_segment_owner(segment);
	close(segment);
	return true;
}

static bool is_trace(const char *path)
{
	char first[FIRST_BYTES];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = file < 0 ? -1 : read(file, first, sizeof(first));

	if (file >= 0)
		close(file);
	return got > 0 && store_is_ours(first, (size_t)got);
}

/* Goes on until the trace is found. */
static bool look_at_file(void *context, int number)
{
	struct search *search = context;
	char name[32], link[256];

	snprintf(name, sizeof(name), "fd/%d", number);
	procfs_link(search->engine, name, link, sizeof(link));
	search->path = procfs_descriptor(search->engine, number);
	return link[0] != '/' || !is_trace(search->path.text);
}

bool recording_find(pid_t pid, struct procfs_path *ret_path, bool *ret_has_probe)
{
	struct search search = {.pid = pid};

	procfs_numbers(pid, "fd", look_at_segment, &search);
	if (search.engine <= 0 || procfs_numbers(search.engine, "fd", look_at_file, &search))
		return false;
	*ret_path = search.path;
	*ret_has_probe = search.has_probe;
	return is_trace(search.path.text);
}
