/* SPDX-License-Identifier: MIT */
/*
 * The engine's side of the probe, for its tests (probe_reader.h).
 */
#include "probe_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int listener = -1;

static void need(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

void reader_listen(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char name[64];
	int length = snprintf(name, sizeof(name), "corotracer-probe-test-%d", (int)getpid());

	if (listener >= 0)
		close(listener);
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	need(listener >= 0, "socket");
	memcpy(address.sun_path + 1, name, (size_t)length);
	need(bind(listener, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0,
		"bind");
	need(listen(listener, 64) == 0, "listen");
	setenv(CTP_ENVIRONMENT, name, 1);
}

static bool take_descriptor(int connection, struct reader *reader)
{
	struct iovec part = {&reader->hello, sizeof(reader->hello)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};

	if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != sizeof(reader->hello))
		return false;
	need(CMSG_FIRSTHDR(&message) && control.header.cmsg_type == SCM_RIGHTS, "descriptor");
	memcpy(&reader->descriptor, CMSG_DATA(&control.header), sizeof(int));
	return true;
}

static char *at(const struct reader *reader, uint64_t offset)
{
	return (char *)reader->header + offset;
}

void reader_find_orders(struct reader *reader)
{
	reader->orders = (struct ctp_orders *)(void *)at(reader, reader->header->orders_offset);
}

void reader_map(struct reader *reader)
{
	struct stat facts;

	need(fstat(reader->descriptor, &facts) == 0, "fstat");
	reader->bytes = (uint64_t)facts.st_size;
	reader->header = mmap(
		NULL, reader->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reader->descriptor, 0);
	need(reader->header != MAP_FAILED, "mmap");
	reader_find_orders(reader);
	reader->overwritten = 0;
}

bool reader_take(struct reader *reader)
{
	int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	bool is_taken;

	if (connection < 0)
		return false;
	is_taken = take_descriptor(connection, reader);
	close(connection);
	if (!is_taken)
		return false;
	reader_map(reader);
	return true;
}

struct ctp_ring *reader_ring(const struct reader *reader, uint32_t index)
{
	return (struct ctp_ring *)(void *)at(reader, reader->header->ring_offset) + index;
}

static struct ctp_record copy_record(
	const struct reader *reader, const struct ctp_ring *ring, uint64_t position)
{
	uint32_t number =
		ctp_load_relaxed(&ring->chunk[(position / CTP_CHUNK_RECORDS) % CTP_RING_CHUNKS]);
	struct ctp_record *place;

	need(number < reader->header->chunk_max, "a chunk's number");
	place = (struct ctp_record *)(void *)at(
			reader, reader->header->chunk_offset + (uint64_t)number * CTP_CHUNK_BYTES) +
		position % CTP_CHUNK_RECORDS;
	/* Acquire each word: the load of floor that follows must not come earlier. */
	return (struct ctp_record){ctp_load_acquire(&place->time), ctp_load_acquire(&place->coro),
		ctp_load_acquire(&place->object), ctp_load_acquire(&place->tail)};
}

uint64_t reader_drain(
	struct reader *reader, uint32_t index, uint64_t limit, reader_record *take, void *context)
{
	struct ctp_ring *ring = reader_ring(reader, index);
	uint64_t head = ctp_load_acquire(&ring->head);
	uint64_t position = ctp_load_relaxed(&ring->tail);
	uint64_t count = 0;

	for (; position < head && count < limit; position++) {
		struct ctp_record record = copy_record(reader, ring, position);
		uint64_t floor = ctp_load_acquire(&ring->floor); /* P3 */

		if (position < floor) {
			reader->overwritten++;
			continue;
		}
		take(context, index, position, record);
		count++;
	}
	ctp_store_release(&ring->tail, position); /* P2 */
	return count;
}

uint64_t reader_drain_all(struct reader *reader, reader_record *take, void *context)
{
	uint32_t used = ctp_load_acquire(&reader->header->rings_used);
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < used && i < CTP_RING_MAX; i++)
		count += reader_drain(reader, i, UINT64_MAX, take, context);
	return count;
}

const char *reader_text(const struct reader *reader, uint32_t name)
{
	static _Thread_local char text[2048];
	uint32_t length;

	if (name == 0)
		return "";
	memcpy(&length, at(reader, reader->header->name_offset + name), sizeof(length));
	need(length < sizeof(text), "a name's length");
	memcpy(text, at(reader, reader->header->name_offset + name + sizeof(length)), length);
	text[length] = '\0';
	return text;
}

const struct ctp_site *reader_site(const struct reader *reader, uint32_t id)
{
	const struct ctp_site *site =
		(const struct ctp_site *)(const void *)at(reader, reader->header->site_offset) + id;

	return ctp_load_acquire(&site->ready) ? site : NULL; /* P5 */
}
