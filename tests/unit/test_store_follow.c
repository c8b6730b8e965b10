/* SPDX-License-Identifier: MIT */
/*
 * Reading a growing file: events come up to the last heartbeat, in the order of the finished file, none twice, and the
 * end of the writer is noticed. F-2, F-8, F-61 of docs/spec/trace-format.md.
 */
#include <signal.h>
#include <sys/wait.h>

#include "made_trace.h"
#include "opened.h"

#define ROUNDS 40u
#define PER_ROUND 30u

static struct ct_source *follow(const char *path)
{
	struct ct_source *source = NULL;
	struct ct_error error = {0};

	if (open_growing(store_follow_open, path, &source, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return source;
}

static uint64_t count_present(struct ct_source *source, enum ct_status *ret_status)
{
	const struct ct_event *event;
	uint64_t count = 0;

	while ((*ret_status = source_next(source, &event, NULL)) == CT_OK)
		count++;
	return count;
}

/* Events drained after the last heartbeat wait for the next one. */
static void test_heartbeats(void)
{
	struct ct_sink *sink = made_sink("grows.ctrace");
	struct ct_source *source = follow("grows.ctrace");
	enum ct_status status;

	CHECK_EQUAL(count_present(source, &status), 0);
	CHECK_EQUAL(status, CT_AGAIN);
	made_start(sink, 1);
	made_put_one(sink, 1, 10, CTP_KIND_CREATE, 1);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	CHECK_EQUAL(count_present(source, &status), 0);
	CHECK_EQUAL(status, CT_AGAIN);
	made_put_one(sink, 1, 30, CTP_KIND_RESUME, 1);
	made_heartbeat(sink, MADE_EPOCH + 20);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	CHECK_EQUAL(count_present(source, &status), 1);
	CHECK_EQUAL(status, CT_AGAIN);
	made_end(sink, MADE_EPOCH + 40, 2);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	CHECK_EQUAL(count_present(source, &status), 1);
	CHECK_EQUAL(status, CT_END);
	CHECK(source->tables->is_complete);
	source_close(source);
}

static struct ct_sink *start_recording(const char *path)
{
	struct store_options options = {
		.generation_ns = 1, .generation_bytes = 1, .pack_level = HAS_ZSTD};
	struct ct_sink *sink = NULL;

	CHECK_EQUAL(store_sink_open(path, &options, &sink, NULL), CT_OK);
	made_start(sink, 3);
	made_heartbeat(sink, MADE_EPOCH);
	return sink;
}

/* Threads are drained in any order; a thread's events may be later than the heartbeat that follows. */
static void record_round(struct ct_sink *sink, uint32_t round, uint64_t *state)
{
	uint32_t first = (uint32_t)(made_random(state) % 3), i, j;

	for (i = 0; i < 3; i++)
		for (j = 0; j < PER_ROUND; j++)
			made_put_one(sink, 1 + (first + i) % 3,
				round * 10000 + j * 300 + made_random(state) % 300 + i * 700,
				CTP_KIND_RESUME, 1 + j);
	made_heartbeat(sink, MADE_EPOCH + round * 10000 + 9000);
}

static void end_recording(struct ct_sink *sink)
{
	made_end(sink, MADE_EPOCH + ROUNDS * 10000 + 5000, ROUNDS * PER_ROUND * 3);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
}

/* The follower hands out the same events, in the same order, as the finished file has. */
static void test_order(void)
{
	struct ct_sink *sink = start_recording("order.ctrace");
	struct ct_source *source = follow("order.ctrace"), *finished;
	const struct ct_event *event, *expected;
	struct ct_event *events = calloc(ROUNDS * PER_ROUND * 3 + 1, sizeof(*events));
	uint64_t state = 5, count = 0, i;
	enum ct_status status = CT_AGAIN;
	uint32_t round;

	for (round = 0; round <= ROUNDS; round++) {
		if (round < ROUNDS)
			record_round(sink, round, &state);
		else
			end_recording(sink);
		while ((status = source_next(source, &event, NULL)) == CT_OK)
			if (count < ROUNDS * PER_ROUND * 3)
				events[count++] = *event;
	}
	CHECK_EQUAL(status, CT_END);
	CHECK_EQUAL(count, ROUNDS * PER_ROUND * 3);
	finished = made_source("order.ctrace");
	for (i = 0; i < count && source_next(finished, &expected, NULL) == CT_OK; i++) {
		CHECK_EQUAL(events[i].time, expected->time);
		CHECK_EQUAL(events[i].thread, expected->thread);
		CHECK_EQUAL(events[i].coro, expected->coro);
		CHECK_EQUAL(events[i].sequence, expected->sequence);
	}
	CHECK_EQUAL(i, count);
	source_close(source);
	source_close(finished);
	free(events);
}

/* A writer that dies releases its lock: the follower hands out what was written, and waits no longer. */
static void test_writer_dies(void)
{
	struct ct_source *source;
	enum ct_status status;
	int ends[2], ended;
	char byte;
	pid_t child;

	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		struct ct_sink *sink = made_sink("dies.ctrace");

		made_start(sink, 1);
		made_put_one(sink, 1, 10, CTP_KIND_RESUME, 1);
		sink_flush(sink, NULL);
		if (write(ends[1], "x", 1) == 1)
			raise(SIGSTOP);
		_exit(1);
	}
	CHECK_EQUAL(read(ends[0], &byte, 1), 1);
	source = follow("dies.ctrace");
	CHECK_EQUAL(count_present(source, &status), 0);
	CHECK_EQUAL(status, CT_AGAIN);
	kill(child, SIGKILL);
	CHECK_EQUAL(waitpid(child, &ended, 0), child);
	CHECK_EQUAL(count_present(source, &status), 1);
	CHECK_EQUAL(status, CT_END);
	CHECK(!source->tables->is_complete);
	source_close(source);
	close(ends[0]);
	close(ends[1]);
}

static void test_refusals(void)
{
	struct ct_source *source = NULL;
	struct ct_error error = {0};

	CHECK_EQUAL(open_growing(store_follow_open, "missing.ctrace", &source, &error),
		CT_ERR_NOT_FOUND);
	CHECK_EQUAL(open_growing(store_follow_open, "/dev/null", &source, &error), CT_ERR_USAGE);
	CHECK_TEXT(error.text, "'/dev/null': only a file can be followed, or standard input");
	made_write("text.ctrace",
		"this is no trace but a text that is long enough to be a header..", 64);
	CHECK_EQUAL(open_growing(store_follow_open, "text.ctrace", &source, &error), CT_ERR_FORMAT);
}

int main(void)
{
	made_enter();
	test_heartbeats();
	test_order();
	test_writer_dies();
	test_refusals();
	return check_result();
}
