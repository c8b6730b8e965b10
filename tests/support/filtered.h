/* SPDX-License-Identifier: MIT */
/*
 * A filter before a sink that keeps everything: one process with a thread, a stream and three sites.
 */
#ifndef TESTS_FILTERED_H
#define TESTS_FILTERED_H

#include "check.h"
#include "keep_sink.h"
#include "stages/filter.h"

#define SITE_PLACE 1u
#define SITE_TASK 2u
#define SITE_OTHER 3u

static struct keep_sink keep;

/* The kept records are examined after the close. */
static inline enum ct_status close_nothing(
	struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	(void)sink, (void)is_wanted, (void)reterr;
	return CT_OK;
}

static inline void start_keeping(struct keep_sink *sink)
{
	static struct ct_sink_ops ops;

	keep_init(sink);
	ops = keep_ops;
	ops.close = close_nothing;
	sink->sink.ops = &ops;
}

static inline enum ct_status define_all(struct ct_sink *sink)
{
	static const char *const reasons[] = {"", "idle", "health check", "other"};
	struct ct_definition definitions[] = {
		{.type = CT_DEFINE_RUN, .run = {.host = "", .command_line = ""}},
		{.type = CT_DEFINE_PROCESS,
			.process = {.process = 1, .pid = 7, .program = "", .command_line = ""}},
		{.type = CT_DEFINE_SEGMENT,
			.segment = {.segment = 1,
				.process = 1,
				.role = CTP_ROLE_PROBE,
				.clock = CTP_CLOCK_MONOTONIC}},
		{.type = CT_DEFINE_THREAD, .thread = {.thread = 1, .process = 1, .name = ""}},
		{.type = CT_DEFINE_STREAM, .stream = {.stream = 1, .segment = 1}},
	};
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; i < sizeof(definitions) / sizeof(definitions[0]) && status == CT_OK; i++)
		status = sink_define(sink, &definitions[i], NULL);
	for (i = 1; i <= SITE_OTHER && status == CT_OK; i++) {
		struct ct_definition site = {.type = CT_DEFINE_SITE,
			.site = {.segment = 1,
				.id = (uint32_t)i,
				.kind = CTP_SITE_SOURCE,
				.line = (uint32_t)i,
				.file = "/src/a.c",
				.function = "f",
				.reason = reasons[i],
				.module = ""}};

		status = sink_define(sink, &site, NULL);
	}
	return status;
}

static inline struct ctp_record made(unsigned kind, uint64_t coro, uint64_t object, uint32_t site)
{
	static uint64_t time;

	return (struct ctp_record){++time, coro, object, CTP_TAIL(site, kind, 0, 0)};
}

static inline struct ctp_record marked(unsigned mark)
{
	struct ctp_record record = made(CTP_KIND_MARK, 0, 0, 0);

	record.tail = CTP_TAIL(0, CTP_KIND_MARK, mark, 0);
	return record;
}

static inline enum ct_status put(
	struct ct_sink *sink, const struct ctp_record *records, size_t count)
{
	struct ct_batch batch = {.stream = 1, .thread = 1, .records = records, .nr_records = count};

	return sink_put(sink, &batch, NULL);
}

#define PUT(sink, ...)                                      \
	put(sink, (const struct ctp_record[]){__VA_ARGS__}, \
		sizeof((const struct ctp_record[]){__VA_ARGS__}) / sizeof(struct ctp_record))

static inline struct ct_sink *opened(const struct ct_wanted *options)
{
	struct ct_sink *sink = NULL;

	start_keeping(&keep);
	CHECK_EQUAL(filter_sink_open(options, &keep.sink, &sink, NULL), CT_OK);
	CHECK_EQUAL(define_all(sink), CT_OK);
	return sink;
}

static inline void closed(struct ct_sink *sink)
{
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	keep_fini(&keep);
}

static inline void check_kept(size_t index, unsigned kind, uint64_t coro, uint64_t object)
{
	CHECK(index < keep.records.count);
	if (index >= keep.records.count)
		return;
	CHECK_EQUAL(CTP_TAIL_KIND(keep.records.at[index].record.tail), kind);
	CHECK_EQUAL(keep.records.at[index].record.coro, coro);
	CHECK_EQUAL(keep.records.at[index].record.object, object);
}

static inline void end(struct ct_sink *sink, uint64_t nr_events)
{
	struct ct_definition last = {
		.type = CT_DEFINE_END, .end = {.monotonic_ns = 1000, .nr_events = nr_events}};

	CHECK_EQUAL(sink_define(sink, &last, NULL), CT_OK);
}

#endif
