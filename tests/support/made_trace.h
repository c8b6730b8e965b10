/* SPDX-License-Identifier: MIT */
/*
 * Trace files made by tests: short ways to define things, to put records, and to examine the result. Each test works in
 * a folder of its own, which is removed at its end.
 */
#ifndef TESTS_MADE_TRACE_H
#define TESTS_MADE_TRACE_H

#include <ftw.h>
#include <stdint.h>
#include <unistd.h>

#include "check.h"
#include "base/io.h"
#include "store/store.h"
#include "stream/stream.h"
#include "write_output.h"
#include "opened.h"

static char made_folder[] = "/tmp/corotracer-test-XXXXXX";

static int made_remove(const char *path, const struct stat *about, int type, struct FTW *where)
{
	(void)about;
	(void)type;
	(void)where;
	return remove(path);
}

static inline void made_leave(void)
{
	if (chdir("/") == 0)
		nftw(made_folder, made_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* From here on relative paths are in the test's own folder. */
static inline void made_enter(void)
{
	if (!mkdtemp(made_folder) || chdir(made_folder) < 0) {
		perror(made_folder);
		exit(1);
	}
	atexit(made_leave);
}

static inline struct ct_sink *made_sink(const char *path)
{
	struct ct_error error = {0};
	struct ct_sink *sink = NULL;

	if (store_sink_open(path, NULL, &sink, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return sink;
}

static inline void made_define(struct ct_sink *sink, struct ct_definition definition)
{
	struct ct_error error = {0};

	if (sink_define(sink, &definition, &error)) {
		fprintf(stderr, "%s\n", error.text);
		check_failures++;
	}
}

#define MADE_EPOCH UINT64_C(1000000000000)

static inline void made_clock(struct ct_sink *sink, uint32_t clock, uint64_t raw, uint64_t ns)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_CLOCK,
				  .clock = {.clock = clock,
					  .raw = raw,
					  .monotonic_ns = ns,
					  .realtime_ns = ns + 1}});
}

static inline void made_heartbeat(struct ct_sink *sink, uint64_t ns)
{
	made_define(sink, (struct ct_definition){
				  .type = CT_DEFINE_HEARTBEAT, .heartbeat = {.monotonic_ns = ns}});
}

static inline void made_process(struct ct_sink *sink, uint32_t process)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_PROCESS,
				  .process = {.process = process,
					  .pid = 100 + process,
					  .program = "/bin/app",
					  .command_line = "app -x"}});
}

static inline void made_segment(
	struct ct_sink *sink, uint32_t segment, uint32_t process, uint32_t role, uint32_t clock)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_SEGMENT,
				  .segment = {.segment = segment,
					  .process = process,
					  .role = role,
					  .clock = clock,
					  .attached = MADE_EPOCH + 5}});
}

static inline void made_thread(struct ct_sink *sink, uint32_t thread, uint32_t process)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_THREAD,
				  .thread = {.thread = thread,
					  .process = process,
					  .tid = 1000 + thread,
					  .name = "worker"}});
}

static inline void made_stream(struct ct_sink *sink, uint32_t stream, uint32_t segment)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_STREAM,
				  .stream = {.stream = stream, .segment = segment}});
}

static inline void made_site(struct ct_sink *sink, uint32_t segment, uint32_t id, const char *file)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_SITE,
				  .site = {.segment = segment,
					  .id = id,
					  .kind = CTP_SITE_SOURCE,
					  .line = 10 + id,
					  .file = file,
					  .function = "",
					  .reason = "",
					  .module = ""}});
}

static inline void made_end(struct ct_sink *sink, uint64_t ns, uint64_t nr_events)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_END,
				  .end = {.monotonic_ns = ns, .nr_events = nr_events}});
}

/* One process with a probe, `nr_threads` threads, each with the stream of the same number. */
static inline void made_start(struct ct_sink *sink, uint32_t nr_threads)
{
	uint32_t i;

	made_define(
		sink, (struct ct_definition){.type = CT_DEFINE_RUN,
			      .run = {.run_id = {1, 2, 3}, .host = "host", .command_line = ""}});
	made_clock(sink, CTP_CLOCK_MONOTONIC, MADE_EPOCH, MADE_EPOCH);
	made_process(sink, 1);
	made_segment(sink, 1, 1, CTP_ROLE_PROBE, CTP_CLOCK_MONOTONIC);
	for (i = 1; i <= nr_threads; i++) {
		made_thread(sink, i, 1);
		made_stream(sink, i, 1);
	}
}

static inline enum ct_status made_put(
	struct ct_sink *sink, uint32_t stream, const struct ctp_record *records, size_t count)
{
	struct ct_batch batch = {
		.stream = stream, .thread = stream, .records = records, .nr_records = count};

	return sink_put(sink, &batch, NULL);
}

static inline void made_put_one(
	struct ct_sink *sink, uint32_t stream, uint64_t time, unsigned kind, uint64_t coro)
{
	struct ctp_record record = {
		.time = MADE_EPOCH + time, .coro = coro, .tail = CTP_TAIL(0, kind, 0, 0)};

	CHECK_EQUAL(made_put(sink, stream, &record, 1), CT_OK);
}

static inline struct ct_source *made_source(const char *path)
{
	struct ct_error error = {0};
	struct ct_source *source = NULL;

	if (open_path(store_source_open, path, &source, &error)) {
		fprintf(stderr, "%s\n", error.text);
		check_failures++;
		return NULL;
	}
	return source;
}

/* Reads all events; UINT64_MAX: reading failed. */
static inline uint64_t made_count(struct ct_source *source)
{
	const struct ct_event *event;
	uint64_t count = 0;
	enum ct_status status;

	while ((status = source_next(source, &event, NULL)) == CT_OK)
		count++;
	return status == CT_END ? count : UINT64_MAX;
}

static inline char *made_read(const char *path, size_t *ret_nr_bytes)
{
	char *bytes = NULL;

	if (io_read_file(path, SIZE_MAX / 4, &bytes, ret_nr_bytes, NULL))
		exit(1);
	return bytes;
}

static inline void made_write(const char *path, const void *bytes, size_t nr_bytes)
{
	if (write_output(path, bytes, nr_bytes, NULL))
		exit(1);
}

/* The same random numbers on every machine. */
static inline uint64_t made_random(uint64_t *state)
{
	uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ (mixed >> 31);
}

/* A random number of any size: small ones, numbers near powers of two, and the extremes. */
static inline uint64_t made_odd(uint64_t *state)
{
	uint64_t random = made_random(state);
	unsigned bits = (unsigned)(made_random(state) % 65);

	if (random % 16 == 0)
		return UINT64_MAX;
	return bits == 0 ? 0 : random >> (64 - bits);
}

#endif
