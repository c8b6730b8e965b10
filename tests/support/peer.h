/* SPDX-License-Identifier: MIT */
/*
 * A running collector, with peers that the test plays itself: it records tests/targets/collect_target, whose path is in
 * `target`, while the test connects to its socket and sends what it likes.
 */
#ifndef TESTS_PEER_H
#define TESTS_PEER_H

#include <dirent.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "check.h"
#include "collect/collect.h"
#include "keep_sink.h"
#include "made_segment.h"

#define STEPS_MAX 5000

static const char *target;

struct fixture {
	struct keep_sink keep;
	struct collect *collect;
	struct ct_record_stats stats;
	char socket_name[108];
	size_t nr_before; /* records of the target itself */
};

/* ------------------------------------------------------------------ the engine's side */

static inline void step(struct fixture *f)
{
	CHECK_EQUAL(collect_step(f->collect, 100, NULL), CT_OK);
	collect_stats(f->collect, &f->stats);
}

/* The engine's own observations of threads. */
static inline uint64_t nr_looks(const struct fixture *f)
{
	return keep_count_kind(&f->keep, CTP_KIND_THREAD_TIME) +
	       keep_count_kind(&f->keep, CTP_KIND_THREAD_STATE) +
	       keep_count_kind(&f->keep, CTP_KIND_THREAD_POLL) +
	       keep_count_kind(&f->keep, CTP_KIND_FAULTS);
}

/* Events that came from probes. The engine's own observations of threads come at any time, so they are not counted. */
static inline uint64_t nr_recorded(const struct fixture *f)
{
	return f->stats.nr_events - nr_looks(f);
}

static inline uint64_t nr_kept(const struct fixture *f)
{
	return f->keep.records.count - nr_looks(f);
}

/* False: the new program has no environment yet. The kernel closes what ends with exec before the program has one. */
static inline bool read_socket(struct fixture *f)
{
	char environment[65536];
	char path[64];
	size_t length;
	FILE *file;
	char *at;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)f->stats.target_pid);
	file = fopen(path, "r");
	if (!file)
		abort();
	length = fread(environment, 1, sizeof(environment), file);
	fclose(file);
	at = memmem(environment, length, CTP_ENVIRONMENT "=", sizeof(CTP_ENVIRONMENT));
	if (at)
		snprintf(
			f->socket_name, sizeof(f->socket_name), "%s", at + sizeof(CTP_ENVIRONMENT));
	return at != NULL;
}

static inline void find_socket(struct fixture *f)
{
	int i;

	collect_stats(f->collect, &f->stats);
	for (i = 0; i < STEPS_MAX && !read_socket(f); i++)
		step(f);
	CHECK(f->socket_name[0] != 0);
}

static inline void open_fixture_for(struct fixture *f, bool admits_all)
{
	const char *command[] = {target, "wait", NULL};
	struct ct_record_options options = {.size = sizeof(options),
		.command = (char *const *)(uintptr_t)command,
		.admits_all = admits_all};

	memset(f, 0, sizeof(*f));
	keep_init(&f->keep);
	if (collect_open(&options, &f->keep.sink, &f->collect, NULL))
		abort();
	find_socket(f);
	while (nr_kept(f) < 4)
		step(f);
	f->nr_before = nr_kept(f);
}

static inline void open_fixture(struct fixture *f)
{
	open_fixture_for(f, false);
}

static inline void finish(struct fixture *f)
{
	enum ct_status status;

	collect_signal(f->collect, SIGKILL, false, NULL);
	do {
		status = collect_step(f->collect, 100, NULL);
	} while (status == CT_OK);
	CHECK_EQUAL(status, CT_END);
	CHECK_EQUAL(collect_finish(f->collect, NULL), CT_OK);
	CHECK_EQUAL(f->keep.nr_disorder, 0);
}

static inline void close_fixture(struct fixture *f)
{
	finish(f);
	collect_close(f->collect);
	keep_fini(&f->keep);
}

static inline void step_until_attached(struct fixture *f, uint64_t nr_segments)
{
	int i;

	for (i = 0; i < STEPS_MAX && f->stats.nr_segments < nr_segments; i++)
		step(f);
	CHECK_EQUAL(f->stats.nr_segments, nr_segments);
}

static inline void step_until_refused(struct fixture *f, uint64_t nr_refused)
{
	int i;

	for (i = 0; i < STEPS_MAX && f->stats.nr_refused < nr_refused; i++)
		step(f);
	CHECK_EQUAL(f->stats.nr_refused, nr_refused);
}

/* ------------------------------------------------------------------ the peer's side */

static inline int connect_peer(const struct fixture *f)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int peer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	size_t length = strlen(f->socket_name);

	memcpy(address.sun_path + 1, f->socket_name, length);
	if (connect(peer, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)))
		abort();
	return peer;
}

/* Connects, sends this many bytes of the greeting with these descriptors, and disconnects. */
static inline void greet(const struct fixture *f, const struct ctp_hello *hello, size_t nr_bytes,
	const int *descriptors, size_t nr_descriptors)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {0};
	struct iovec part = {(void *)(uintptr_t)hello, nr_bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int peer = connect_peer(f);

	if (nr_descriptors > 0) {
		struct cmsghdr *head = (struct cmsghdr *)control;

		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(nr_descriptors * sizeof(int));
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(nr_descriptors * sizeof(int));
		memcpy(CMSG_DATA(head), descriptors, nr_descriptors * sizeof(int));
	}
	CHECK_EQUAL(sendmsg(peer, &message, 0), nr_bytes);
	close(peer);
}

static inline void hand_over(const struct fixture *f, int descriptor)
{
	const struct ctp_hello hello = {CTP_MAGIC, CTP_VERSION, CTP_ROLE_PROBE};

	greet(f, &hello, sizeof(hello), &descriptor, 1);
}

static inline void expect_refusal(struct fixture *f, int descriptor, const char *why)
{
	hand_over(f, descriptor);
	step_until_refused(f, f->stats.nr_refused + 1);
	if (!f->stats.refusal || !strstr(f->stats.refusal, why))
		fprintf(stderr, "said: %s\n", f->stats.refusal ? f->stats.refusal : "nothing");
	CHECK(f->stats.refusal && strstr(f->stats.refusal, why));
	close(descriptor);
}

static inline int make_memory(unsigned flags, off_t nr_bytes)
{
	int descriptor = memfd_create("test", MFD_CLOEXEC | flags);

	if (descriptor >= 0 && ftruncate(descriptor, nr_bytes))
		abort();
	return descriptor;
}

static inline size_t count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

#endif
