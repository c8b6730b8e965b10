/* SPDX-License-Identifier: MIT */
/*
 * A target with its own probe of version 1, in either discipline, and optionally a probe of version 2. The program
 * exits with 3 if it is not traced.
 *
 *	v1_writer counter|lock COROUTINES EVENTS paced|unpaced [both|wait|cut|again]
 *
 * The coroutines have the probe ids 1000, 1001, ...; suspends and resumes alternate. Paced: each coroutine has eight
 * events, and then the program waits until the engine has taken them. For each coroutine a line is printed with its
 * number of events: "1000 400". "wait": the coroutines stay suspended, and the program lives until its standard input
 * ends. "both": a coroutine of version 2 resumes and suspends first. "cut": at the end it truncates the file to
 * nothing. "again": at the end the first station serves three more coroutines, 5000, 5001, 5002, with one event each,
 * which the contract forbids.
 */

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"
#include "need.h"

#define UNIT 1024u
#define BURST 8u

static unsigned char *memory;
static uint32_t max_stations;
static int channel;
static bool has_lock;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	return connect(channel, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	       fcntl(channel, F_SETFL, O_NONBLOCK) == 0;
}

static bool find_engine(void)
{
	const char *path = getenv("CTP_SHM_PATH"), *socket_path = getenv("CTP_SOCK_PATH");
	const char *number = getenv("CTP_MAX_STATIONS");
	struct stat status;
	uint64_t magic;
	int file;

	if (!path || !socket_path || !number)
		return false;
	max_stations = (uint32_t)strtoul(number, NULL, 10);
	file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	NEED(file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode));
	NEED(status.st_size == (off_t)UNIT * (1 + (off_t)max_stations));
	NEED((status.st_mode & 0777) == 0600);
	memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	NEED(memory != MAP_FAILED);
	close(file);
	memcpy(&magic, memory, sizeof(magic));
	NEED(magic == 0x434F524F54524352u);
	NEED(stat(socket_path, &status) == 0 && (status.st_mode & 0777) == 0600);
	return connect_to(socket_path);
}

static _Atomic uint32_t *sleeping(void)
{
	return (_Atomic uint32_t *)(void *)(memory + 0x14);
}

static bool wake_engine(void)
{
	uint32_t one = 1;

	if (atomic_load(sleeping()) != 1 || !atomic_compare_exchange_strong(sleeping(), &one, 0))
		return false;
	return send(channel, "1", 1, MSG_NOSIGNAL) == 1;
}

/*
 * Waits until the engine has taken everything that was written. The engine announces its sleep, looks once more, is
 * woken, and announces its sleep again.
 */
static void wait_for_engine(void)
{
	while (!wake_engine())
		sched_yield();
	while (atomic_load(sleeping()) != 1)
		sched_yield();
}

/* NULL: there is none left. */
static unsigned char *take_station(uint64_t probe_id)
{
	uint32_t index = atomic_fetch_add((_Atomic uint32_t *)(void *)(memory + 0x10), 1);
	unsigned char *station = memory + UNIT * (1 + (size_t)index);
	uint64_t birth = now();

	if (index >= max_stations)
		return NULL;
	memcpy(station, &probe_id, sizeof(probe_id));
	memcpy(station + 8, &birth, sizeof(birth));
	return station;
}

static void write_event(unsigned char *station, uint64_t number)
{
	unsigned char *slot = station + 0x40 + 64 * ((number + !has_lock) % 8);
	_Atomic uint64_t *seq = (_Atomic uint64_t *)(void *)(slot + 0x18);
	bool is_active = number % 2;
	uint64_t words[3] = {now(), (uint64_t)gettid(), is_active ? 0 : 0x7f0000001000};

	if (has_lock)
		atomic_store_explicit(seq, number / 8 * 2 + 1, memory_order_release);
	memcpy(slot, words, sizeof(words));
	slot[0x3f] = is_active;
	atomic_store_explicit(
		seq, has_lock ? number / 8 * 2 + 2 : number + 1, memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	wake_engine();
}

static void write_all(
	unsigned char **stations, uint64_t nr_stations, uint64_t nr_events, bool is_paced)
{
	uint64_t number, i, j;

	for (number = 0; number < nr_events; number += BURST) {
		for (i = 0; i < nr_stations; i++)
			for (j = number; stations[i] && j < number + BURST && j < nr_events; j++)
				write_event(stations[i], j);
		if (is_paced)
			wait_for_engine();
	}
}

static void use_again(unsigned char *station, uint64_t number)
{
	uint64_t id;

	for (id = 5000; id < 5003; id++, number++) {
		memcpy(station, &id, sizeof(id));
		write_event(station, number);
		wait_for_engine();
	}
}

static void speak_version_2(void)
{
	uint64_t coro;

	NEED(ctp_attach());
	coro = ctp_coro_new();
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_RESUME, 0, 0));
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_SUSPEND, 0, 0));
}

/* Ends in the way that the last argument names. */
static void end(const char *how, unsigned char **stations, uint64_t nr_stations, uint64_t nr_events)
{
	char byte;
	uint64_t i;

	if (strcmp(how, "wait") == 0) {
		NEED(read(0, &byte, 1) == 0);
		return;
	}
	if (strcmp(how, "cut") == 0) {
		NEED(truncate(getenv("CTP_SHM_PATH"), 0) == 0);
		return;
	}
	if (strcmp(how, "again") == 0)
		use_again(stations[0], nr_events);
	for (i = 0; i < nr_stations; i++)
		if (stations[i])
			stations[i][0x10] = 1;
}

int main(int argc, char **argv)
{
	const char *how = argc == 6 ? argv[5] : "";
	uint64_t nr_stations, nr_events, i;
	unsigned char **stations;

	NEED(argc == 5 || argc == 6);
	has_lock = strcmp(argv[1], "lock") == 0;
	nr_stations = strtoull(argv[2], NULL, 10);
	nr_events = strtoull(argv[3], NULL, 10);
	if (!find_engine())
		return 3;
	if (strcmp(how, "both") == 0)
		speak_version_2();
	stations = calloc(nr_stations, sizeof(*stations));
	NEED(stations);
	for (i = 0; i < nr_stations; i++)
		stations[i] = take_station(1000 + i);
	write_all(stations, nr_stations, nr_events, strcmp(argv[4], "paced") == 0);
	for (i = 0; i < nr_stations; i++)
		printf("%llu %llu\n", (unsigned long long)(1000 + i),
			(unsigned long long)nr_events);
	fflush(stdout);
	end(how, stations, nr_stations, nr_events);
	free(stations);
	return 0;
}
