/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/PID (live_look in live.h). A fact that vanishes before it is read is left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/live.h"
#include "kernel/live_arrivals.h"
#include "kernel/procfs.h"

#define FILE_NAME_BYTES 64
#define WATCHES_BYTES ((size_t)4 << 20) /* of one instance's text; an entry takes about 90 bytes */

struct look {
	struct live *live;
	int folder;
	bool is_out_of_memory;
};

/* ---------------------------------------------------------------- threads */

/* Reads one line and keeps as much of it as fits. */
static void read_line(int folder, int tid, const char *of, char *line, size_t nr_bytes)
{
	char name[FILE_NAME_BYTES];

	snprintf(name, sizeof(name), "task/%d/%s", tid, of);
	procfs_read_at(folder, name, line, nr_bytes);
	line[strcspn(line, "\n")] = '\0';
}

static void read_call(int folder, struct live_thread *thread)
{
	thread->call = procfs_call_at(folder, thread->tid, thread->arguments);
	if (thread->call >= 0 && live_is_about_descriptor(thread->call))
		thread->descriptor = (int32_t)thread->arguments[0];
}

static bool has_ended(const struct live_thread *thread)
{
	return thread->state == 'Z' || thread->state == 'X';
}

static bool look_at_thread(void *context, int tid)
{
	struct look *look = context;
	struct live *live = look->live;
	struct live_thread thread = {.tid = (uint64_t)tid, .descriptor = -1};
	char name[FILE_NAME_BYTES];
	struct procfs_stat stat;

	if (live->threads.count == LIVE_THREADS_MAX) {
		live->is_cut = true;
		return false;
	}
	read_call(look->folder, &thread);
	read_line(look->folder, tid, "wchan", thread.waits_in, sizeof(thread.waits_in));
	if (strcmp(thread.waits_in, "0") == 0)
		thread.waits_in[0] = '\0';
	read_line(look->folder, tid, "comm", thread.name, sizeof(thread.name));
	snprintf(name, sizeof(name), "task/%d/stat", tid);
	if (!procfs_stat_at(look->folder, name, &stat))
		return true;
	thread.state = stat.state;
	live->are_calls_hidden |= thread.call == PROCFS_UNKNOWN_CALL && !has_ended(&thread);
	look->is_out_of_memory |= !vec_push(&live->threads, thread);
	return !look->is_out_of_memory;
}

/* ---------------------------------------------------------------- descriptors */

/* "socket:[4711]"; the inode of a file in a file system is in fdinfo, from Linux 5.14 on. */
static uint64_t read_inode(int folder, const struct live_descriptor *descriptor)
{
	const char *bracket = strstr(descriptor->link, ":[");
	char name[FILE_NAME_BYTES];
	char text[1024];
	const char *line;

	if (bracket && descriptor->link[0] != '/')
		return strtoull(bracket + 2, NULL, 10);
	if (descriptor->link[0] != '/')
		return 0;
	snprintf(name, sizeof(name), "fdinfo/%d", (int)descriptor->number);
	procfs_read_at(folder, name, text, sizeof(text));
	line = strstr(text, "\nino:");
	return line ? strtoull(line + strlen("\nino:"), NULL, 10) : 0;
}

static bool look_at_descriptor(void *context, int number)
{
	struct look *look = context;
	struct live *live = look->live;
	struct live_descriptor descriptor = {.number = number, .other_end = -1};
	char name[FILE_NAME_BYTES];

	if (live->descriptors.count == LIVE_DESCRIPTORS_MAX) {
		live->is_cut = true;
		return false;
	}
	snprintf(name, sizeof(name), "fd/%d", number);
	procfs_link_at(look->folder, name, descriptor.link, sizeof(descriptor.link));
	if (descriptor.link[0] == '\0')
		return true;
	descriptor.inode = read_inode(look->folder, &descriptor);
	look->is_out_of_memory |= !vec_push(&live->descriptors, descriptor);
	return !look->is_out_of_memory;
}

/* "tfd: 5 events: 19 data: 5 pos:0 ino:61 sdev:5"; false: the line has another form. */
static bool read_watch(const char *line, struct live_watch *watch)
{
	const char *inode = strstr(line, " ino:");
	const char *end = strchr(line, '\n');

	if (sscanf(line, "tfd: %" SCNd32 " events: %" SCNx32, &watch->descriptor, &watch->events) !=
		2)
		return false;
	watch->inode =
		inode && (!end || inode < end) ? strtoull(inode + strlen(" ino:"), NULL, 16) : 0;
	return true;
}

static void read_watches(struct look *look, const char *text, int32_t epoll)
{
	struct live_watch watch = {.epoll = epoll};
	const char *line;

	for (line = strstr(text, "tfd:"); line && !look->is_out_of_memory;
		line = strstr(line + 1, "\ntfd:")) {
		line += *line == '\n';
		if (!read_watch(line, &watch))
			continue;
		if (look->live->watches.count == LIVE_WATCHES_MAX) {
			look->live->is_cut = true;
			return;
		}
		look->is_out_of_memory |= !vec_push(&look->live->watches, watch);
	}
}

static void look_at_instances(struct look *look)
{
	char *text = malloc(WATCHES_BYTES); /* memory is used only for pages that are written */
	char name[FILE_NAME_BYTES];
	size_t i;

	look->is_out_of_memory |= !text;
	for (i = 0; i < look->live->descriptors.count && !look->is_out_of_memory; i++) {
		const struct live_descriptor *descriptor = &look->live->descriptors.at[i];

		if (strcmp(live_kind_name(descriptor), "epoll") != 0)
			continue;
		if (look->live->watches.count == LIVE_WATCHES_MAX) {
			look->live->is_cut = true;
			break;
		}
		snprintf(name, sizeof(name), "fdinfo/%d", (int)descriptor->number);
		if (procfs_read_at(look->folder, name, text, WATCHES_BYTES) == WATCHES_BYTES - 1)
			look->live->is_cut = true;
		read_watches(look, text, descriptor->number);
	}
	free(text);
}

/* ---------------------------------------------------------------- the whole */

/* A process that has ended is a zombie until its parent has waited for it. */
static bool has_living_thread(const struct live *live)
{
	size_t i;

	for (i = 0; i < live->threads.count; i++)
		if (!has_ended(&live->threads.at[i]))
			return true;
	return false;
}

static int by_number(const void *one, const void *other)
{
	const struct live_descriptor *first = one, *second = other;

	return (first->number > second->number) - (first->number < second->number);
}

static void sort_descriptors(struct live *live)
{
	if (live->descriptors.count > 0)
		qsort(live->descriptors.at, live->descriptors.count, sizeof(*live->descriptors.at),
			by_number);
}

static void look_at_all(struct look *look)
{
	struct live *live = look->live;

	procfs_numbers_at(look->folder, "task", look_at_thread, look);
	live->has_ended = !has_living_thread(live);
	/* A folder that cannot be read must not count as an empty one. */
	errno = 0;
	if (!procfs_numbers_at(look->folder, "fd", look_at_descriptor, look) && errno)
		live->is_without_descriptors = live->descriptors.count == 0;
	sort_descriptors(live);
	look_at_instances(look);
	look->is_out_of_memory |= !live_arrivals_look(live, look->folder);
}

enum ct_status live_look(pid_t pid, struct live **ret_live, struct ct_error *reterr)
{
	struct look look = {.folder = procfs_open(pid)};

	if (look.folder < 0)
		return ct_fail(reterr, CT_ERR_NOT_FOUND, "process %d has ended, or /proc hides it",
			(int)pid);
	look.live = calloc(1, sizeof(*look.live));
	if (look.live) {
		look.live->pid = pid;
		look_at_all(&look);
	}
	close(look.folder);
	if (!look.live || look.is_out_of_memory) {
		live_free(look.live);
		return ct_fail_memory(reterr);
	}
	*ret_live = look.live;
	return CT_OK;
}
