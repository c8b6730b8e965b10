/* SPDX-License-Identifier: MIT */
/*
 * The smallest possible engine (tiny_engine.h). The tiny engine trusts the segments that it reads, because the targets
 * are the tests' own.
 */
#include "tiny_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "tiny engine: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int listen_abstract(char *ret_name, size_t room)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int length;

	need(fd >= 0, "socket");
	length = snprintf(ret_name, room, "corotracer-test-%d", (int)getpid());
	memcpy(address.sun_path + 1, ret_name, (size_t)length);
	need(bind(fd, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0,
		"bind");
	need(listen(fd, 8) == 0, "listen");
	return fd;
}

static void become(
	const struct tiny_run *run, int output, const char *name, char *const arguments[])
{
	dup2(output, STDOUT_FILENO);
	close(output);
	if (run->preload)
		setenv("LD_PRELOAD", run->preload, 1);
	if (run->without_engine)
		unsetenv(CTP_ENVIRONMENT);
	else
		setenv(CTP_ENVIRONMENT, name, 1);
	execv(arguments[0], arguments);
	_exit(127);
}

void tiny_start(struct tiny_run *run, char *const arguments[])
{
	char name[64] = "";
	int pair[2];

	run->listener = run->without_engine ? -1 : listen_abstract(name, sizeof(name));
	need(pipe2(pair, O_CLOEXEC) == 0, "pipe");
	run->pid = fork();
	need(run->pid >= 0, "fork");
	if (run->pid == 0)
		become(run, pair[1], name, arguments);
	close(pair[1]);
	run->output = pair[0];
}

static int take_descriptor(int connection)
{
	struct ctp_hello hello;
	struct iovec part = {&hello, sizeof(hello)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room)};
	int fd;

	need(recvmsg(connection, &message, MSG_CMSG_CLOEXEC) == sizeof(hello), "greeting");
	need(hello.magic == CTP_MAGIC && hello.version == CTP_VERSION, "greeting's content");
	need(hello.role == CTP_ROLE_LEDGER, "greeting's role");
	need(CMSG_FIRSTHDR(&message) && control.header.cmsg_type == SCM_RIGHTS, "descriptor");
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

static void take_segments(struct tiny_run *run)
{
	struct stat facts;
	int connection, fd;

	while (run->listener >= 0 && run->nr_segments < TINY_SEGMENTS) {
		connection = accept4(run->listener, NULL, NULL, SOCK_CLOEXEC);
		if (connection < 0)
			return;
		fd = take_descriptor(connection);
		need(fstat(fd, &facts) == 0, "fstat");
		run->segments[run->nr_segments] =
			mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, fd, 0);
		need(run->segments[run->nr_segments] != MAP_FAILED, "mmap");
		run->nr_segments++;
		close(fd);
		close(connection);
	}
}

static const void *at(const struct ctp_header *header, uint64_t offset)
{
	return (const char *)header + offset;
}

static void take_ring(
	struct tiny_run *run, unsigned segment, const struct ctp_ring *ring, uint64_t *tid)
{
	const struct ctp_header *header = run->segments[segment];
	uint64_t position, head = ctp_load_acquire(&ring->head);

	run->events = realloc(run->events, (run->nr_events + head) * sizeof(*run->events) + 1);
	need(run->events, "memory");
	for (position = 0; position < head; position++) {
		uint32_t chunk = ring->chunk[(position / CTP_CHUNK_RECORDS) % CTP_RING_CHUNKS];
		const struct ctp_record *records =
			at(header, header->chunk_offset + (uint64_t)chunk * CTP_CHUNK_BYTES);
		struct tiny_event *event = &run->events[run->nr_events++];

		event->record = records[position % CTP_CHUNK_RECORDS];
		if (CTP_TAIL_KIND(event->record.tail) == CTP_KIND_THREAD_START)
			*tid = event->record.object;
		event->tid = *tid;
		event->segment = segment;
		event->order = run->nr_events;
	}
	run->nr_lost += ring->dropped + ring->nested;
}

static void take_records(struct tiny_run *run, unsigned segment)
{
	const struct ctp_header *header = run->segments[segment];
	uint32_t ring;

	for (ring = 0; ring < header->rings_used; ring++) {
		uint64_t tid = 0;

		take_ring(run, segment,
			at(header, header->ring_offset + (uint64_t)ring * CTP_RING_STRIDE), &tid);
	}
	run->nr_lost += header->untraced_events;
}

/* Records of one thread may share a time-stamp. */
static int compare(const void *left, const void *right)
{
	const struct tiny_event *a = left, *b = right;

	if (a->record.time != b->record.time)
		return a->record.time < b->record.time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void tiny_finish(struct tiny_run *run)
{
	unsigned segment;

	need(waitpid(run->pid, &run->status, 0) == run->pid, "waitpid");
	take_segments(run);
	for (segment = 0; segment < run->nr_segments; segment++)
		take_records(run, segment);
	if (run->nr_events)
		qsort(run->events, run->nr_events, sizeof(*run->events), compare);
}

void tiny_fini(struct tiny_run *run)
{
	free(run->events);
	close(run->output);
	if (run->listener >= 0)
		close(run->listener);
	memset(run, 0, sizeof(*run));
}

const struct tiny_event *tiny_next(const struct tiny_run *run, size_t *index, enum ctp_kind kind)
{
	while (*index < run->nr_events) {
		const struct tiny_event *event = &run->events[(*index)++];

		if (CTP_TAIL_KIND(event->record.tail) == kind)
			return event;
	}
	return NULL;
}

size_t tiny_count(const struct tiny_run *run, enum ctp_kind kind)
{
	size_t index = 0, count = 0;

	while (tiny_next(run, &index, kind))
		count++;
	return count;
}

const struct ctp_site *tiny_site(const struct tiny_run *run, const struct tiny_event *event)
{
	const struct ctp_header *header = run->segments[event->segment];
	uint32_t id = CTP_TAIL_SITE(event->record.tail);

	if (id == 0 || id >= header->site_max)
		return NULL;
	return at(header, header->site_offset + (uint64_t)id * sizeof(struct ctp_site));
}
