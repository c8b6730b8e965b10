/* SPDX-License-Identifier: MIT */
/*
 * Every allocation fails once: writing, reading and assembling a trace end with "out of memory" or
 * succeed, and never crash or leak. Linked with --wrap for the allocators.
 */
#include <stdint.h>

#include "failing_memory.h"
#include "jsonl/jsonl.h"
#include "made_trace.h"
#include "text_form.h"
#include "opened.h"

static const char text_trace[] = "process 1 pid=1 probe ledger program=/bin/app\n"
				 "process 2 pid=2\n"
				 "thread 1 process=1 name=w\n"
				 "site 1 process=1 file=a.cpp line=1\n"
				 "mapping 1 process=1 path=/bin/app\n"
				 "loss process=1 count=3 first=1 last=2\n"
				 "note \"odd\" count=1\n"
				 "1 t1 create c7 0x10 @1\n"
				 "2 t1 frame c7 0x20\n"
				 "3 t1 suspend c7 descriptor:7.3 @1\n"
				 "4 t0 p2 kind-99\n"
				 "5 t1 switch c7 c8\n"
				 "6 t1 destroy c8\n"
				 "end 1 exited 0 at=9\n";

static enum ct_status read_text(struct ct_error *reterr)
{
	struct ct_source *source = NULL;
	enum ct_status status = textrace_source_from_text(
		"text", 1, text_trace, sizeof(text_trace) - 1, &source, reterr);

	if (status == CT_OK)
		source_close(source);
	return status;
}

static struct ct_source *given; /* open before anything fails */

static enum ct_status fill_sink(struct ct_sink *sink, struct ct_error *reterr)
{
	enum ct_status status, closed;

	source_reset(given, NULL);
	status = textrace_to_sink(given, sink, reterr);
	closed = sink_close(sink, status == CT_OK, status ? NULL : reterr);
	return status ? status : closed;
}

static enum ct_status write_file(struct ct_error *reterr)
{
	struct ct_sink *sink = NULL;
	enum ct_status status = store_sink_open("memory.ctrace", NULL, &sink, reterr);

	return status ? status : fill_sink(sink, reterr);
}

/* Every heartbeat begins a generation, so that memory for what is repeated and carried is allocated, too. */
static enum ct_status write_generations(struct ct_error *reterr)
{
	struct store_options options = {.generation_ns = 1, .generation_bytes = 1};
	struct ct_definition heartbeat = {
		.type = CT_DEFINE_HEARTBEAT, .heartbeat = {.monotonic_ns = 20}};
	struct ct_sink *sink = NULL;
	enum ct_status status = store_sink_open("memory.ctrace", &options, &sink, reterr), closed;

	if (status)
		return status;
	source_reset(given, NULL);
	status = textrace_to_sink(given, sink, reterr);
	if (status == CT_OK)
		status = sink_define(sink, &heartbeat, reterr);
	closed = sink_close(sink, status == CT_OK, status ? NULL : reterr);
	return status ? status : closed;
}

static enum ct_status write_rows(struct ct_error *reterr)
{
	struct ct_sink *sink = NULL;
	enum ct_status status = jsonl_sink_open(
		"memory.jsonl", &(struct jsonl_options){.all_kinds = true}, &sink, reterr);

	return status ? status : fill_sink(sink, reterr);
}

static enum ct_status read_file(struct ct_error *reterr)
{
	const struct ct_event *event;
	struct ct_source *source = NULL;
	enum ct_status status = open_path(store_source_open, "whole.ctrace", &source, reterr);

	if (status)
		return status;
	while ((status = source_next(source, &event, reterr)) == CT_OK)
		;
	source_close(source);
	return status == CT_END ? CT_OK : status;
}

static enum ct_status print_text(struct ct_error *reterr)
{
	struct text text;
	enum ct_status status;

	source_reset(given, NULL);
	text = print_all(given);
	status = text_status(&text, reterr);
	text_fini(&text);
	return status;
}

/* Runs `work` with the first, the second ... allocation failing, until no further one is made. */
static void test_each_allocation(enum ct_status (*work)(struct ct_error *))
{
	struct ct_error error;
	enum ct_status status;
	unsigned n = 0;

	do {
		error.status = CT_OK;
		has_failed = false;
		fail_at = ++n;
		status = work(&error);
		fail_at = 0;
		if (status && status != CT_ERR_NO_MEMORY)
			fprintf(stderr, "allocation %u: %s\n", n, error.text);
		CHECK(status == CT_OK || status == CT_ERR_NO_MEMORY);
		CHECK(status == CT_OK || error.status == status);
		CHECK(status == CT_OK || has_failed);
	} while (has_failed && n < 10000);
	CHECK_EQUAL(status, CT_OK);
	CHECK(n > 1);
}

/* Counts the generations in the file of the last run, in which nothing failed. */
static uint32_t count_generations(const char *path)
{
	struct ct_source *source = made_source(path);
	uint32_t last = source->tables->last_generation;

	source_close(source);
	return last;
}

int main(void)
{
	made_enter();
	given = open_text(text_trace);
	CHECK_EQUAL(write_file(NULL), CT_OK);
	CHECK(rename("memory.ctrace", "whole.ctrace") == 0);
	test_each_allocation(read_text);
	test_each_allocation(print_text);
	test_each_allocation(write_file);
	test_each_allocation(write_generations);
	CHECK_EQUAL(count_generations("memory.ctrace"), 2);
	test_each_allocation(write_rows);
	test_each_allocation(read_file);
	source_close(given);
	return check_result();
}
