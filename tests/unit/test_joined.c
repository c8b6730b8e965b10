/* SPDX-License-Identifier: MIT */
/*
 * A recording without coroutines, and coroutines that were found in memory meanwhile, as one source: tables, places,
 * threads and times are those of both, in one order; twice; and the recordings that cannot be joined.
 */
#include "base/text.h"
#include "check.h"
#include "stages/joined.h"
#include "textrace/textrace.h"

static const char past_text[] =
	"trace from=0 until=5s epoch_monotonic=1000000000\n"
	"process 1 pid=99 program=/bin/sh\n"
	"process 2 pid=100 program=/bin/server ledger\n"
	"thread 1 process=2 tid=101 name=server\n"
	"site 1 process=2 kind=source file=/src/server.cpp line=40 function=drop\n"
	"1s t1 descriptor-open descriptor:7.1 @1\n"
	"2s t1 descriptor-close descriptor:7.1 @1\n"
	"4s t1 descriptor-open descriptor:8.1 @1\n";

static const char present_text[] =
	"trace from=0 until=2s epoch_monotonic=4000000000\n"
	"process 1 pid=100 program=/bin/server\n"
	"thread 1 tid=101 name=server\n"
	"thread 2 tid=102 name=worker\n"
	"site 1 kind=source file=/src/server.cpp line=120 function=handle form=co_await\n"
	"0ms t0 create c1 0x11010 @1\n"
	"0ms t0 suspend c1 descriptor:7 @1\n"
	"2s t2 create c2 0x12010 @1\n";

static struct ct_source *source_of(const char *text)
{
	struct ct_source *source = NULL;

	CHECK_EQUAL(textrace_source_from_text("text", 1, text, strlen(text), &source, NULL), CT_OK);
	return source;
}

static void print(struct ct_source *source, struct text *text)
{
	const struct ct_event *event;

	while (source_next(source, &event, NULL) == CT_OK) {
		textrace_print_event(text, source->tables, event, false);
		text_format(text, " #%u\n", (unsigned)event->sequence);
	}
}

static void test_order(void)
{
	struct ct_source *joined = NULL;
	struct text tables = {0}, events = {0}, again = {0};

	CHECK_EQUAL(
		joined_open(source_of(past_text), source_of(present_text), &joined, NULL), CT_OK);
	CHECK(joined->tables->is_from_memory && joined->tables->observed_until == 5000000000);
	textrace_print_tables(&tables, joined->tables);
	CHECK_TEXT(strchr(text_peek(&tables), '\n') + 1,
		"process 1 pid=99 program=/bin/sh\n"
		"process 2 pid=100 program=/bin/server attached=0.000000000s ledger\n"
		"thread 1 process=2 tid=101 name=server\n"
		"thread 2 process=2 tid=102 name=worker\n"
		"site 1 process=2 kind=source file=/src/server.cpp line=40 function=drop\n"
		"site 2 process=2 kind=source form=co_await file=/src/server.cpp line=120 "
		"function=handle\n");
	print(joined, &events);
	CHECK_TEXT(text_peek(&events),
		"1.000000000s t1 descriptor-open descriptor:7.1 @1 #0\n"
		"2.000000000s t1 descriptor-close descriptor:7.1 @1 #1\n"
		"3.000000000s t0 p2 create c1 0x11010 @2 #2\n"
		"3.000000000s t0 p2 suspend c1 descriptor:7 @2 point=await #3\n"
		"4.000000000s t1 descriptor-open descriptor:8.1 @1 #4\n"
		"5.000000000s t2 create c2 0x12010 @2 #5\n");
	CHECK_EQUAL(source_reset(joined, NULL), CT_OK);
	print(joined, &again);
	CHECK_TEXT(text_peek(&again), text_peek(&events));
	source_close(joined);
	text_fini(&tables);
	text_fini(&events);
	text_fini(&again);
}

/* A recording of another process, and one with a probe, which knows the coroutines itself. */
static void test_refusals(void)
{
	static const char other[] =
		"trace from=0 until=5s\nprocess 1 pid=99 program=/bin/sh ledger\n";
	static const char probe[] =
		"trace from=0 until=5s\nprocess 1 pid=100 program=/bin/server probe\n";
	struct ct_source *joined = NULL;

	CHECK_EQUAL(joined_open(source_of(other), source_of(present_text), &joined, NULL),
		CT_ERR_NOT_FOUND);
	CHECK_EQUAL(joined_open(source_of(probe), source_of(present_text), &joined, NULL),
		CT_ERR_NOT_FOUND);
	CHECK(joined == NULL);
}

int main(void)
{
	test_order();
	test_refusals();
	return check_result();
}
