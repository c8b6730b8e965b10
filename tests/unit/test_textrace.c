/* SPDX-License-Identifier: MIT */
/*
 * The text form: hand-written text means what it should, an error names its line, and printed text is exact.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "text_form.h"

/* ------------------------------------------------------------------- by hand */

#define BEGINNING                              \
	"process 1 pid=100 probe\n"            \
	"thread 1 tid=101 name=worker-0\n"     \
	"thread 2 tid=102 name=\"worker 1\"\n" \
	"site 1 file=a.cpp line=42\n"          \
	"site 2 file=b.cpp\n"

/* One event as written by hand, and all of its words. */
static const struct {
	const char *line;
	struct ct_event event;
} by_hand[] = {
	{"1ms t1 create c7 0x7f00 @1",
		{.time = 1000000, .coro = 7, .object = 0x7f00, .site = 1, .kind = CTP_KIND_CREATE}},
	{"1.5us t1 suspend c7 descriptor:7.3 @2 point=final",
		{.time = 1500,
			.coro = 7,
			.object = CTP_DESCRIPTOR(7, 3),
			.site = 2,
			.kind = CTP_KIND_SUSPEND,
			.argument = CTP_POINT_FINAL}},
	{"2s t1 suspend descriptor:7 c7", {.time = 2000000000,
						  .coro = 7,
						  .object = CTP_DESCRIPTOR(7, 0),
						  .kind = CTP_KIND_SUSPEND}},
	{"5 t1 wake outcome=no-target c9 coroutine:7 # nobody",
		{.time = 5,
			.coro = 9,
			.object = CTP_HANDLE(CTP_RESOURCE_COROUTINE, 7),
			.kind = CTP_KIND_WAKE,
			.argument = CTP_OUTCOME_NO_TARGET}},
	{"-5ns t1 wake lock:0x10 outcome=200", {.time = -5,
						       .object = CTP_HANDLE(CTP_RESOURCE_LOCK, 16),
						       .kind = CTP_KIND_WAKE,
						       .argument = 200}},
	{"1min t1 switch c0 c7", {.time = 60000000000, .object = 7, .kind = CTP_KIND_SWITCH}},
	{"1h t1 await c3 c7",
		{.time = 3600000000000, .coro = 3, .object = 7, .kind = CTP_KIND_AWAIT}},
	{"0.000000001s t1 block-begin -1 call=epoll_wait",
		{.time = 1,
			.object = UINT64_MAX,
			.kind = CTP_KIND_BLOCK_BEGIN,
			.argument = CTP_CALL_EPOLL_WAIT}},
	{"1 t1 block-begin -1 call=lock resource=lock:0xb000",
		{.time = 1,
			.coro = CTP_HANDLE(CTP_RESOURCE_LOCK, 0xb000),
			.object = UINT64_MAX,
			.kind = CTP_KIND_BLOCK_BEGIN,
			.argument = CTP_CALL_LOCK}},
	{"1 t1 detail 3000000 detail=deadline", {.time = 1,
							.object = 3000000,
							.kind = CTP_KIND_DETAIL,
							.argument = CTP_DETAIL_DEADLINE}},
	{"3ms t1 lost 12 first=2.5ms loss=\"no ring\"", {.time = 3000000,
								.coro = 2500000,
								.object = 12,
								.kind = CTP_KIND_LOST,
								.argument = CTP_LOSS_NO_RING}},
	{"1 t1 descriptor-io result=16 descriptor:4.1 argument=1",
		{.time = 1,
			.coro = 16,
			.object = CTP_DESCRIPTOR(4, 1),
			.kind = CTP_KIND_DESCRIPTOR_IO,
			.argument = 1}},
	{"1 t1 thread-time ran=3865706 7",
		{.time = 1, .coro = 3865706, .object = 7, .kind = CTP_KIND_THREAD_TIME}},
	{"1 t1 descriptor-io c-11 descriptor:4.1 argument=2 flags=0x8001",
		{.time = 1,
			.coro = (uint64_t)-11,
			.object = CTP_DESCRIPTOR(4, 1),
			.kind = CTP_KIND_DESCRIPTOR_IO,
			.argument = 2,
			.flags = 0x8001}},
	{"1 t1 destroy c7 life=suspended",
		{.time = 1, .coro = 7, .kind = CTP_KIND_DESTROY, .argument = CTP_LIFE_SUSPENDED}},
	{"1 t1 mark c7 5 mark=expect-idle", {.time = 1,
						    .coro = 7,
						    .object = 5,
						    .kind = CTP_KIND_MARK,
						    .argument = CTP_MARK_EXPECT_IDLE}},
	/* P-100 to P-105 are written like other events: P-101, P-102, P-103, P-104. */
	{"1 t1 processor processor:3 state=syscall",
		{.time = 1,
			.object = CTP_HANDLE(CTP_RESOURCE_PROCESSOR, 3),
			.kind = CTP_KIND_PROCESSOR,
			.argument = CTP_PROCESSOR_SYSCALL}},
	{"1 t1 syscall-begin c7 232 @1",
		{.time = 1, .coro = 7, .object = 232, .site = 1, .kind = CTP_KIND_SYSCALL_BEGIN}},
	{"1 t1 syscall-end c7 0 flags=1",
		{.time = 1, .coro = 7, .flags = CTP_SYSCALL_READY, .kind = CTP_KIND_SYSCALL_END}},
	{"1 t1 range-begin c7 @1 range=gc-assist", {.time = 1,
							   .coro = 7,
							   .site = 1,
							   .kind = CTP_KIND_RANGE_BEGIN,
							   .argument = CTP_RANGE_ASSIST}},
	{"1 t1 sample c7 processor:3 @1", {.time = 1,
						  .coro = 7,
						  .object = CTP_HANDLE(CTP_RESOURCE_PROCESSOR, 3),
						  .site = 1,
						  .kind = CTP_KIND_SAMPLE}},
	{"1 t1 suspend c7 channel:0x0 @1 point=preempted",
		{.time = 1,
			.coro = 7,
			.object = CTP_HANDLE(CTP_RESOURCE_CHANNEL, 0),
			.site = 1,
			.kind = CTP_KIND_SUSPEND,
			.argument = CTP_POINT_PREEMPTED}},
	{"1 t1 kind-200 c7 0xffffffffffffffff argument=9 @1", {.time = 1,
								      .coro = 7,
								      .object = UINT64_MAX,
								      .site = 1,
								      .kind = 200,
								      .argument = 9}},
	{"1 t1 resume c18446744073709551615",
		{.time = 1, .coro = UINT64_MAX, .kind = CTP_KIND_RESUME}},
};

static void check_same(const struct ct_event *actual, const struct ct_event *expected)
{
	CHECK_EQUAL(actual->time, expected->time);
	CHECK_EQUAL(actual->coro, expected->coro);
	CHECK_EQUAL(actual->object, expected->object);
	CHECK_EQUAL(actual->site, expected->site);
	CHECK_EQUAL(actual->kind, expected->kind);
	CHECK_EQUAL(actual->argument, expected->argument);
	CHECK_EQUAL(actual->flags, expected->flags);
}

static void test_events_by_hand(void)
{
	const struct ct_event *event = NULL;
	struct ct_source *source;
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", BEGINNING, by_hand[i].line);
		source = open_text(text);
		if (!source)
			continue;
		CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
		check_same(event, &by_hand[i].event);
		CHECK_EQUAL(event->thread, 1);
		CHECK_EQUAL(event->process, 1);
		CHECK_EQUAL(source_next(source, &event, NULL), CT_END);
		source_close(source);
	}
}

static void test_tables_by_hand(void)
{
	struct ct_source *source = open_text(
		"trace run=00112233445566778899aabbccddeeff host=\"my host\" until=3s skew=20ns\n"
		"process 1 pid=0x10 program=/bin/app command=\"app -x \\\"\\x41\\t\\\"\" ledger\n"
		"\n"
		"process 2 pid=2 attached=1ms\t# tabs are blanks\n"
		"thread 1 process=2 tid=5\r\n"
		"mapping 1 process=2 start=0x10 end=0x20 offset=0x4 path=/bin/app build_id=aa\n"
		"site 1 process=1 kind=address form=c++ address=0x11 module=/bin/app offset=0x1\n"
		"loss process=2 thread=1 reason=nested count=4 last=9\n"
		"note \"it is odd\" count=2 offset=77\n"
		"end 1 signaled 9 at=2s forwarded\n");
	const struct ct_tables *tables = source->tables;

	CHECK_EQUAL(tables->run_id[15], 0xff);
	CHECK_TEXT(tables->host, "my host");
	CHECK_EQUAL(tables->observed_until, 3000000000);
	CHECK_EQUAL(tables->clock_skew_ns, 20);
	CHECK(tables->is_complete);
	CHECK_EQUAL(tables->nr_processes, 3);
	CHECK_EQUAL(tables->processes[1].pid, 16);
	CHECK_TEXT(tables->processes[1].command_line, "app -x \"A\t\"");
	CHECK(tables->processes[1].has_ledger && !tables->processes[1].has_probe);
	CHECK_EQUAL(tables->processes[1].attached, 0);
	CHECK_EQUAL(tables->processes[1].ending, CT_ENDING_SIGNALED);
	CHECK_EQUAL(tables->processes[1].ending_value, 9);
	CHECK_EQUAL(tables->processes[1].ended, 2000000000);
	CHECK(tables->processes[1].was_killed_by_engine_user);
	CHECK_EQUAL(tables->processes[2].attached, 1000000);
	CHECK_EQUAL(tables->threads[1].process, 2);
	CHECK_EQUAL(tables->mappings[1].offset, 4);
	CHECK_EQUAL(tables->sites[1].kind, CTP_SITE_ADDRESS);
	CHECK_EQUAL(tables->sites[1].form, CTP_FORM_CPP);
	CHECK_EQUAL(tables->losses[0].reason, CTP_LOSS_NESTED);
	CHECK(tables->losses[0].first == CT_NO_TIME);
	CHECK_EQUAL(tables->losses[0].last, 9);
	CHECK_TEXT(tables->notes[0].text, "it is odd");
	CHECK_EQUAL(tables->notes[0].offset, 77);
	source_close(source);
}

static void test_relative_times_and_defaults(void)
{
	static const ct_time expected[] = {-100, 1000, 1005, 2005};
	struct ct_source *source = open_text(BEGINNING "1us t1 park\n"
						       "+5ns t2 park\n"
						       "+1us t1 park\n"
						       "-100 t0 kind-99\n"
						       "end 1 exited 3 at=5us\n");
	const struct ct_event *event = NULL;
	size_t i;

	for (i = 0; i < 4; i++) {
		CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
		CHECK_EQUAL(event->time, expected[i]);
		CHECK_EQUAL(event->process, 1);
		CHECK_EQUAL(event->sequence, i);
	}
	CHECK_EQUAL(source->tables->observed_from, -100);
	CHECK_EQUAL(source->tables->observed_until, 5000);
	CHECK_EQUAL(source->tables->nr_events, 4);
	source_close(source);
}

/* Events are in order within a thread as written, across threads by time, and at one instant by thread. */
static void test_order(void)
{
	static const char expected[] = "0.000000005s t1 park\n"
				       "0.000000005s t2 park\n"
				       "0.000000009s t1 park\n"
				       "0.000000007s t1 unpark\n"
				       "0.000000010s t2 unpark\n";
	struct ct_source *source = open_text(BEGINNING "10 t2 unpark\n"
						       "9 t1 park\n");
	const char *events;
	struct text text;

	source_close(source);
	source = open_text(BEGINNING "5 t2 park\n"
				     "10 t2 unpark\n"
				     "5 t1 park\n"
				     "9 t1 park\n"
				     "7 t1 unpark\n");
	text = print_all(source);
	events = strstr(text_peek(&text), "0.000000005s");
	CHECK_TEXT(events ? events : "nothing", expected);
	text_fini(&text);
	source_close(source);
}

/* -------------------------------------------------------------------- refusals */

static const struct {
	const char *line;
	const char *says;
} refusals[] = {
	{"nonsense 1", "case:6: 'nonsense' begins no line that is known"},
	{"process 3", "case:6: process 3 stands where number 2 is due"},
	{"thread", "case:6: a number is missing behind 'thread'"},
	{"thread 3 process=9", "case:6: process 9 is not defined"},
	{"thread 3 tid=x", "case:6: 'x' is no value for 'tid'"},
	{"thread 3 tid", "case:6: 'tid' needs a value"},
	{"thread 3 pid=1", "case:6: 'pid' has no place in a line of 'thread'"},
	{"process 2 probe=1", "case:6: 'probe' takes no value"},
	{"process 2 program=\"x", "case:6: a quote is not closed"},
	{"process 2 program=\"\\q\"", "case:6: an escape is none of \\\" \\\\ \\n \\t \\xHH"},
	{"process 2 program=\"\\x00\"", "case:6: an escape is none of \\\" \\\\ \\n \\t \\xHH"},
	{"process 2 program=\"x\"y", "case:6: a blank is missing behind a quote"},
	{"process 2 program=x\"y\"", "case:6: a quote stands in the middle of a word"},
	{"trace until=1 from=2", "case:6: 'until' lies before 'from'"},
	{"trace skew=-1", "case:6: 'skew' is less than nothing"},
	{"trace run=12", "case:6: '12' is no value for 'run'"},
	{"stack 1 site=9", "case:6: site 9 is not defined"},
	{"stack 1 site=0", "case:6: site 0 is not defined"},
	{"stack 1 site=1 caller=1", "case:6: stack 1 is not defined"},
	{"loss thread=7", "case:6: thread 7 is not defined"},
	{"note text", "case:6: a note's text stands in quotes"},
	{"end 2 exited 0", "case:6: process 2 is not defined"},
	{"end 1 vanished 0", "case:6: an end is one of exited, signaled, detached and unknown"},
	{"end 1 exited", "case:6: a status or signal number is missing behind 'exited'"},
	{"1x t1 park", "case:6: '1x' is no time"},
	{"0.0000000001s t1 park", "case:6: '0.0000000001s' is no time"},
	{"1. t1 park", "case:6: '1.' is no time"},
	{"9223372036854775808 t1 park", "case:6: '9223372036854775808' is no time"},
	{"1ms", "case:6: a thread (t1) is missing behind the time"},
	{"1ms park", "case:6: a thread (t1) is missing behind the time"},
	{"1ms t9 park", "case:6: thread 9 is not defined"},
	{"1ms t1", "case:6: a kind of event is missing"},
	{"1ms t1 dance", "case:6: 'dance' is no kind of event"},
	{"1ms t1 kind-256", "case:6: 'kind-256' is no kind of event"},
	{"1ms t1 p1 park", "case:6: the thread tells the process already"},
	{"1ms t0 p5 park", "case:6: process 5 is not defined"},
	{"1ms t1 park @3", "case:6: '@3' has no place in an event, or no such form"},
	{"1ms t1 park 1 2", "case:6: '2' has no place in an event, or no such form"},
	{"1ms t1 resume c1 c2", "case:6: 'c2' has no place in an event, or no such form"},
	{"1ms t1 resume outcome=queued",
		"case:6: 'outcome' has no place in an event, or no such form"},
	{"1ms t1 resume flags=65536", "case:6: 'flags' has no place in an event, or no such form"},
	{"1ms t1 suspend rope:3", "case:6: 'rope' has no place in an event, or no such form"},
};

static void test_refusals_name_the_line(void)
{
	struct ct_source *source = NULL;
	struct ct_error error;
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\n", BEGINNING, refusals[i].line);
		CHECK_EQUAL(
			textrace_source_from_text("case", 1, text, strlen(text), &source, &error),
			CT_ERR_FORMAT);
		CHECK_TEXT(error.text, refusals[i].says);
		CHECK_EQUAL(error.offset, strlen(BEGINNING));
	}
	CHECK_EQUAL(
		textrace_source_from_text("case", 40, "a\0b", 3, &source, &error), CT_ERR_FORMAT);
	CHECK_TEXT(error.text, "case:40: a zero byte: this is no text");
}

static void test_site_of_another_process(void)
{
	static const char text[] = "process 1\nprocess 2\nthread 1 process=1\n"
				   "site 1 process=2 file=x\n1 t1 park @1\n";
	struct ct_source *source = NULL;
	struct ct_error error;

	CHECK_EQUAL(textrace_source_from_text("case", 1, text, strlen(text), &source, &error),
		CT_ERR_FORMAT);
	CHECK_TEXT(error.text, "case:5: site 1 belongs to process 2");
}

/* -------------------------------------------------------------------- printing */

static void test_print_is_exact(void)
{
	static const char expected[] =
		"trace run=00000000000000000000000000000000 from=0.000000000s "
		"until=2.000000000s\n"
		"process 1 pid=100 program=\"/bin/my app\" attached=0.000000000s probe\n"
		"thread 1 process=1 tid=101 name=\"\\x1b[31m\\\"red\\\"\\\\\xc3\xa4\\xff\"\n"
		"site 1 process=1 kind=source file=a.cpp line=42 function=\"operator==(A, A)\"\n"
		"loss process=1 thread=0 reason=\"ring full\" count=3\n"
		"end 1 exited 0 at=2.000000000s\n"
		"0.001000000s t1 suspend c7 descriptor:7.3 @1 point=await\n"
		"0.001000000s t1 wake c7 timer:5 outcome=queued\n"
		"0.001000000s t1 acquire c7 lock:0xff\n"
		"0.001000000s t1 acquire c7 0xc800000000000001\n"
		"0.001000000s t1 counter c7 -5 @1\n"
		"0.001000000s t1 kind-77 argument=200 flags=0x1\n";
	struct ct_source *source = open_text(expected);
	struct text text = print_all(source);

	CHECK_TEXT(text_peek(&text), expected);
	text_fini(&text);
	source_close(source);
}

/* Carried events are counted apart, and observation does not begin with them. */
static void test_part(void)
{
	struct ct_source *source = open_text("trace generation=12 before=3000 not-carried=2 cut\n"
					     "process 1\nthread 1\n"
					     "-1ms t1 create c7 carried\n"
					     "1ms t1 resume c7\n");
	const struct ct_tables *tables = source->tables;
	const struct ct_event *event;

	CHECK_EQUAL(tables->first_generation, 12);
	CHECK_EQUAL(tables->nr_before, 3000);
	CHECK_EQUAL(tables->nr_carried, 1);
	CHECK_EQUAL(tables->nr_not_carried, 2);
	CHECK_EQUAL(tables->carried_from, -1000000);
	CHECK_EQUAL(tables->nr_events, 1);
	CHECK_EQUAL(tables->observed_from, 0);
	CHECK(tables->is_cut && tables->is_complete);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK(source_is_carried(source));
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK(!source_is_carried(source));
	source_close(source);
}

static void test_is_ours(void)
{
	CHECK(textrace_is_ours("process 1\n", 10));
	CHECK(textrace_is_ours("\n # a case\n\ttrace run=", 21));
	CHECK(textrace_is_ours("# only a comment so far", 23));
	CHECK(!textrace_is_ours("", 0));
	CHECK(!textrace_is_ours("{\"probe_id\":1}", 14));
	CHECK(!textrace_is_ours("processes 1\n", 12));
	CHECK(!textrace_is_ours("# \0", 3));
}

/* ---------------------------------------------------------------------- inside */

/* Reads every beginning of a text, with a page behind it that must not be touched. */
static void test_reading_stays_inside(void)
{
	static const char text[] = BEGINNING
		"note \"a\\x41\\\\\" count=2\n1ms t1 suspend c7 descriptor:7.3 @2 point=await\n"
		"+1ms t0 p1 lost first=1us 3 loss=\"ring full\" #";
	size_t page = (size_t)sysconf(_SC_PAGESIZE), length;
	char *area =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ct_source *source;
	struct ct_error error;

	CHECK(area != MAP_FAILED && mprotect(area + page, page, PROT_NONE) == 0);
	for (length = 0; length < sizeof(text); length++) {
		char *at = area + page - length;

		memcpy(at, text, length);
		textrace_is_ours(at, length);
		source = NULL;
		if (textrace_source_from_text("x", 1, at, length, &source, &error) == CT_OK)
			source_close(source);
		else
			CHECK_EQUAL(error.status, CT_ERR_FORMAT);
	}
	munmap(area, 2 * page);
}

int main(void)
{
	test_events_by_hand();
	test_tables_by_hand();
	test_relative_times_and_defaults();
	test_order();
	test_refusals_name_the_line();
	test_site_of_another_process();
	test_print_is_exact();
	test_part();
	test_is_ours();
	test_reading_stays_inside();
	return check_result();
}
