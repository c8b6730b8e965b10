/* SPDX-License-Identifier: MIT */
/*
 * A program that hangs in known ways, for `why PID`.
 *
 *	blocked [late|aged]
 *
 *	coroutine 1 has lock 0x40; its worker "reader" is in read(2) of a pipe that nobody writes to
 *	coroutine 2 waits for lock 0x40, and coroutine 3 for 2, which is its child
 *	coroutine 4 has lock 0x41; its worker "sleeper" is in a sleep of an hour
 *	coroutine 5 waits for lock 0x41
 *	coroutine 6 waits for a socket that epoll has armed, 7 for one that it has disarmed, 8 for one that it has not
 *	coroutine 9 waits for a descriptor that is closed
 *	"reactor" is in epoll_wait
 *
 * `late`: all this happens only after an engine has attached; the program prints "ready" when one may. `aged`: its
 * flight recorder records that it happened a hundred seconds ago. Prints the threads' ids and the descriptors as a line
 * of JSON when all events have been recorded; the threads may not be in their calls yet.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp_flight.h"
#include "corotracer/ctp_probe.h"
#include "need.h"

enum place {
	PIPE,
	ARMED,
	DISARMED,
	ALONE,
	GONE,
	EPOLL,
	NR_PLACES,
};

static int places[NR_PLACES];
static uint64_t coros[10]; /* by the numbers above */
static pid_t tids[2];
static pthread_barrier_t barrier;

static void begin(unsigned which)
{
	ctp_create(coros[which], 0, CTP_SITE("start"));
	ctp_resume(coros[which], CTP_POINT_INITIAL);
}

static void suspend_for(unsigned which, uint64_t resource)
{
	begin(which);
	ctp_suspend(coros[which], resource, CTP_SITE("wait"), CTP_POINT_AWAIT);
}

/* The descriptors' events are written by hand, because there is no ledger. */
static void suspend_for_place(unsigned which, enum place place)
{
	suspend_for(which, CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, places[place]));
}

static void *read_for_ever(void *unused)
{
	char byte;

	(void)unused;
	pthread_setname_np(pthread_self(), "reader");
	tids[0] = gettid();
	begin(1);
	ctp_acquire(coros[1], CTP_HANDLE(CTP_RESOURCE_LOCK, 0x40), CTP_SITE("take"));
	pthread_barrier_wait(&barrier);
	NEED(read(places[PIPE], &byte, 1) == 1);
	return NULL;
}

static void *sleep_for_long(void *unused)
{
	struct timespec hour = {.tv_sec = 3600};

	(void)unused;
	pthread_setname_np(pthread_self(), "sleeper");
	tids[1] = gettid();
	begin(4);
	ctp_acquire(coros[4], CTP_HANDLE(CTP_RESOURCE_LOCK, 0x41), CTP_SITE("take"));
	pthread_barrier_wait(&barrier);
	nanosleep(&hour, NULL);
	return NULL;
}

static void make_places(void)
{
	struct epoll_event armed = {.events = EPOLLIN},
			   disarmed = {.events = EPOLLOUT | EPOLLONESHOT};
	struct epoll_event reported;
	int ends[2];

	NEED(pipe(ends) == 0);
	places[PIPE] = ends[0];
	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	places[ARMED] = ends[0];
	places[DISARMED] = ends[1];
	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	places[ALONE] = ends[0];
	places[GONE] = ends[1];
	places[EPOLL] = epoll_create1(0);
	close(places[GONE]);
	NEED(epoll_ctl(places[EPOLL], EPOLL_CTL_ADD, places[ARMED], &armed) == 0);
	NEED(epoll_ctl(places[EPOLL], EPOLL_CTL_ADD, places[DISARMED], &disarmed) == 0);
	/* it is writable, which is reported once */
	NEED(epoll_wait(places[EPOLL], &reported, 1, -1) == 1);
}

static void wait_for_others(void)
{
	pthread_t reader, sleeper;

	NEED(pthread_barrier_init(&barrier, NULL, 3) == 0);
	NEED(pthread_create(&reader, NULL, read_for_ever, NULL) == 0);
	NEED(pthread_create(&sleeper, NULL, sleep_for_long, NULL) == 0);
	pthread_barrier_wait(&barrier);
}

static void hang(void)
{
	unsigned i;

	for (i = 1; i < 10; i++)
		coros[i] = ctp_coro_new();
	make_places();
	wait_for_others();
	suspend_for(2, CTP_HANDLE(CTP_RESOURCE_LOCK, 0x40));
	begin(3);
	ctp_await(coros[3], coros[2], CTP_SITE("join"));
	ctp_suspend(coros[3], CTP_HANDLE(CTP_RESOURCE_COROUTINE, coros[2]), CTP_SITE("join"),
		CTP_POINT_AWAIT);
	suspend_for(5, CTP_HANDLE(CTP_RESOURCE_LOCK, 0x41));
	suspend_for_place(6, ARMED);
	suspend_for_place(7, DISARMED);
	suspend_for_place(8, ALONE);
	suspend_for_place(9, GONE);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void age_ring(struct ctp_header *header, const struct ctp_ring *ring, uint64_t counts)
{
	char *chunks = (char *)header + header->chunk_offset;
	uint64_t i;

	for (i = ring->floor; i < ring->head; i++) {
		uint32_t number = ring->chunk[i / CTP_CHUNK_RECORDS % CTP_RING_CHUNKS];
		struct ctp_record *records = (void *)(chunks + (size_t)number * CTP_CHUNK_BYTES);

		records[i % CTP_CHUNK_RECORDS].time -= counts;
	}
}

/* No thread writes any more: all threads are in their calls, or about to enter them. */
static void grow_old(void)
{
	const uint64_t age_ns = 100000000000;
	off_t nr_bytes = lseek(ctp_process_state.descriptor, 0, SEEK_END);
	struct ctp_header *header = mmap(NULL, (size_t)nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		ctp_process_state.descriptor, 0);
	uint64_t counts;
	uint32_t i;

	NEED(header != MAP_FAILED);
	counts = (uint64_t)((double)(ctp_time(header->clock) - header->clock_counter) /
			    (double)(now_ns() - header->clock_monotonic_ns) * (double)age_ns);
	header->clock_counter -= counts;
	header->clock_monotonic_ns -= age_ns;
	header->clock_realtime_ns -= age_ns;
	for (i = 0; i < header->rings_used; i++)
		age_ring(header,
			(const void *)((char *)header + header->ring_offset +
				       (size_t)i * CTP_RING_STRIDE),
			counts);
}

static void wait_for_engine(void)
{
	printf("ready\n");
	fflush(stdout);
	while (!ctp_is_attached())
		sched_yield();
}

int main(int argc, char **argv)
{
	struct epoll_event reported;

	ctp_attach();
	if (argc > 1 && strcmp(argv[1], "late") == 0)
		wait_for_engine();
	pthread_setname_np(pthread_self(), "reactor");
	hang();
	if (argc > 1 && strcmp(argv[1], "aged") == 0)
		grow_old();
	printf("{\"reader\": %d, \"sleeper\": %d, \"reactor\": %d, \"pipe\": %d, \"armed\": %d, "
	       "\"disarmed\": %d, \"alone\": %d, \"gone\": %d, \"epoll\": %d}\n",
		tids[0], tids[1], gettid(), places[PIPE], places[ARMED], places[DISARMED],
		places[ALONE], places[GONE], places[EPOLL]);
	fflush(stdout);
	NEED(epoll_wait(places[EPOLL], &reported, 1, -1) >= 0);
	return 0;
}
