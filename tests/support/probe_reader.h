/* SPDX-License-Identifier: MIT */
/*
 * The engine's side of the probe, small enough for the test that contains it: listens for segments, maps them, and
 * reads rings by the protocol's rules. The reader shares no code with the real engine, and trusts what it reads,
 * because the writer is the test's own program.
 */
#ifndef TESTS_PROBE_READER_H
#define TESTS_PROBE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "corotracer/ctp.h"

/* 1 in programs built with the address or thread sanitizer, which need much memory and time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

struct reader {
	struct ctp_header *header;
	struct ctp_orders *orders;
	uint64_t bytes;
	int descriptor;
	struct ctp_hello hello;
	uint64_t overwritten; /* records that were overwritten before or while they were read */
};

/* reader_listen: opens the abstract socket and names it in the environment; ends the test on failure. */
void reader_listen(void);

/* reader_take: maps the segment that the probe has sent by now; false: there is none. */
bool reader_take(struct reader *reader);

/*
 * reader_map: maps the segment of reader->descriptor. reader_find_orders: finds the orders of a segment that the test
 * has mapped itself.
 */
void reader_map(struct reader *reader);
void reader_find_orders(struct reader *reader);

/* reader_ring: returns the ring's description. */
struct ctp_ring *reader_ring(const struct reader *reader, uint32_t index);

typedef void reader_record(
	void *context, uint32_t ring, uint64_t position, struct ctp_record record);

/*
 * reader_drain: passes every record from the ring's tail up to its head to `take`, then advances the tail. With `limit`
 * it stops after that many. Returns the number of records.
 */
uint64_t reader_drain(
	struct reader *reader, uint32_t ring, uint64_t limit, reader_record *take, void *context);

/* reader_drain_all: drains every ring that was ever used. */
uint64_t reader_drain_all(struct reader *reader, reader_record *take, void *context);

/* reader_text: the interned text of this number, in a static buffer that is valid until the next call. */
const char *reader_text(const struct reader *reader, uint32_t name);

/* reader_site: an interned site; NULL: it is not ready. */
const struct ctp_site *reader_site(const struct reader *reader, uint32_t id);

/*
 * in_child: runs `scenario` in a forked process, where it may attach as if the program had just started. Returns its
 * exit status: 0: all checks passed. 1000 + n: it was killed by signal n.
 */
static inline int in_child(void (*scenario)(void))
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		check_failures = check_count = 0;
		scenario();
		fflush(NULL);
		_exit(check_result());
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#endif
