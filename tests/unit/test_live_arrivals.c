/* SPDX-License-Identifier: MIT */
/*
 * What has arrived at descriptors of this process, which of them are two ends of one thing, and who polls them.
 */
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "kernel/live.h"

static struct live *look(void)
{
	struct live *live = NULL;

	CHECK_EQUAL(live_look(getpid(), &live, NULL), CT_OK);
	return live;
}

/* Looks, and checks what has arrived at a descriptor, and its other end. */
static void expect(int descriptor, enum live_arrival arrival, uint64_t count, int other_end)
{
	struct live *live = look();
	const struct live_descriptor *seen = live_descriptor_of(live, descriptor);

	CHECK(seen != NULL);
	CHECK_EQUAL(seen->arrival, arrival);
	CHECK_EQUAL(seen->nr_arrived, count);
	CHECK_EQUAL(seen->other_end, other_end);
	live_free(live);
}

static void listen_and_connect(int ends[3])
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(ends[0], (struct sockaddr *)&address, length) == 0 && listen(ends[0], 5) == 0);
	CHECK(getsockname(ends[0], (struct sockaddr *)&address, &length) == 0);
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(connect(ends[1], (struct sockaddr *)&address, length) == 0);
}

static void test_tcp(void)
{
	int ends[3];

	listen_and_connect(ends);
	expect(ends[0], LIVE_ARRIVAL_PEERS, 1, -1);
	ends[2] = accept(ends[0], NULL, NULL);
	expect(ends[0], LIVE_ARRIVAL_NONE, 0, -1);
	expect(ends[2], LIVE_ARRIVAL_NONE, 0, ends[1]);
	CHECK(write(ends[1], "word", 4) == 4);
	expect(ends[2], LIVE_ARRIVAL_BYTES, 4, ends[1]);
	expect(ends[1], LIVE_ARRIVAL_NONE, 0, ends[2]);
	CHECK(shutdown(ends[1], SHUT_WR) == 0);
	expect(ends[2], LIVE_ARRIVAL_BYTES, 4, ends[1]);
	CHECK(close(ends[0]) + close(ends[1]) + close(ends[2]) == 0);
}

/* The end of a stream counts until it was read. */
static void test_end_of_stream(void)
{
	int ends[3];
	char byte;

	listen_and_connect(ends);
	ends[2] = accept(ends[0], NULL, NULL);
	CHECK(shutdown(ends[1], SHUT_WR) == 0);
	expect(ends[2], LIVE_ARRIVAL_END, 1, ends[1]);
	CHECK(read(ends[2], &byte, 1) == 0);
	expect(ends[2], LIVE_ARRIVAL_NONE, 0, ends[1]);
	CHECK(close(ends[0]) + close(ends[1]) + close(ends[2]) == 0);
}

static void test_unix(void)
{
	int ends[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	expect(ends[0], LIVE_ARRIVAL_NONE, 0, ends[1]);
	CHECK(write(ends[1], "abc", 3) == 3);
	expect(ends[0], LIVE_ARRIVAL_BYTES, 3, ends[1]);
	CHECK(read(ends[0], (char[3]){0}, 3) == 3 && close(ends[1]) == 0);
	expect(ends[0], LIVE_ARRIVAL_END, 1, -1);
	CHECK(close(ends[0]) == 0);
}

static void test_pipe_and_event(void)
{
	int ends[2], event = eventfd(0, 0);

	CHECK(pipe(ends) == 0);
	expect(ends[0], LIVE_ARRIVAL_NONE, 0, ends[1]);
	expect(ends[1], LIVE_ARRIVAL_NONE, 0, ends[0]);
	expect(event, LIVE_ARRIVAL_NONE, 0, -1);
	CHECK(eventfd_write(event, 17) == 0);
	expect(event, LIVE_ARRIVAL_COUNT, 17, -1);
	CHECK(close(ends[0]) + close(ends[1]) + close(event) == 0);
}

/* Something has lasted if it was there at both looks, at the same file. */
static void test_lasting(void)
{
	struct live *before, *after;
	int ends[2], other[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && write(ends[0], "a", 1) == 1);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, other) == 0);
	before = look();
	CHECK(write(other[0], "a", 1) == 1);
	after = look();
	live_compare(before, after);
	CHECK(live_descriptor_of(after, ends[1])->has_lasted);
	CHECK(!live_descriptor_of(after, other[1])->has_lasted);
	CHECK(!live_descriptor_of(after, ends[0])->has_lasted);
	live_free(after);
	CHECK(dup2(other[1], ends[1]) == ends[1]);
	after = look();
	live_compare(before, after);
	CHECK(!live_descriptor_of(after, ends[1])->has_lasted);
	live_free(before);
	live_free(after);
	CHECK(close(ends[0]) + close(ends[1]) + close(other[0]) + close(other[1]) == 0);
}

/* An entry for a file whose number another file has now says nothing of that one. */
static void test_interest_list(void)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int set = epoll_create1(0), one = eventfd(0, 0), copy, other;
	struct live *live;

	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, one, &event) == 0);
	live = look();
	CHECK(live->has_epoll && live_descriptor_of(live, one)->is_watched);
	CHECK(live_descriptor_of(live, one)->watched_events & EPOLLIN);
	CHECK(!live_descriptor_of(live, set)->is_watched);
	live_free(live);
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	copy = dup(one);
	CHECK(dup2(other, one) == one);
	live = look();
	CHECK(!live_descriptor_of(live, one)->is_watched);
	live_free(live);
	CHECK(close(set) + close(one) + close(copy) + close(other) == 0);
}

int main(void)
{
	test_tcp();
	test_end_of_stream();
	test_unix();
	test_pipe_and_event();
	test_lasting();
	test_interest_list();
	return check_result();
}
