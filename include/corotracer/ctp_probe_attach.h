/* SPDX-License-Identifier: MIT */
/*
 * Attaching: making the segment, handing it to the engine, opening the gate. A part of ctp_probe_cold.h: include that.
 *
 * The steps, in this order: guard the gate against fork; make the segment (ctp_probe_segment.h) and map it; fill the
 * header, magic last; send the descriptor; take over the sites of an earlier attachment; open the gate. If there is no
 * engine but a flight recorder was asked for, a segment of the flight recorder (ctp_probe_flight.h) is used instead. If
 * there is neither, the segment waits for an engine to find it through /proc. A step that fails undoes the steps before
 * it, and the program runs untraced.
 */
#ifndef COROTRACER_CTP_PROBE_ATTACH_H
#define COROTRACER_CTP_PROBE_ATTACH_H

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "corotracer/ctp_probe_about.h"
#include "corotracer/ctp_probe_cold.h"
#include "corotracer/ctp_probe_flight.h"
#include "corotracer/ctp_probe_ring.h"
#include "corotracer/ctp_probe_segment.h"
#include "corotracer/ctp_probe_site.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_CONNECT_TRIES 64u
#define CTP_CLOCK_TRIES 8u
#define CTP_KEYS_WITHOUT_ALLOCATION 32u /* glibc allocates memory for keys from this number on */

/* The gate. */

CTP_COLD_PART void ctp_gate_close_in_child(void)
{
	ctp_store_relaxed(&ctp_gate_page.pass, 0);
	ctp_store_relaxed(&ctp_gate_page.attach_lock, 0);
}

/* If the machine's pages are larger than the gate, the kernel would wipe what lies behind the gate, too. */
CTP_COLD_PART bool ctp_gate_is_wiped_on_fork(void)
{
	return (uintptr_t)&ctp_gate_page % CTP_PAGE_BYTES == 0 &&
	       sysconf(_SC_PAGESIZE) == (long)CTP_PAGE_BYTES &&
	       madvise(&ctp_gate_page, sizeof(ctp_gate_page), MADV_WIPEONFORK) == 0;
}

/*
 * Makes the kernel close the gate in forked children, however they are made. The C library is asked, too, because some
 * emulators accept the advice and do not follow it.
 */
CTP_COLD_PART bool ctp_gate_guard(void)
{
	uint32_t *is_guarded = &ctp_process_state.is_guarded;
	bool is_wiped;

	if (ctp_load_relaxed(is_guarded))
		return true;
	is_wiped = ctp_gate_is_wiped_on_fork();
	if (pthread_atfork(NULL, NULL, ctp_gate_close_in_child) != 0 && !is_wiped)
		return false;
	ctp_store_relaxed(is_guarded, 1);
	return true;
}

/* The clock. */

#if defined(__x86_64__)
/* Returns whether the word "tsc" is in the kernel's list of clock sources. */
CTP_COLD_PART bool ctp_is_tsc_listed(void)
{
	char list[256];
	ssize_t length, i;
	int file = ctp_unseen_open(
		"/sys/devices/system/clocksource/clocksource0/available_clocksource",
		O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return false;
	length = syscall(SYS_read, file, list, sizeof(list));
	ctp_unseen_close(file);
	for (i = 0; i + 3 <= length; i++) {
		bool is_begin = i == 0 || list[i - 1] == ' ';
		bool is_end = i + 3 == length || list[i + 3] == ' ' || list[i + 3] == '\n';

		if (is_begin && is_end && memcmp(list + i, "tsc", 3) == 0)
			return true;
	}
	return false;
}

CTP_COLD_PART uint32_t ctp_clock_choose(void)
{
	unsigned a = 0, b = 0, c = 0, d = 0;

	/* Leaf 0x80000007, EDX bit 8: the counter runs at one rate in every state of the processor. */
	if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || (d & (1u << 8)) == 0)
		return CTP_CLOCK_MONOTONIC;
	return ctp_is_tsc_listed() ? CTP_CLOCK_COUNTER : CTP_CLOCK_MONOTONIC;
}
#else
CTP_COLD_PART uint32_t ctp_clock_choose(void)
{
	return CTP_CLOCK_COUNTER;
}
#endif

/*
 * Returns the clock that the engine demands in the environment, if events can read the engine's coarse time; else our
 * own choice.
 */
CTP_COLD_PART uint32_t ctp_clock_of(const struct ctp_segment *segment)
{
	const char *asked = secure_getenv(CTP_CLOCK_ENVIRONMENT);

	if (asked && strcmp(asked, "coarse") == 0 && !segment->is_flight && ctp_has_orders_page())
		return CTP_CLOCK_COARSE;
	return ctp_clock_choose();
}

/* Takes three readings of one instant; keeps the fastest of several attempts. */
CTP_COLD_PART void ctp_clock_read(struct ctp_header *header)
{
	uint64_t least = UINT64_MAX;
	uint32_t attempt;

	for (attempt = 0; attempt < CTP_CLOCK_TRIES; attempt++) {
		uint64_t before = ctp_nanoseconds(CLOCK_MONOTONIC);
		uint64_t counter = ctp_time(header->clock);
		uint64_t realtime = ctp_nanoseconds(CLOCK_REALTIME);
		uint64_t after = ctp_nanoseconds(CLOCK_MONOTONIC);

		if (after - before >= least)
			continue;
		least = after - before;
		header->clock_counter = counter;
		header->clock_monotonic_ns = before + least / 2;
		header->clock_realtime_ns = realtime;
	}
}

/* The header. */

CTP_COLD_PART void ctp_identity_make(struct ctp_header *header)
{
	uint64_t words[2];

	if (syscall(SYS_getrandom, header->identity, sizeof(header->identity),
		    1 /* GRND_NONBLOCK */) == (long)sizeof(header->identity))
		return;
	words[0] = ctp_nanoseconds(CLOCK_REALTIME) ^ ((uint64_t)getpid() << 40);
	words[1] = ctp_nanoseconds(CLOCK_MONOTONIC) ^ (uint64_t)(uintptr_t)header;
	memcpy(header->identity, words, sizeof(words));
}

CTP_COLD_PART void ctp_header_fill(
	const struct ctp_segment *segment, uint32_t role, uint32_t wanted)
{
	struct ctp_header *header = segment->header;
	struct ctp_orders *orders = ctp_orders_of(header);

	header->version = CTP_VERSION;
	header->header_bytes = (uint32_t)sizeof(*header);
	if (ctp_has_orders_page())
		header->features_compatible = CTP_FEATURE_CATEGORIES | CTP_FEATURE_WANTED |
					      (ctp_barrier_register() ? CTP_FEATURE_WAKES : 0);
	header->segment_bytes = segment->file_bytes;
	header->orders_offset = CTP_ORDERS_OFFSET;
	header->ring_offset = CTP_RING_OFFSET;
	header->site_offset = segment->site_offset;
	header->name_offset = segment->name_offset;
	header->chunk_offset = segment->chunk_offset;
	header->ring_max = segment->ring_max;
	header->site_max = segment->site_max;
	header->name_bytes = segment->name_bytes;
	header->chunk_max = segment->chunk_max;
	header->about_offset = segment->about_offset;
	header->about_bytes = segment->about_bytes;
	header->features_compatible |= CTP_FEATURE_ABOUT;
	if (segment->is_flight) {
		header->features_compatible |= CTP_FEATURE_FLIGHT;
		orders->policy = CTP_POLICY_OVERWRITE_OLDEST;
	}
	/* Events are wanted from the first one on, even if the engine has not mapped the segment yet. */
	orders->wanted = wanted;
	/* This value holds until the engine advances it. */
	orders->coarse_time = ctp_nanoseconds(CLOCK_MONOTONIC);
	header->clock = ctp_clock_of(segment);
	header->role = role;
	header->pid = (uint64_t)getpid();
	header->sites_used = 1;
	header->names_used = CTP_NAME_HEAD;
	header->state = CTP_SEGMENT_LIVE;
	ctp_clock_read(header);
	ctp_identity_make(header);
	/* P6 release: publishes the header; pairs with P6 in proto_check */
	ctp_store_release(&header->magic, CTP_MAGIC);
}

/* The hand-over. */

/* Returns whether the socket's peer is our own user or the superuser: the peer that gets the memory can write to it. */
CTP_COLD_PART bool ctp_is_peer_trusted(int connection)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

CTP_COLD_PART int ctp_engine_connect(const char *name)
{
	struct sockaddr_un address;
	size_t length = strlen(name);
	uint32_t attempt;
	int connection;

	if (length == 0 || length >= sizeof(address.sun_path))
		return -1;
	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	memcpy(address.sun_path + 1, name, length);
	connection =
		(int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (connection < 0)
		return -1;
	for (attempt = 0; attempt < CTP_CONNECT_TRIES; attempt++) {
		if (syscall(SYS_connect, connection, (const struct sockaddr *)&address,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0)
			return connection;
		if (errno != EAGAIN && errno != EINTR)
			break;
		sched_yield();
	}
	ctp_unseen_close(connection);
	return -1;
}

CTP_COLD_PART bool ctp_descriptor_send(int connection, int descriptor, uint32_t role)
{
	struct ctp_hello hello = {CTP_MAGIC, CTP_VERSION, role};
	union {
		struct cmsghdr aligned;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part;
	struct msghdr message;
	struct cmsghdr *head;

	memset(&control, 0, sizeof(control));
	memset(&message, 0, sizeof(message));
	part.iov_base = &hello;
	part.iov_len = sizeof(hello);
	message.msg_iov = &part;
	message.msg_iovlen = 1;
	message.msg_control = &control;
	message.msg_controllen = sizeof(control);
	head = CMSG_FIRSTHDR(&message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &descriptor, sizeof(descriptor));
	return syscall(SYS_sendmsg, connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (long)sizeof(hello);
}

CTP_COLD_PART bool ctp_segment_send(
	const struct ctp_segment *segment, const char *name, uint32_t role)
{
	int connection = ctp_engine_connect(name);
	bool is_sent;

	if (connection < 0)
		return false;
	is_sent = ctp_is_peer_trusted(connection) &&
		  ctp_descriptor_send(connection, segment->descriptor, role);
	ctp_unseen_close(connection);
	return is_sent;
}

/* The process. */

/* Makes the key whose destructor gives rings back. Without a key, rings are found again by their dead owners. */
CTP_COLD_PART void ctp_thread_key_make(void)
{
	struct ctp_process *process = &ctp_process_state;
	pthread_key_t key;

	if (process->has_thread_key || pthread_key_create(&key, ctp_thread_leave) != 0)
		return;
	/* A thread's first event may be written in a signal handler, where setting the key must not allocate. */
	if (key >= CTP_KEYS_WITHOUT_ALLOCATION) {
		pthread_key_delete(key);
		return;
	}
	process->thread_key = key;
	process->has_thread_key = 1;
}

/*
 * Makes a forked child let go of its parent's memory. The address range stays mapped, to private memory: an event that
 * fork interrupted may still be written, and goes nowhere.
 */
CTP_COLD_PART void ctp_segment_leave_to_parent(struct ctp_header *header, uint64_t bytes)
{
	mmap(header, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/*
 * Lowers a limit that threads obey while some may still be busy with the segment before. The limits never grow, so that
 * they hold for both segments.
 */
CTP_COLD_PART void ctp_limit(uint32_t *limit, uint32_t of_segment)
{
	if (*limit == 0 || *limit > of_segment)
		*limit = of_segment;
}

CTP_COLD_PART void ctp_process_take(const struct ctp_segment *segment)
{
	struct ctp_process *process = &ctp_process_state;
	uint64_t old_bytes = process->segment_bytes;
	bool is_forked = process->pid != (uint32_t)getpid();
	struct ctp_header *old;
	struct stat identity;

	ctp_descriptor_retire();
	ctp_limit(&process->ring_max, segment->ring_max);
	ctp_limit(&process->site_max, segment->site_max);
	ctp_limit(&process->name_bytes, segment->name_bytes);
	/* P8: from here on no site is numbered in the old segment that the new segment does not inherit. */
	old = __atomic_exchange_n(&process->header, NULL, __ATOMIC_ACQ_REL);
	if (old)
		ctp_sites_inherit(segment->header, old);
	if (old && is_forked) {
		ctp_slots_release();
		ctp_segment_leave_to_parent(old, old_bytes);
	}
	memset(&identity, 0, sizeof(identity));
	fstat(segment->descriptor, &identity);
	process->device = identity.st_dev;
	process->inode = identity.st_ino;
	process->descriptor = segment->descriptor;
	process->segment_bytes = segment->bytes;
	process->chunk_max = segment->chunk_max;
	process->pid = (uint32_t)getpid();
	process->rings_free = 0;
	process->epoch++;
	ctp_store_release(&process->header, segment->header); /* P8 */
}

/*
 * Returns whether a segment may wait for an engine. A waiting segment takes a gigabyte of address space in a program
 * that may never be traced: no segment waits if address space is limited, or if its orders could not be read.
 */
CTP_COLD_PART bool ctp_may_wait(void)
{
	const char *asked = secure_getenv(CTP_ATTACH_ENVIRONMENT);
	struct rlimit limit;

	return (!asked || strcmp(asked, "0") != 0) && ctp_has_orders_page() &&
	       getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

/*
 * Chooses the segment: the engine's if there is an engine; else the flight recorder's if one is asked for; else one
 * that waits.
 */
CTP_COLD_PART bool ctp_segment_choose(struct ctp_segment *segment, const struct ctp_wish *wish)
{
	if (wish->engine && ctp_segment_open(segment)) {
		ctp_about_write(segment);
		ctp_header_fill(segment, wish->role, CTP_WANTED_ENGINE);
		if (ctp_segment_send(segment, wish->engine, wish->role))
			return true;
		ctp_segment_close(segment);
	}
	if (wish->has_flight) {
		if (!ctp_flight_open(segment, wish))
			return false;
		ctp_header_fill(segment, wish->role, CTP_WANTED_FLIGHT);
		return true;
	}
	if (!wish->waits || !ctp_may_wait() || !ctp_segment_open(segment))
		return false;
	ctp_header_fill(segment, wish->role, 0);
	return true;
}

CTP_COLD_PART bool ctp_attach_locked(const struct ctp_wish *wish)
{
	struct ctp_segment segment;

	if (!ctp_segment_choose(&segment, wish))
		return false;
	ctp_thread_key_make();
	ctp_process_take(&segment);
	if (!ctp_has_orders_page())
		ctp_store_relaxed(&ctp_orders_page.orders.wanted, CTP_WANTED_ENGINE);
	/* P8 release: publishes the process's state; pairs with P8 in ctp_thread_join */
	ctp_store_release(
		&ctp_gate_page.pass, CTP_PASS(ctp_process_state.epoch, segment.header->clock));
	return true;
}

/* This lock is never waited for: a second thread runs untraced until the first is done. */
CTP_COLD_PART bool ctp_attach_lock(void)
{
	uint32_t unlocked = 0;

	return __atomic_compare_exchange_n(&ctp_gate_page.attach_lock, &unlocked, 1, false,
		__ATOMIC_ACQUIRE, __ATOMIC_RELAXED); /* P9 */
}

/* Returns whether there is a segment, even if its events are not wanted. */
CTP_COLD_PART bool ctp_is_gate_open(void)
{
	return ctp_load_relaxed(&ctp_gate_page.pass) != 0;
}

/*
 * Returns whether the wish is met already. A segment that only waits gives way to an engine's or a flight recorder's.
 */
CTP_COLD_PART bool ctp_is_served(const struct ctp_wish *wish)
{
	if (!wish->engine && !wish->has_flight)
		return !wish->waits || ctp_is_gate_open();
	return ctp_is_attached();
}

CTP_COLD_PART bool ctp_attach_to(const struct ctp_wish *wish)
{
	struct ctp_quiet quiet;

	if (ctp_is_served(wish))
		return ctp_is_attached();
	ctp_quiet_begin(&quiet);
	if (ctp_gate_guard() && ctp_attach_lock()) {
		if (!ctp_is_served(wish))
			ctp_attach_locked(wish);
		ctp_store_release(&ctp_gate_page.attach_lock, 0); /* P9 */
	}
	ctp_quiet_end(&quiet);
	return ctp_is_attached();
}

CTP_COLD bool ctp_attach_as(uint32_t role)
{
	struct ctp_wish wish = {secure_getenv(CTP_ENVIRONMENT), NULL, 0, role, false, false};

	return ctp_attach_to(&wish);
}

CTP_COLD bool ctp_attach(void)
{
	struct ctp_wish wish = {
		secure_getenv(CTP_ENVIRONMENT), NULL, 0, CTP_ROLE_PROBE, false, true};

	ctp_flight_ask(&wish);
	return ctp_attach_to(&wish);
}

CTP_COLD bool ctp_record_flight(const char *path, size_t bytes)
{
	struct ctp_wish wish = {secure_getenv(CTP_ENVIRONMENT), path ? path : "", bytes,
		CTP_ROLE_PROBE, true, false};

	ctp_flight_ask(&wish);
	return ctp_attach_to(&wish);
}

CTP_COLD void ctp_detach(void)
{
	struct ctp_header *header = ctp_load_acquire(&ctp_process_state.header); /* P8 */

	if (!header || !ctp_is_gate_open())
		return;
	ctp_store_relaxed(&ctp_gate_page.pass, 0);
	ctp_store_relaxed(&header->state, CTP_SEGMENT_CLOSED);
}

#ifdef __cplusplus
}
#endif

#endif
