/* SPDX-License-Identifier: MIT */
/*
 * The descriptors for which a thread waits in poll or select, read from this process's own memory; and senseless
 * arguments.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "base/system_calls.h"
#include "check.h"
#include "kernel/polled.h"

#define NR_ROUNDS 5000
#define NR_BYTES 65536u

static int folder;

static uint64_t address_of(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

static void test_poll(void)
{
	struct pollfd three[] = {{3, POLLIN, 0}, {-1, POLLIN, 0}, {9, POLLOUT, 0}};
	uint64_t arguments[PROCFS_ARGUMENTS] = {address_of(three), 3};
	struct polled polled;

	CHECK(polled_read(folder, SYSTEM_CALL_ppoll, arguments, &polled));
	CHECK_EQUAL(polled.count, 2);
	CHECK_EQUAL(polled.at[0].number, 3);
	CHECK_EQUAL(polled.at[1].number, 9);
	CHECK_EQUAL(polled.at[1].events, POLLOUT);
	arguments[0] = 0; /* no memory there */
	CHECK(!polled_read(folder, SYSTEM_CALL_ppoll, arguments, &polled));
	arguments[1] = 0;
	CHECK(polled_read(folder, SYSTEM_CALL_ppoll, arguments, &polled));
	CHECK_EQUAL(polled.count, 0);
	arguments[1] = POLLED_MAX + 1;
	CHECK(!polled_read(folder, SYSTEM_CALL_ppoll, arguments, &polled));
}

static void test_select(void)
{
	fd_set readable, urgent;
	uint64_t arguments[PROCFS_ARGUMENTS] = {0, address_of(&readable), 0, address_of(&urgent)};
	struct polled polled;

	FD_ZERO(&readable);
	FD_ZERO(&urgent);
	FD_SET(64, &readable);
	FD_SET(64, &urgent);
	FD_SET(65, &urgent);
	CHECK(polled_read(folder, SYSTEM_CALL_pselect6, arguments, &polled));
	CHECK_EQUAL(polled.count, 0);
	arguments[0] = 65; /* the last one lies beyond it */
	CHECK(polled_read(folder, SYSTEM_CALL_pselect6, arguments, &polled));
	CHECK_EQUAL(polled.count, 1);
	CHECK_EQUAL(polled.at[0].number, 64);
	CHECK_EQUAL(polled.at[0].events, POLLIN | POLLPRI);
	arguments[0] = (uint64_t)-1;
	CHECK(!polled_read(folder, SYSTEM_CALL_pselect6, arguments, &polled));
	CHECK(!polled_read(folder, SYSTEM_CALL_read, arguments, &polled));
}

static uint64_t any_word(const unsigned char *bytes)
{
	switch (rand() % 4) {
	case 0:
		return 0;
	case 1:
		return address_of(bytes + (unsigned)rand() % NR_BYTES);
	case 2:
		return (uint64_t)rand() % (2 * POLLED_MAX);
	default:
		return (uint64_t)rand() << 33 ^ (uint64_t)rand();
	}
}

/* Such calls must only end, and stay within their limits. */
static void test_hostile(void)
{
	const int32_t calls[] = {SYSTEM_CALL_ppoll, SYSTEM_CALL_pselect6};
	unsigned char *bytes = malloc(NR_BYTES);
	uint64_t arguments[PROCFS_ARGUMENTS];
	struct polled polled;
	unsigned round, i;

	for (i = 0; i < NR_BYTES; i++)
		bytes[i] = rand() % 8 ? 0 : (unsigned char)rand();
	for (round = 0; round < NR_ROUNDS; round++) {
		for (i = 0; i < PROCFS_ARGUMENTS; i++)
			arguments[i] = any_word(bytes);
		if (!polled_read(folder, calls[round % 2], arguments, &polled))
			continue;
		CHECK(polled.count <= POLLED_MAX);
		for (i = 0; i < polled.count; i++)
			CHECK(polled.at[i].number >= 0);
	}
	free(bytes);
}

int main(void)
{
	folder = procfs_open(getpid());
	CHECK(folder >= 0);
	test_poll();
	test_select();
	test_hostile();
	close(folder);
	return check_result();
}
